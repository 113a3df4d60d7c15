//! Telling a person who looks elsewhere: the outer terminal shows a notification, and rings. Never for the pane that is
//! looked at, and never for one that was muted.

use fugue_protocol::PaneId;
use fugue_protocol::agents::{AgentState, AgentView};

use fugue_protocol::verbs::{MutePane, PaneChoice};

use super::App;
use super::daemon::Purpose;
use crate::agents;

/// How a terminal is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotificationProtocol {
    Osc9,
    Osc99,
    Osc777,
}

impl NotificationProtocol {
    /// The way that a terminal of this kind understands; most understand the first.
    pub(super) fn of(term: &str, program: &str) -> Self {
        let is = |name: &str| term.contains(name) || program.eq_ignore_ascii_case(name);
        match () {
            () if is("kitty") => Self::Osc99,
            () if is("rxvt") || is("foot") || is("ghostty") || is("wezterm") => Self::Osc777,
            () => Self::Osc9,
        }
    }

    fn sequence(self, title: &str, body: &str) -> String {
        let plain = |text: &str| text.chars().filter(|c| !c.is_control()).take(200).collect::<String>();
        let (title, body) = (plain(title), plain(body));
        match self {
            Self::Osc9 => format!("\x1b]9;{title}: {body}\x1b\\"),
            Self::Osc99 => format!("\x1b]99;i=fugue:d=0;{title}\x1b\\\x1b]99;i=fugue:p=body;{body}\x1b\\"),
            // A semicolon ends the title.
            Self::Osc777 => format!("\x1b]777;notify;{};{body}\x1b\\", title.replace(';', ",")),
        }
    }
}

impl App {
    /// Whether a person looks at this pane now.
    fn is_looked_at(&self, pane: PaneId) -> bool {
        self.focused && self.layer.is_none() && self.tree.pane().is_some_and(|seen| seen.pane_id == pane)
    }

    /// A program asks for a person's eye.
    pub(super) fn call(&mut self, pane: PaneId, title: &str, body: &str) {
        let muted = self.tree.find_pane(pane).is_some_and(|view| view.muted);
        if self.is_looked_at(pane) || muted {
            return;
        }
        let shown = if self.config.notify && !body.is_empty() {
            NotificationProtocol::of(&super::variable("TERM"), &super::variable("TERM_PROGRAM"))
                .sequence(title, body)
        } else {
            String::new()
        };
        let bell = if self.config.bell { "\x07" } else { "" };
        let _ = self.output.put(format!("{shown}{bell}").as_bytes());
        self.tree.alerts.insert(pane);
        self.dirty = true;
    }

    /// An agent is doing otherwise than before.
    pub(super) fn agent_changed(&mut self, pane: PaneId, agent: Option<AgentView>) {
        let before = self.tree.find_pane(pane).and_then(|pane| pane.agent.as_ref()).map(|agent| agent.state);
        self.tree.set_agent(pane, agent.clone());
        self.dirty = true;
        let Some(agent) = agent.filter(|agent| before != Some(agent.state)) else { return };
        let news = match agent.state {
            AgentState::Blocked | AgentState::WaitingForInput | AgentState::Error => true,
            AgentState::Complete => before == Some(AgentState::Working),
            _ => false,
        };
        if news {
            let view = self.tree.find_pane(pane);
            let who = view.map_or_else(|| agent.name.clone(), |view| agents::name_of(&agent, view));
            let session = view.and_then(|view| self.tree.find_session(view.session_id));
            let place = session.map(|session| format!(" in {}", session.name)).unwrap_or_default();
            let why = agent.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            let body = format!("{}{why}", agents::words(agent.state));
            self.call(pane, &format!("{who}{place}"), &body);
        }
    }

    /// No more notifications of the active pane, or again.
    pub(super) fn mute(&mut self) {
        let Some((pane, off)) = self.tree.pane().map(|pane| (pane.pane_id, pane.muted)) else { return };
        if self.options.read_only {
            return self.only_watches();
        }
        self.daemon.ask(Purpose::Command, &MutePane { choice: PaneChoice::of(pane), off });
        self.say(match off {
            true => " this pane may call you again",
            false => " this pane is muted: it no longer calls you",
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_in_the_way_it_understands() {
        assert_eq!(NotificationProtocol::of("xterm-kitty", ""), NotificationProtocol::Osc99);
        assert_eq!(NotificationProtocol::of("xterm-256color", "WezTerm"), NotificationProtocol::Osc777);
        assert_eq!(NotificationProtocol::of("xterm-256color", "iTerm.app"), NotificationProtocol::Osc9);
        assert_eq!(
            NotificationProtocol::Osc9.sequence("claude", "is\x1b blocked"),
            "\x1b]9;claude: is blocked\x1b\\"
        );
        assert_eq!(NotificationProtocol::Osc777.sequence("a;b", "c"), "\x1b]777;notify;a,b;c\x1b\\");
    }
}
