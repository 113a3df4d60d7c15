//! Notifications for a person who looks elsewhere: the outer terminal shows one and rings. Never for the pane that has
//! the person's attention, and never for a muted one.

use fugue_config::ActivityAction;
use fugue_protocol::PaneId;
use fugue_protocol::agents::{AgentState, AgentView};
use fugue_protocol::events::ActivityKind;
use fugue_protocol::verbs::{MutePane, PaneChoice};
use unicode_width::UnicodeWidthStr;

use super::App;
use super::state::daemon::Purpose;
use crate::agents;
use crate::text_wrap::shortened;

/// The sequence with which a terminal is asked to show a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NotificationProtocol {
    Osc9,
    Osc99,
    Osc777,
}

impl NotificationProtocol {
    /// The protocol that a terminal of this kind understands; most understand OSC 9.
    fn of(term: &str, program: &str) -> Self {
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
            Self::Osc9 => format!("\x1b]9;{}\x1b\\", without_subcommand(&format!("{title}: {body}"))),
            Self::Osc99 => format!("\x1b]99;i=fugue:d=0;{title}\x1b\\\x1b]99;i=fugue:p=body;{body}\x1b\\"),
            // A semicolon ends the title.
            Self::Osc777 => format!("\x1b]777;notify;{};{body}\x1b\\", title.replace(';', ",")),
        }
    }
}

/// The text of a notification by OSC 9. A number before a semicolon, or alone, would be another command of some terminals:
/// a progress bar, a directory, a pause.
fn without_subcommand(text: &str) -> String {
    let plain = text.replace(';', ",");
    if plain.trim_start().starts_with(|c: char| c.is_numeric()) { format!("“{plain}”") } else { plain }
}

/// Whether a person wants to know about an agent's new state.
fn is_news(before: Option<AgentState>, now: AgentState) -> bool {
    match now {
        AgentState::Blocked | AgentState::WaitingForInput | AgentState::Error => true,
        AgentState::Complete => before == Some(AgentState::Working),
        _ => false,
    }
}

impl App {
    /// Whether a person looks at this pane now.
    fn has_attention(&self, pane: PaneId) -> bool {
        self.display.focused
            && self.overlays.current.is_none()
            && self.tree.pane().is_some_and(|seen| seen.pane_id == pane)
    }

    /// Notifies the person about a pane.
    pub(super) fn notify(&mut self, pane: PaneId, title: &str, body: &str) {
        let muted = self.tree.find_pane_anywhere(pane).is_some_and(|view| view.muted);
        if self.has_attention(pane) || muted {
            return;
        }
        if self.config.settings.notify && !body.is_empty() {
            let (term, program) = (super::env_var("TERM"), super::env_var("TERM_PROGRAM"));
            self.display.send(&NotificationProtocol::of(&term, &program).sequence(title, body));
        }
        if self.config.settings.bell {
            self.display.send("\x07");
        }
        // The window on the screen needs no mark, even while the person looks elsewhere.
        if !self.tree.visible_panes().iter().any(|visible| visible.pane_id == pane) {
            self.tree.alerts.insert(pane);
        }
        self.display.redraw();
    }

    /// Marks a window that is not shown, because something happened in it, and says so if the person wants to know.
    pub(super) fn activity_seen(&mut self, pane: PaneId, kind: ActivityKind) {
        let Some(view) = self.tree.find_pane(pane) else { return };
        let (window, session) = (view.window_id, view.session_id);
        let is_shown = self.tree.window().is_some_and(|shown| shown.window_id == window);
        if is_shown || self.tree.activity.insert(window, kind) == Some(kind) {
            return;
        }
        self.display.redraw();
        if session != self.tree.here {
            return;
        }
        let name = self.tree.find_window(window).map(|window| format!("{}:{}", window.index, window.name));
        let what = match kind {
            ActivityKind::Output => "Activity",
            ActivityKind::Silence => "Silence",
        };
        match self.config.settings.activity_action {
            ActivityAction::Mark => {}
            ActivityAction::Message => self.say(format!("{what} in window {}", name.unwrap_or_default())),
            ActivityAction::Bell => self.display.send("\x07"),
        }
    }

