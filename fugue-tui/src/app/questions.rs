//! The questions before something is ended, and the titles of menus: what it is about, and what would be lost.

use fugue_protocol::verbs::{ClosePane, KillSession, KillWindow, Shutdown, VerbSpec};
use fugue_protocol::views::{Life, PaneView, SessionView, WindowView, program_in_pane};
use fugue_protocol::wording::capitalized;

use super::App;
use crate::draw;
use crate::overlays::{Overlay, RowTarget};
use crate::tree::Tree;

impl App {
    /// The question before a command: what it would do, to what, and what runs there.
    pub(super) fn question(&self, command: &str, tree: &Tree) -> String {
        let about = self.config.keys.about(&format!("confirm {command}"));
        let about = about.map_or_else(|| format!("Run `{command}`"), capitalized);
        let (target, loss) = match command {
            ClosePane::NAME => tree.pane().map(|pane| {
                let label = draw::label(pane);
                let loss = pane_loss(pane, &label);
                (label, loss)
            }),
            Shutdown::NAME => Some((self.daemon_label(), self.daemon_loss())),
            KillWindow::NAME => tree.window().map(|window| (window_title(tree), window_loss(window))),
            _ => None,
        }
        .unzip();
        let target = target.map(|target| format!(" “{target}”")).unwrap_or_default();
        format!("{about}{target}?{}", loss.unwrap_or_default())
    }

    /// Asks whether to kill what the selected row of the tree stands for; the tree stays in sight, as in tmux.
    pub(super) fn ask_to_kill(&mut self, target: RowTarget) {
        if self.options.read_only {
            return self.say_read_only();
        }
        let Some((question, line)) = killing(&self.tree, target) else { return };
        let list = self.overlays.behind.take();
        self.open_overlay(Overlay::Confirm(question, line));
        self.overlays.behind = list;
    }

    /// The daemon that is shown: its host, or its name on this one.
    pub(super) fn daemon_label(&self) -> String {
        let paths = self.daemon.paths();
        let own = || paths.state.file_name().unwrap_or_default().to_string_lossy().into_owned();
        paths.host.as_ref().map_or_else(own, |remote| remote.host.name.clone())
    }

    /// What ends with the daemon.
    fn daemon_loss(&self) -> String {
        let sessions = &self.tree.sessions;
        let windows = sessions.iter().flat_map(|session| &session.windows);
        let panes = windows.map(|window| window.panes.len()).sum();
        format!(" {}, {}.", count(sessions.len(), "session"), count(panes, "pane"))
    }
}

/// The question before a row of the tree is killed, and the line that kills it; none if it is gone.
fn killing(tree: &Tree, target: RowTarget) -> Option<(String, String)> {
    Some(match target {
        RowTarget::Session(id) => {
            let session = tree.find_session(id)?;
            let question = format!("Kill session “{}”?{}", session.name, session_loss(session));
            (question, format!("{} -s {id}", KillSession::NAME))
        }
        RowTarget::Window(id) => {
            let window = tree.sessions.iter().flat_map(|of| &of.windows).find(|of| of.window_id == id)?;
            let title = format!("{}:{}", window.index, window.name);
            let question = format!("Kill window “{title}”?{}", window_loss(window));
            (question, format!("{} -w {id}", KillWindow::NAME))
        }
        RowTarget::Pane(id) => {
            let pane = tree.find_pane(id)?;
            let label = draw::label(pane);
            let question = format!("Close pane “{label}”?{}", pane_loss(pane, &label));
            (question, format!("{} -t {id}", ClosePane::NAME))
        }
    })
}

/// The active pane and its directory.
pub(super) fn pane_menu_title(tree: &Tree) -> String {
    let Some(pane) = tree.pane() else { return String::new() };
    let directory = tree.directory(pane).map(|directory| format!(" · {directory}"));
    format!("{}{}", draw::name(pane), directory.unwrap_or_default())
}

/// The current window.
pub(super) fn window_title(tree: &Tree) -> String {
    tree.window().map(|window| format!("{}:{}", window.index, window.name)).unwrap_or_default()
}

/// The program in a pane besides its shell.
fn running(pane: &PaneView) -> Option<&str> {
    let agent = pane.agent.as_ref().map(|agent| agent.name.as_str());
    program_in_pane(agent, pane.foreground.as_deref()).filter(|_| pane.state == Life::Running)
}

/// What runs in a pane, unless the question already names it.
fn pane_loss(pane: &PaneView, named: &str) -> String {
    let program = running(pane).filter(|program| *program != named);
    program.map(|program| format!(" It is running {program}.")).unwrap_or_default()
}

/// A number of things, in words.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn window_loss(window: &WindowView) -> String {
    let (panes, programs) = (window.panes.len(), window.panes.iter().filter_map(running).count());
    match (panes, programs) {
        (1, 0) => String::new(),
        (1, _) => window.panes.first().map(|pane| pane_loss(pane, window.name.as_str())).unwrap_or_default(),
        (_, 0) => format!(" {}.", count(panes, "pane")),
        _ => format!(" {}, {}.", count(panes, "pane"), count(programs, "running program")),
    }
}

fn session_loss(session: &SessionView) -> String {
    if let [window] = session.windows.as_slice() {
        return window_loss(window);
    }
    let panes = session.windows.iter().flat_map(|window| &window.panes);
    let windows = count(session.windows.len(), "window");
    match panes.filter_map(running).count() {
        0 => format!(" {windows}."),
        programs => format!(" {windows}, {}.", count(programs, "running program")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::tests::session;

    #[test]
    fn the_question_does_not_name_the_program_twice() {
        let window = &session(1, Some("working"), 0).windows[0];
        let pane = &window.panes[0];
        assert_eq!(pane_loss(pane, "codex"), "");
        assert_eq!(pane_loss(pane, "review"), " It is running codex.");
        assert_eq!(window_loss(window), " It is running codex.", "the window is called “one”");
    }
}
