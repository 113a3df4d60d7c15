//! What the daemon was asked and has not answered: why, and whether the person is elsewhere when it has.

use std::collections::BTreeMap;

use fugue_protocol::{PaneId, Size};
use serde_json::value::RawValue;

use crate::command;

/// Purpose something was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To know the tree.
    Tree,
    /// To be told things: only a refusal matters.
    Listen,
    /// To see a pane.
    Watch(PaneId),
    /// A person wants it.
    Command,
    /// A person wants to read what this verb answers.
    Read(&'static str),
    /// A person makes a session to be in.
    Arrive,
    /// A person goes to a window or a pane.
    Go,
    /// Housekeeping; if it is refused, so be it.
    Quiet,
    /// To know what the daemon complains about.
    Status,
    /// To show what agents wrote each other.
    Messages,
    /// To open a popup with so much room.
    Popup(Size),
    /// To show who looks on.
    Clients,
    /// A part of a paste.
    Paste,
    /// To look back in a pane, and then to do this.
    Past(PaneId, Then),
}

/// What is done with a pane's past when it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Look at it, from where the cursor is.
    Look,
    /// Go back by so many rows.
    Back(usize),
    /// Go back as the wheel does, and close at the bottom.
    Wheel,
    /// Select what the mouse was dragged over.
    Drag,
    /// Select the word at this row and column.
    Word(u16, u16),
    /// Select the line there.
    Line(u16, u16),
    /// Open it in the person's editor.
    Edit,
}

impl Purpose {
    /// Whether the answer takes the person elsewhere: what is typed behind it is meant for there.
    fn leads(self, verb: &str) -> bool {
        match self {
            Self::Go | Self::Arrive | Self::Popup(_) | Self::Clients | Self::Messages | Self::Past(..) => {
                true
            }
            Self::Command => command::LEADS.contains(&verb),
            Self::Read(verb) => !command::WAITS.contains(&verb),
            Self::Tree | Self::Listen | Self::Watch(_) | Self::Quiet | Self::Status | Self::Paste => false,
        }
    }
}

/// A question.
#[derive(Debug)]
pub(super) struct PendingRequest {
    pub(super) why: Purpose,
    pub(super) verb: &'static str,
    pub(super) args: Box<RawValue>,
    /// What is typed waits for the answer.
    pub(super) leads: bool,
}

impl PendingRequest {
    pub(super) fn new(why: Purpose, verb: &'static str, args: &RawValue) -> Self {
        Self { why, verb, args: args.to_owned(), leads: why.leads(verb) }
    }
}

impl PendingRequest {
    /// Whether the answer is due at once. What a person asked for may take its time, unless it leads elsewhere.
    pub(super) fn is_owed(&self) -> bool {
        !matches!(self.why, Purpose::Command | Purpose::Read(_)) || self.leads
    }
}

/// The questions, by their ids. As many as a person's keys and what is seen lead to: keys wait behind those that lead.
#[derive(Debug, Default)]
pub(super) struct PendingRequests {
    open: BTreeMap<u64, PendingRequest>,
    /// Those that never reached a daemon that died, for the next one.
    again: Vec<PendingRequest>,
}

impl PendingRequests {
    pub(super) fn put(&mut self, id: u64, asked: PendingRequest) {
        self.open.insert(id, asked);
    }

    pub(super) fn take(&mut self, id: u64) -> Option<PendingRequest> {
        self.open.remove(&id)
    }

    pub(super) fn has(&self, id: u64) -> bool {
        self.open.contains_key(&id)
    }

    pub(super) fn any(&self, is: impl Fn(&PendingRequest) -> bool) -> bool {
        self.open.values().any(is)
    }

    pub(super) fn newest(&self, why: Purpose) -> Option<u64> {
        self.open.iter().rev().find(|(_, asked)| asked.why == why).map(|(id, _)| *id)
    }

    pub(super) fn lead_no_more(&mut self) {
        self.open.values_mut().for_each(|asked| asked.leads = false);
    }

    pub(super) fn waits_for_a_daemon(&self) -> bool {
        !self.again.is_empty()
    }

    /// The daemon is gone. What a person wants and what certainly never reached it is asked again; of the rest the name
    /// of what was asked last is given: whether it was done, nobody knows.
    pub(super) fn lost(&mut self, never_sent: impl Fn(u64) -> bool) -> Option<&'static str> {
        let mut unanswered = None;
        for (id, asked) in std::mem::take(&mut self.open) {
            match asked.leads || asked.why == Purpose::Command {
                true if never_sent(id) => self.again.push(asked),
                true => unanswered = Some(asked.verb),
                false => {}
            }
        }
        unanswered
    }

    pub(super) fn again(&mut self) -> Vec<PendingRequest> {
        std::mem::take(&mut self.again)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(why: Purpose, verb: &'static str) -> PendingRequest {
        PendingRequest::new(why, verb, &serde_json::value::to_raw_value(&()).expect("null"))
    }

    #[test]
    fn what_never_left_is_asked_again_and_what_may_be_done_is_told() {
        let mut questions = PendingRequests::default();
        questions.put(1, asked(Purpose::Command, "create-window"));
        questions.put(2, asked(Purpose::Tree, "list-sessions"));
        questions.put(3, asked(Purpose::Go, "select-window"));
        assert_eq!(questions.lost(|id| id > 1), Some("create-window"));
        let again: Vec<_> = questions.again().into_iter().map(|asked| asked.verb).collect();
        assert_eq!(again, ["select-window"]);
        assert!(!questions.waits_for_a_daemon() && !questions.any(|_| true));
    }

    #[test]
    fn keys_wait_for_what_leads_elsewhere_and_for_nothing_else() {
        let leads = |why, verb| asked(why, verb).leads;
        assert!(leads(Purpose::Command, "create-pane") && leads(Purpose::Messages, "list-messages"));
        assert!(
            !leads(Purpose::Command, "run") && !leads(Purpose::Command, "resize-pane"),
            "these may take long"
        );
        assert!(leads(Purpose::Read("list-panes"), "list-panes") && !leads(Purpose::Read("wait"), "wait"));
        assert!(!leads(Purpose::Paste, "send-input") && !leads(Purpose::Tree, "list-sessions"));
    }
}