    /// Shows the new state of an agent on a host.
    pub(super) fn agent_changed(&mut self, host: Option<&str>, pane: PaneId, agent: Option<AgentView>) {
        let view = self.tree.find_pane_on(host, pane);
        let is_elsewhere = host != self.tree.host.as_deref();
        if is_elsewhere && (view.is_none() || self.tree.find_pane(pane).is_some()) {
            // Another host does not speak for a pane that it has not listed, nor for one with the id of a pane here.
            return;
        }
        let before = view.and_then(|pane| pane.agent.as_ref()).map(|agent| agent.state);
        if !is_elsewhere {
            let is_seen = self.tree.visible_panes().iter().any(|visible| visible.pane_id == pane);
            self.tree.note_turn(pane, agent.as_ref().map(|agent| agent.state), is_seen);
        }
        self.tree.set_agent(host, pane, agent);
        let agent = self.tree.find_pane_on(host, pane).and_then(|pane| pane.agent.clone());
        self.display.redraw();
        if self.update_sidebar() {
            self.sync_views();
        }
        let Some(agent) = agent.filter(|agent| before != Some(agent.state)) else { return };
        if is_news(before, agent.state) {
            let view = self.tree.find_pane_on(host, pane);
            let name = view.map_or_else(|| agent.name.clone(), |view| agents::name_of(&agent, view));
            let session = view.and_then(|view| self.tree.name_of_session(view.session_id));
            let place = session.map(|session| format!(" in {session}")).unwrap_or_default();
            let reason = agent.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            let body = format!("{}{reason}", agent.state_words());
            self.announce(pane, agent.state, &format!("{name}{place}{reason}"));
            self.notify(pane, &format!("{name}{place}"), &body);
        }
    }

    /// Says on the status line that an agent out of sight needs the person, or failed, and which key goes there.
    fn announce(&mut self, pane: PaneId, state: AgentState, what: &str) {
        let muted = self.tree.find_pane_anywhere(pane).is_some_and(|view| view.muted);
        let calls = state.needs_somebody() || state == AgentState::Error;
        if calls && !muted && !self.has_attention(pane) {
            // One row, with the key whole: the reason is shortened.
            let hint = format!(" ({} jumps there)", self.key_for("next-agent"));
            let room = usize::from(self.display.size.cols).saturating_sub(hint.width() + 5);
            self.say_of_agent(format!("{}{hint}", shortened(what, room)), state);
        }
    }

    /// Turns notifications from the active pane off, or on again.
    pub(super) fn toggle_mute(&mut self) {
        let Some((pane, muted)) = self.tree.pane().map(|pane| (pane.pane_id, pane.muted)) else { return };
        if self.options.read_only {
            return self.say_read_only();
        }
        self.daemon.request(Purpose::Command, &MutePane { choice: PaneChoice::of(pane), off: muted });
        self.say(match muted {
            true => "Pane unmuted",
            false => "Pane muted",
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_the_sequence_that_it_understands() {
        let of = NotificationProtocol::of;
        assert_eq!(of("xterm-kitty", ""), NotificationProtocol::Osc99);
        assert_eq!(of("xterm-256color", "WezTerm"), NotificationProtocol::Osc777);
        assert_eq!(of("xterm-256color", "iTerm.app"), NotificationProtocol::Osc9);
        let (plain, urxvt) = (NotificationProtocol::Osc9, NotificationProtocol::Osc777);
        assert_eq!(plain.sequence("claude", "is\x1b blocked"), "\x1b]9;claude: is blocked\x1b\\");
        assert_eq!(plain.sequence("4;1;50", "x;y"), "\x1b]9;“4,1,50: x,y”\x1b\\", "not a progress bar");
        assert_eq!(plain.sequence(" 9", ""), "\x1b]9;“ 9: ”\x1b\\");
        assert_eq!(urxvt.sequence("a;b", "c"), "\x1b]777;notify;a,b;c\x1b\\");
    }
}
