//! What an agent reports and what its screen shows, taken together. Reports count, but they say less than the screen:
//! some agents report that they ask and not what, and none reports the dialogs that it shows before it is ready.

use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource};

use crate::known_agents::is_vague;

/// The difference, in milliseconds, up to which two times are the same end of a state: agents round to seconds.
const END_TOLERANCE_MS: u64 = 2_000;

/// Returns the evidence in reports, the strongest first, and in a screen.
pub fn combined(mut told: Vec<Evidence>, shown: Option<Evidence>) -> Vec<Evidence> {
    let Some(mut shown) = shown else { return told };
    match told.first_mut() {
        Some(first) if is_detail(first, &shown) => add_detail(first, shown),
        Some(first) if is_notice(first, &shown) => {
            shown.source = EvidenceSource::Notice;
            told.insert(0, shown);
        }
        // The screen of an agent that reports its own state says nothing else.
        Some(first) if first.source == EvidenceSource::Osc7501 => {}
        _ => told.push(shown),
    }
    told
}

/// Keeps the times at which states end from the look before: a countdown of seconds gives a slightly different time at
/// each look.
pub fn keep_ends(before: &[Evidence], now: &mut [Evidence]) {
    for until in now.iter_mut().filter_map(|evidence| evidence.until.as_mut()) {
        let mut before = before.iter().filter_map(|evidence| evidence.until);
        let same = before.find(|before| before.millis().abs_diff(until.millis()) <= END_TOLERANCE_MS);
        *until = same.unwrap_or(*until);
    }
}

/// Whether the screen shows details of what the agent reports. A title does not tell questions from permissions.
fn is_detail(told: &Evidence, shown: &Evidence) -> bool {
    let both_ask = told.state.needs_somebody() && shown.state.needs_somebody();
    let both_rest = is_idle(told.state) && is_idle(shown.state);
    told.state == shown.state || both_rest || (both_ask && told.source == EvidenceSource::Osc7501)
}

fn add_detail(told: &mut Evidence, shown: Evidence) {
    told.waits_for = told.waits_for.or(shown.waits_for);
    told.until = shown.until;
    let before = told.reason.take();
    // A title has room for a few words only.
    let is_vague = told.source == EvidenceSource::Title || before.as_deref().is_some_and(is_vague);
    told.reason = if is_vague { shown.reason.or(before) } else { before.or(shown.reason) };
}

/// Whether the screen shows what the agent does not report: a dialog, an error that ended its turn, or with its reason, why
/// it has more to do than its title says.
fn is_notice(told: &Evidence, shown: &Evidence) -> bool {
    let is_queue = shown.state == AgentState::Working && shown.reason.is_some();
    let ends_rest = shown.state == AgentState::Error || is_queue && told.source == EvidenceSource::Title;
    shown.state.needs_somebody() || ends_rest && is_idle(told.state)
}

fn is_idle(state: AgentState) -> bool {
    matches!(state, AgentState::Idle | AgentState::Complete)
}

#[cfg(test)]
mod tests {
    use fugue_protocol::agents::WaitsFor;

    use super::*;

    fn evidence(source: EvidenceSource, state: AgentState, reason: &str) -> Evidence {
        let reason = (!reason.is_empty()).then(|| reason.to_owned());
        let waits_for = state.needs_somebody().then_some(WaitsFor::Permission);
        Evidence { reason, waits_for, ..Evidence::new(source, state) }
    }

    /// The evidence that counts after a report and a screen.
    fn after(
        told: (EvidenceSource, AgentState, &str),
        shown: (AgentState, &str),
    ) -> (EvidenceSource, AgentState, Option<String>) {
        let told = vec![evidence(told.0, told.1, told.2)];
        let shown = evidence(EvidenceSource::Screen, shown.0, shown.1);
        let first = combined(told, Some(shown)).into_iter().min_by_key(|sign| sign.source).unwrap();
        (first.source, first.state, first.reason)
    }

    #[test]
    fn the_screen_adds_a_reason_to_a_report_without_one() {
        use AgentState::{Blocked, Error, WaitingForInput, Working};
        use EvidenceSource::{Osc7501, Title};
        let asks = after((Osc7501, Blocked, ""), (Blocked, "run make"));
        assert_eq!(asks, (Osc7501, Blocked, Some("run make".into())));
        let own = after((Osc7501, WaitingForInput, "which color?"), (Blocked, "color"));
        assert_eq!(own, (Osc7501, WaitingForInput, Some("which color?".into())));
        let title = after((Title, Blocked, "Action Required"), (Blocked, "run make"));
        assert_eq!(title, (Title, Blocked, Some("run make".into())));
        let retry = after((Osc7501, Working, ""), (Working, "retrying in 5 s"));
        assert_eq!(retry, (Osc7501, Working, Some("retrying in 5 s".into())));
        let failed = after((Osc7501, Error, ""), (Error, "bad request"));
        assert_eq!(failed, (Osc7501, Error, Some("bad request".into())));
    }

    #[test]
    fn a_dialog_an_error_or_a_queue_on_the_screen_counts_though_the_agent_reports_that_it_is_idle() {
        use AgentState::{Blocked, Error, Idle, WaitingForInput, Working};
        use EvidenceSource::{Notice, Osc7501, Title};
        let trust = after((Osc7501, Idle, ""), (Blocked, "trust this folder?"));
        assert_eq!(trust, (Notice, Blocked, Some("trust this folder?".into())));
        let question = after((Title, Blocked, "Action Required"), (WaitingForInput, "which color?"));
        assert_eq!(question, (Notice, WaitingForInput, Some("which color?".into())));
        let failed = after((Title, Idle, ""), (Error, "bad request"));
        assert_eq!(failed, (Notice, Error, Some("bad request".into())));
        let queued = after((Title, Idle, ""), (Working, "Queued"));
        assert_eq!(queued, (Notice, Working, Some("Queued".into())));
        assert_eq!(after((Title, Idle, ""), (Working, "")).1, Idle, "what is left of a spinner says nothing");
        assert_eq!(after((Osc7501, Working, ""), (Error, "old")).1, Working);
        assert_eq!(after((Osc7501, Working, ""), (Idle, "")).1, Working);
    }

    #[test]
    fn a_countdown_keeps_its_end() {
        let ending = |millis| {
            let until = Some(fugue_protocol::Timestamp::from_millis(millis));
            vec![Evidence { until, ..Evidence::new(EvidenceSource::Screen, AgentState::Working) }]
        };
        for (next, kept) in [(9_000, 8_000), (10_000, 8_000), (30_000, 30_000)] {
            let mut now = ending(next);
            keep_ends(&ending(8_000), &mut now);
            assert_eq!(now, ending(kept));
        }
    }
}
