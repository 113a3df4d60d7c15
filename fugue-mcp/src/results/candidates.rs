//! The sessions, windows or panes that exist, added to a refusal that says one was not found, so that the next call can be
//! the right one.

use fugue_protocol::refusal::{Hint, Refused};
use fugue_protocol::views::{PaneView, SessionView};

/// The most names to list.
const MAX_NAMES: usize = 12;

/// Whether a list of candidates improves a refusal: something was not found, and nothing has a similar name.
pub(crate) fn are_useful(refused: &Refused) -> bool {
    !refused.detail.contains_key("nearest")
        && matches!(
            refused.code.as_str(),
            "session_not_found" | "window_not_found" | "pane_not_found" | "ambiguous_pane"
        )
}

/// Adds the candidates to the hints of a refusal.
pub(crate) fn add(mut refused: Refused, sessions: &[SessionView]) -> Refused {
    let (kind, names) = match refused.code.as_str() {
        "session_not_found" => {
            ("sessions", sessions.iter().map(|session| session.name.to_string()).collect())
        }
        "window_not_found" => ("windows", windows(sessions)),
        _ => ("panes", panes(sessions)),
    };
    refused.hints.extend(list(kind, &names).map(Hint::text));
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
        all.map(|pane| format!("{} in {}", label(pane), session.name)).collect::<Vec<_>>()
    };
    sessions.iter().flat_map(of).collect()
}

fn label(pane: &PaneView) -> String {
    let name = pane.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    format!("{}{name}", pane.pane_id.short())
}

fn list(kind: &str, names: &[String]) -> Option<String> {
    let more = names.len().saturating_sub(MAX_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("{kind}: {}{more}", names[..names.len().min(MAX_NAMES)].join(", ")))
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Refusal;

    use super::*;
    use crate::hints::ToolWords;

    #[test]
    fn candidates_follow_the_hint() {
        let session: SessionView = serde_json::from_value(serde_json::json!({
            "session_id": "019a0000-0000-7000-8000-000000000001", "name": "work", "created_at": 0, "tags": [],
            "metadata": {}, "windows": [],
        }))
        .unwrap();
        let refusal = Refusal::SessionNotFound { session: "x".into(), nearest: None };
        let hint = add(Refused::from(&refusal), &[session]).hint_in(&ToolWords).unwrap();
        assert_eq!(hint, "`fugue_list_sessions` lists sessions; sessions: work");
    }

    #[test]
    fn a_long_list_ends_with_a_count() {
        let names: Vec<_> = (0..20).map(|number| number.to_string()).collect();
        assert!(list("panes", &names).unwrap().ends_with("10, 11 and 8 more"));
    }
}
