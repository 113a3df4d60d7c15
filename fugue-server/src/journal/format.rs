//! The version of the journal's format, by which a daemon that is too old for a journal recognizes it.
//!
//! Format 4 has the same tables and records as format 3. It says that the journal has events that fugue 0.1.0 did not
//! know: that version took an event that it did not know for damage and discarded the journal, and it refuses to start
//! with a newer format. So the format is raised when the first such event is stored. Later versions keep what they do
//! not know (`fugue_core::World::newer`), and need no new format for it.

/// The newest format that this version reads.
pub(super) const FORMAT: i64 = 4;

/// The format of a journal that fugue 0.1.0 can read.
pub(super) const FIRST_SHARED: i64 = 3;

/// The format that a journal with this event needs at least.
pub(super) fn of_event(body: &str) -> i64 {
    let name = body.strip_prefix(r#"{"event":""#).and_then(|rest| rest.split('"').next());
    if name.is_some_and(|name| !EVENTS_OF_FORMAT_3.contains(&name)) { FORMAT } else { FIRST_SHARED }
}

/// The events that fugue 0.1.0 knew. New ones are not added here.
const EVENTS_OF_FORMAT_3: &[&str] = &[
    "session_created",
    "session_renamed",
    "session_closed",
    "session_governed",
    "session_selected",
    "tags_changed",
    "metadata_changed",
    "environment_changed",
    "global_environment_changed",
    "worktree_created",
    "worktree_removed",
    "window_opened",
    "window_renamed",
    "window_closed",
    "window_selected",
    "window_moved",
    "window_resized",
    "layout_changed",
    "preset_applied",
    "popup_shown",
    "zoom_changed",
    "pane_opened",
    "pane_numbered",
    "pane_moved",
    "pane_governed",
    "pane_focused",
    "pane_renamed",
    "pane_muted",
    "pane_titled",
    "pane_went_to",
    "foreground_changed",
    "command_ended",
    "pane_exited",
    "pane_lost",
    "pane_respawned",
    "pane_closed",
    "client_attached",
    "client_left",
    "client_detached",
    "client_commanded",
    "pane_rang",
    "pane_activity",
    "numbered_from",
    "pane_notified",
    "agent_seen",
    "agent_reported",
    "agent_state_changed",
    "dialog_changed",
    "pane_located",
    "pane_lent",
    "pane_runs_once",
    "pane_noted",
    "conversation_reported",
    "survivors_found",
    "run_started",
    "message_sent",
    "messages_offered",
    "push_started",
    "push_lapsed",
    "messages_read",
    "messages_relayed",
    "receipts_missed",
    "recipients_found",
    "receipts_arrived",
    "receipts_relayed",
    "messages_expired",
    "messages_dead_lettered",
    "messages_forgotten",
    "subscription_changed",
    "lease_claimed",
    "lease_ended",
    "warning_raised",
    "warnings_dismissed",
    "waited_in_circle",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_event_that_the_first_version_did_not_know_raises_the_format() {
        assert_eq!(of_event(r#"{"event":"session_closed","session":"x"}"#), 3);
        assert_eq!(of_event(r#"{"event":"warnings_dismissed"}"#), 3);
        assert_eq!(of_event(r#"{"event":"session_marked","session":"x"}"#), 4);
    }
}
