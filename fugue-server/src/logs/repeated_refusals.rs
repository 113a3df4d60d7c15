//! Refusals that a caller causes over and over: the first is recorded as it happens, the others as a count, so that no
//! caller can rotate the records of others out of the audit log.

use std::collections::BTreeMap;

use fugue_core::scope::AuditEntry;
use fugue_protocol::{PaneId, Timestamp};

/// The time after which the first count is recorded. It doubles with each count, as long as the refusals go on.
const FIRST_WINDOW_MS: u64 = 60_000;

/// The longest time between two counts.
const LAST_WINDOW_MS: u64 = 24 * 60 * 60_000;

/// The time without a refusal after which the next one is recorded as a first one again.
const FORGOTTEN_AFTER_MS: u64 = 60 * 60_000;

/// Callers and verbs that are counted separately; further ones share a count.
const MAX_COUNTED: usize = 512;

/// A caller and verb. A caller is known by its pane and by how it was identified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RefusedCall {
    verb: &'static str,
    known_by: &'static str,
    pane: Option<PaneId>,
}

impl RefusedCall {
    const OTHERS: Self = Self { verb: "", known_by: "", pane: None };

    fn of(entry: &AuditEntry) -> Self {
        Self { verb: entry.verb, known_by: entry.caller.known_by(), pane: entry.caller.pane() }
    }
}

/// A refusal with the time and the process of the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedRefusal {
    pub(crate) at: Timestamp,
    pub(crate) pid: Option<u32>,
    pub(crate) entry: AuditEntry,
}

/// The refusals that were not recorded one by one.
#[derive(Debug, Default)]
pub(crate) struct RepeatedRefusals(BTreeMap<RefusedCall, Repeats>);

#[derive(Debug)]
struct Repeats {
    /// The refusals since the last count was recorded.
    count: u64,
    latest: RecordedRefusal,
    window_ms: u64,
    /// When the count is recorded, or the caller forgotten if there was none.
    due: Timestamp,
}

impl RepeatedRefusals {
    /// Counts a refusal. Returns whether it is the first one, which is to be recorded itself.
    pub(crate) fn is_first(&mut self, refusal: RecordedRefusal) -> bool {
        let own = RefusedCall::of(&refusal.entry);
        let is_separate = self.0.contains_key(&own) || self.0.len() < MAX_COUNTED;
        let call = if is_separate { own } else { RefusedCall::OTHERS };
        let at = refusal.at;
        let Some(repeats) = self.0.get_mut(&call) else {
            let (window_ms, due) = (FIRST_WINDOW_MS, later(at, FIRST_WINDOW_MS));
            self.0.insert(call, Repeats { count: 0, latest: refusal, window_ms, due });
            return true;
        };
        if repeats.count == 0 {
            repeats.due = repeats.due.min(later(at, repeats.window_ms));
        }
        repeats.count += 1;
        repeats.latest = refusal;
        false
    }

    /// Takes the counts that are due, each with the latest refusal.
    pub(crate) fn take_due(&mut self, now: Timestamp) -> Vec<(u64, RecordedRefusal)> {
        let mut counts = Vec::new();
        self.0.retain(|_, repeats| repeats.due > now || repeats.take(now, &mut counts));
        counts
    }

    /// Takes all counts, whether due or not.
    pub(crate) fn take_all(&mut self) -> Vec<(u64, RecordedRefusal)> {
        let all = std::mem::take(&mut self.0).into_values();
        all.filter(|repeats| repeats.count > 0).map(|repeats| (repeats.count, repeats.latest)).collect()
    }

    /// The time at which the next count is due.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        self.0.values().map(|repeats| repeats.due).min()
    }
}

impl Repeats {
    /// Takes the count. Returns whether the caller is still to be counted.
    fn take(&mut self, now: Timestamp, counts: &mut Vec<(u64, RecordedRefusal)>) -> bool {
        if self.count == 0 {
            self.due = later(self.latest.at, FORGOTTEN_AFTER_MS);
            return self.due > now;
        }
        counts.push((std::mem::take(&mut self.count), self.latest.clone()));
        self.window_ms = (2 * self.window_ms).min(LAST_WINDOW_MS);
        self.due = later(now, self.window_ms);
        true
    }
}

fn later(at: Timestamp, ms: u64) -> Timestamp {
    Timestamp::from_millis(at.millis() + ms)
}

#[cfg(test)]
mod tests {
    use fugue_core::Caller;

    use super::*;

    const MINUTE: u64 = 60_000;
    const NONE: [u64; 0] = [];

    fn refusal(verb: &'static str, at: u64) -> RecordedRefusal {
        let refusal = Some("not allowed".into());
        let entry = AuditEntry {
            verb,
            caller: Caller::Agent(fugue_core::KeySpace::default()),
            session: None,
            touched: Vec::new(),
            detail: None,
            refusal,
        };
        RecordedRefusal { at: Timestamp::from_millis(at), pid: None, entry }
    }

    fn counts(repeats: &mut RepeatedRefusals, at: u64) -> Vec<u64> {
        repeats.take_due(Timestamp::from_millis(at)).into_iter().map(|(count, _)| count).collect()
    }

    #[test]
    fn the_first_refusal_of_a_verb_is_recorded_and_the_others_as_a_count_less_and_less_often() {
        let mut repeats = RepeatedRefusals::default();
        assert!(repeats.is_first(refusal("kill-session", 0)));
        assert!(repeats.is_first(refusal("send-input", 0)), "another verb");
        assert!((0..100).all(|at| !repeats.is_first(refusal("kill-session", at))));
        assert_eq!(counts(&mut repeats, MINUTE - 1), NONE);
        assert_eq!(counts(&mut repeats, MINUTE), [100]);
        assert!(!repeats.is_first(refusal("kill-session", MINUTE)));
        assert_eq!(counts(&mut repeats, 2 * MINUTE), NONE, "the next window is twice as long");
        assert_eq!(counts(&mut repeats, 3 * MINUTE), [1]);
        assert_eq!(repeats.take_all(), []);
    }

    #[test]
    fn after_an_hour_without_refusals_the_next_one_is_recorded_as_a_first_one() {
        let mut repeats = RepeatedRefusals::default();
        assert!(repeats.is_first(refusal("kill-session", 0)));
        assert_eq!(counts(&mut repeats, MINUTE), NONE);
        assert!(!repeats.is_first(refusal("kill-session", 2 * MINUTE)));
        assert_eq!(counts(&mut repeats, 3 * MINUTE), [1], "the count does not wait for the hour");
        let mut at = 3 * MINUTE;
        while let Some(due) = repeats.next_due() {
            at = due.millis();
            assert_eq!(counts(&mut repeats, at), NONE);
        }
        assert_eq!(at, 62 * MINUTE);
        assert!(repeats.is_first(refusal("kill-session", at)));
    }
}
