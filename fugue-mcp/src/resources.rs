//! Resources and their URIs: the session tree, the caller's inbox, and the screen of each pane.

use fugue_protocol::escape::quoted;
use fugue_protocol::views::PaneView;
use percent_encoding::percent_decode_str;
use rmcp::model::{ErrorData, Resource, ResourceTemplate};
use serde_json::json;

const SESSIONS: &str = "fugue://sessions";
const INBOX: &str = "fugue://inbox";
const PANES: &str = "fugue://panes/";

/// A parsed resource URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResourceUri {
    /// All sessions with their windows and panes.
    Sessions,
    /// The caller's inbox.
    Inbox,
    /// A pane, by id, name or the last digits of its id.
    Pane(String),
}

impl ResourceUri {
    /// Parses a URI; `None` if it names no resource of this server.
    pub(crate) fn parse(uri: &str) -> Option<Self> {
        match uri.strip_prefix(PANES) {
            _ if uri == SESSIONS => Some(Self::Sessions),
            _ if uri == INBOX => Some(Self::Inbox),
            Some(pane) if !pane.is_empty() => {
                Some(Self::Pane(percent_decode_str(pane).decode_utf8_lossy().into_owned()))
            }
            _ => None,
        }
    }
}

/// The error for a URI that names no resource.
pub(crate) fn not_found(uri: &str) -> ErrorData {
    let uri = quoted(uri);
    ErrorData::resource_not_found(format!("Resource not found: {uri}"), Some(json!({ "uri": uri })))
}

/// A pane as a resource.
pub(crate) fn pane(pane: &PaneView) -> Resource {
    let name = pane.name.as_ref().map_or_else(|| pane.pane_id.short(), ToString::to_string);
    Resource::new(format!("{PANES}{}", pane.pane_id), name)
        .with_description(format!("Screen of the pane running {}", pane.command))
        .with_mime_type("text/plain")
}

/// The session tree as a resource.
pub(crate) fn sessions() -> Resource {
    let description = "All sessions with their windows and panes";
    Resource::new(SESSIONS, "sessions")
        .with_title("Sessions")
        .with_description(description)
        .with_mime_type("application/json")
}

/// The inbox as a resource.
pub(crate) fn inbox() -> Resource {
    let description = "Unacknowledged messages for this agent; fugue_poll_messages acknowledges them";
    Resource::new(INBOX, "inbox")
        .with_title("Inbox")
        .with_description(description)
        .with_mime_type("application/json")
}

/// The URI template for panes.
pub(crate) fn template() -> ResourceTemplate {
    let description =
        "A pane's screen as text. Specify the pane by its id, the last digits of its id, or its name";
    ResourceTemplate::new(format!("{PANES}{{pane}}"), "pane")
        .with_title("Pane")
        .with_description(description)
        .with_mime_type("text/plain")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_the_session_tree_the_inbox_or_a_pane() {
        assert_eq!(ResourceUri::parse("fugue://sessions"), Some(ResourceUri::Sessions));
        assert_eq!(ResourceUri::parse("fugue://inbox"), Some(ResourceUri::Inbox));
        assert_eq!(
            ResourceUri::parse("fugue://panes/my%20pane%"),
            Some(ResourceUri::Pane("my pane%".into()))
        );
        for other in ["fugue://panes/", "fugue://panes", "file:///etc/passwd", "fugue://inbox/"] {
            assert_eq!(ResourceUri::parse(other), None, "{other}");
        }
    }
}
