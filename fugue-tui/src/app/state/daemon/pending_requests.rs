//! Requests that the daemon has not answered: their purpose, and whether typed input waits for the reply.

use std::collections::BTreeMap;

use fugue_protocol::PaneId;
use serde_json::value::RawValue;

use crate::app::state::PopupBox;
use crate::command::verb_traits;

/// The purpose of a request, which decides what happens with its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To know the tree.
    Tree,
    /// To receive events; only a refusal matters.
    Events,
    /// To watch a pane's screen.
    Watch(PaneId),
    /// A person's command.
    Command,
    /// A person wants to read the reply of this verb.
    Read(&'static str),
    /// A person creates a session to switch to.
    NewSession,
    /// A person goes to a window or a pane.
    Go,
    /// To attach to the session; a refusal for lack of rights ends the client.
    Attach,
    /// Housekeeping; a refusal is ignored.
    Quiet,
    /// To know that everything typed before has arrived, because the person goes to another host.
    Leave,
    /// To know the daemon's warnings.
    Status,
    /// To list the messages between agents.
    Messages,
    /// To list the agents, with what they ask.
    Agents,
    /// To renew the list of agents that is open.
    OpenAgents,
    /// To open a popup in this box.
    Popup(PopupBox),
    /// To show the window of a popup; a refusal means that there is none.
    ShowPopup,
    /// A person moves a window to this number.
    MoveWindow(usize),
    /// To list the attached clients.
    Clients,
    /// To type a prompt into an agent's pane.
    Prompt(PaneId),
    /// A part of a paste into a pane.
    Paste(PaneId),
    /// To store copied text.
    StoreBuffer,
    /// To paste a buffer into this pane, or else where the keyboard is.
    PasteBuffer(Option<PaneId>),
    /// To append copied text to a buffer.
    AppendCopied,
    /// To list the paste buffers.
    Buffers,
    /// To remove a paste buffer.
    RemoveBuffer,
    /// To open a pane's history, and then do this.
    History(PaneId, HistoryUse),
    /// To find a text on a pane's screen.
    Find(PaneId),
    /// A step of the running line with this number; whether typed input waits for it.
    Line { number: u64, leads: bool },
}

/// The purpose of a request for a pane's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryUse {
    /// Copy mode, at the cursor.
    CopyMode,
    /// Copy mode, scrolled back by this many rows.
    ScrolledBack(usize),
    /// Copy mode, scrolled by one step of the wheel; it closes at the bottom.
    Wheel,
    /// Selecting what the mouse was dragged over.
    Drag,
    /// Selecting the word at this row and column.
    Word(u16, u16),
    /// Selecting the line at this row and column.
    Line(u16, u16),
    /// Opening it in the person's editor.
    Edit,
}

impl Purpose {
    /// Whether the reply takes the person elsewhere: what is typed after the request is meant for there.
    fn leads(self, verb: &str) -> bool {
        match self {
            Self::Go
            | Self::NewSession
            | Self::Popup(_)
            | Self::Clients
            | Self::Agents
            | Self::Messages
            | Self::Find(_)
            | Self::PasteBuffer(_)
            | Self::AppendCopied
            | Self::Buffers
            | Self::RemoveBuffer
            | Self::History(..) => true,
            Self::Command | Self::MoveWindow(_) => verb_traits::leads_elsewhere(verb),
            Self::Read(verb) => !verb_traits::may_wait(verb),
            Self::Line { leads, .. } => leads && !verb_traits::may_wait(verb),
            Self::Tree
            | Self::Events
            | Self::Watch(_)
            | Self::Attach
            | Self::OpenAgents
            | Self::Quiet
            | Self::Leave
            | Self::Status
            | Self::ShowPopup
            | Self::Prompt(_)
            | Self::StoreBuffer
            | Self::Paste(_) => false,
        }
    }
}

/// A request without a reply.
#[derive(Debug)]
pub(crate) struct PendingRequest {
    pub(crate) purpose: Purpose,
    pub(crate) verb: &'static str,
    pub(crate) args: Box<RawValue>,
    /// Typed input waits for the reply.
    pub(crate) leads: bool,
}

impl PendingRequest {
    pub(crate) fn new(purpose: Purpose, verb: &'static str, args: &RawValue) -> Self {
        Self { purpose, verb, args: args.to_owned(), leads: purpose.leads(verb) }
    }

