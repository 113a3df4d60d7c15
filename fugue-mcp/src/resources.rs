//! Resources: the tree of sessions, and each pane's screen, by their addresses.

use fugue_protocol::views::PaneView;
use percent_encoding::percent_decode_str;
use rmcp::model::{Resource, ResourceTemplate};

/// Everything there is, as JSON.
pub(crate) const SESSIONS: &str = "fugue://sessions";

/// The messages sent to the caller, as JSON.
pub(crate) const INBOX: &str = "fugue://inbox";

const PANES: &str = "fugue://panes/";

/// What an address names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// The tree of sessions.
    Sessions,
    /// The caller's inbox.
    Inbox,
    /// A pane, by id, name or last digits.
    Pane(String),
}

impl Address {
    /// Reads an address; nothing when it names nothing of ours.
    pub(crate) fn read(uri: &str) -> Option<Self> {
        match uri.strip_prefix(PANES) {
            _ if uri == SESSIONS => Some(Self::Sessions),
            _ if uri == INBOX => Some(Self::Inbox),
            Some(pane) if !pane.is_empty() => Some(Self::Pane(percent_decode_str(pane).decode_utf8_lossy().into_owned())),
            _ => None,
        }
    }
}

/// A pane as a resource.
pub(crate) fn pane(pane: &PaneView) -> Resource {
    let name = pane.name.as_ref().map_or_else(|| pane.pane_id.short(), ToString::to_string);
    let runs = format!("Screen of the pane that runs {}", pane.command);
    Resource::new(format!("{PANES}{}", pane.pane_id), name)
        .with_description(runs)
        .with_mime_type("text/plain")
}

/// The tree as a resource.
pub(crate) fn sessions() -> Resource {
    let says = "All sessions with their windows and panes";
    Resource::new(SESSIONS, "sessions").with_description(says).with_mime_type("application/json")
}

/// The inbox as a resource.
pub(crate) fn inbox() -> Resource {
    let says =
        "Messages sent to this agent that it has not acknowledged; fugue_poll_messages acknowledges them";
    Resource::new(INBOX, "inbox").with_description(says).with_mime_type("application/json")
}

/// How to address a pane.
pub(crate) fn template() -> ResourceTemplate {
    let says = "The screen of a pane as text; the pane by id, by name, or by the last digits of its id";
    ResourceTemplate::new(format!("{PANES}{{pane}}"), "pane")
        .with_description(says)
        .with_mime_type("text/plain")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_the_tree_or_a_pane_and_nothing_else() {
        assert_eq!(Address::read("fugue://sessions"), Some(Address::Sessions));
        assert_eq!(Address::read("fugue://inbox"), Some(Address::Inbox));
        assert_eq!(Address::read("fugue://panes/my%20pane%"), Some(Address::Pane("my pane%".into())));
        for other in ["fugue://panes/", "fugue://panes", "file:///etc/passwd", "fugue://inbox/"] {
            assert_eq!(Address::read(other), None, "{other}");
        }
    }
}
