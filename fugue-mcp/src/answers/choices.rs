//! What there is, for whoever named something that is not: the next call can be the right one.

use fugue_protocol::refusal::{Hint, Refused};
use fugue_protocol::views::{PaneView, SessionView};

/// More names than this are a list to be asked for.
const MOST: usize = 12;

/// Whether a refusal is better with the choices beside it: something was not found, and nothing is like it.
pub(crate) fn are_wanted(refused: &Refused) -> bool {
    !refused.detail.contains_key("nearest")
        && matches!(
            refused.code.as_str(),
            "session_not_found" | "window_not_found" | "pane_not_found" | "ambiguous_pane"
        )
}

/// The refusal with the choices in its hint.
pub(crate) fn offered(mut refused: Refused, sessions: &[SessionView]) -> Refused {
    let (what, names) = match refused.code.as_str() {
        "session_not_found" => {
            ("sessions", sessions.iter().map(|session| session.name.to_string()).collect())
        }
        "window_not_found" => ("windows", windows(sessions)),
        _ => ("panes", panes(sessions)),
    };
    refused.hints.extend(listed(what, &names).map(Hint::text));
    refused
}

fn windows(sessions: &[SessionView]) -> Vec<String> {
    let of = |session: &SessionView| {
        let name = session.name.clone();
        session.windows.iter().map(move |window| format!("{} in {name}", window.name)).collect::<Vec<_>>()
    };
    sessions.iter().flat_map(of).collect()
}

fn panes(sessions: &[SessionView]) -> Vec<String> {
    let of = |session: &SessionView| {
        let all = session.windows.iter().flat_map(|window| &window.panes);
        all.map(|pane| format!("{} in {}", named(pane), session.name)).collect::<Vec<_>>()
    };
    sessions.iter().flat_map(of).collect()
}

fn named(pane: &PaneView) -> String {
    let name = pane.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    format!("{}{name}", pane.pane_id.short())
}

fn listed(what: &str, names: &[String]) -> Option<String> {
    let more = names.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("{what}: {}{more}", names[..names.len().min(MOST)].join(", ")))
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Refusal;

    use super::*;

    #[test]
    fn what_there_is_stands_behind_the_hint() {
        let session: SessionView = serde_json::from_value(serde_json::json!({
            "session_id": "019a0000-0000-7000-8000-000000000001", "name": "work", "created_at": 0, "tags": [],
            "metadata": {}, "windows": [],
        }))
        .unwrap();
        let refusal = Refusal::SessionNotFound { session: "x".into(), nearest: None };
        let offered = offered(Refused::from(&refusal), &[session]);
        let hint = offered.hint_in(&crate::hints::ToolWords);
        assert_eq!(hint.unwrap(), "`fugue_list_sessions` lists sessions; sessions: work");
    }

    #[test]
    fn a_long_list_ends_with_a_count() {
        let names: Vec<_> = (0..20).map(|number| number.to_string()).collect();
        assert!(listed("panes", &names).unwrap().ends_with("10, 11 and 8 more"));
    }
}