    /// Whether the reply is due at once. A person's command may take its time, unless it leads elsewhere.
    pub(crate) fn is_due_at_once(&self) -> bool {
        let is_a_commands = matches!(
            self.purpose,
            Purpose::Command | Purpose::Prompt(_) | Purpose::Read(_) | Purpose::Line { .. }
        );
        !is_a_commands || self.leads
    }
}

/// The pending requests by their ids. There are as many as a person's keys and the visible panes lead to: keys wait
/// behind requests that lead elsewhere.
#[derive(Debug, Default)]
pub(crate) struct PendingReplies {
    open: BTreeMap<u64, PendingRequest>,
    /// Requests that never reached a daemon that died, for the next one.
    resend: Vec<PendingRequest>,
}

impl PendingReplies {
    pub(crate) fn insert(&mut self, id: u64, request: PendingRequest) {
        self.open.insert(id, request);
    }

    pub(crate) fn take(&mut self, id: u64) -> Option<PendingRequest> {
        self.open.remove(&id)
    }

    pub(crate) fn contains(&self, id: u64) -> bool {
        self.open.contains_key(&id)
    }

    pub(crate) fn any(&self, is: impl Fn(&PendingRequest) -> bool) -> bool {
        self.open.values().any(is)
    }

    pub(crate) fn newest(&self, purpose: Purpose) -> Option<u64> {
        self.open.iter().rev().find(|(_, request)| request.purpose == purpose).map(|(id, _)| *id)
    }

    /// Makes typed input wait for none of them.
    pub(crate) fn stop_leading(&mut self) {
        self.open.values_mut().for_each(|request| request.leads = false);
    }

    pub(crate) fn has_unsent(&self) -> bool {
        !self.resend.is_empty()
    }

    /// Handles the loss of the daemon. A person's request that certainly never reached it is kept for the next daemon.
    /// Of the others, returns the verb of the last one: nobody knows whether it was done.
    pub(crate) fn connection_lost(&mut self, never_sent: impl Fn(u64) -> bool) -> Option<&'static str> {
        let mut unanswered = None;
        for (id, request) in std::mem::take(&mut self.open) {
            // A line ends with the daemon: what it asks next would be about what was there.
            if matches!(request.purpose, Purpose::Line { .. }) {
                continue;
            }
            match request.leads || request.purpose == Purpose::Command {
                true if never_sent(id) => self.resend.push(request),
                true => unanswered = Some(request.verb),
                false => {}
            }
        }
        unanswered
    }

    pub(crate) fn take_unsent(&mut self) -> Vec<PendingRequest> {
        std::mem::take(&mut self.resend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(purpose: Purpose, verb: &'static str) -> PendingRequest {
        PendingRequest::new(purpose, verb, &serde_json::value::to_raw_value(&()).expect("null"))
    }

    #[test]
    fn a_request_that_was_never_sent_is_sent_again_and_a_doubtful_one_is_reported() {
        let mut requests = PendingReplies::default();
        requests.insert(1, request(Purpose::Command, "create-window"));
        requests.insert(2, request(Purpose::Tree, "list-sessions"));
        requests.insert(3, request(Purpose::Go, "select-window"));
        assert_eq!(requests.connection_lost(|id| id > 1), Some("create-window"));
        let again: Vec<_> = requests.take_unsent().into_iter().map(|request| request.verb).collect();
        assert_eq!(again, ["select-window"]);
        assert!(!requests.has_unsent() && !requests.any(|_| true));
    }

    #[test]
    fn keys_wait_for_requests_that_lead_elsewhere_and_for_no_others() {
        let leads = |purpose, verb| request(purpose, verb).leads;
        assert!(leads(Purpose::Command, "create-pane") && leads(Purpose::Messages, "list-messages"));
        assert!(!leads(Purpose::Command, "run") && !leads(Purpose::Command, "resize-pane"), "may take long");
        assert!(leads(Purpose::Read("list-panes"), "list-panes") && !leads(Purpose::Read("wait"), "wait"));
        assert!(
            !leads(Purpose::Paste(PaneId::from_bytes([1; 16])), "send-input")
                && !leads(Purpose::Tree, "list-sessions")
        );
    }
}
