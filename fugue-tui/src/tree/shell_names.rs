//! The names of shells. The daemon calls a pane's shell `shell` and its window after the shell's own name; a person sees
//! that name everywhere.

use fugue_protocol::Launch;
use fugue_protocol::views::{PaneView, SessionView, WindowView};

/// Gives panes that run the user's shell its name, as far as a window tells it.
pub(super) fn set(sessions: &mut [SessionView]) {
    let windows = || sessions.iter().flat_map(|session| &session.windows);
    let Some(name) = windows().find_map(name_in) else { return };
    let panes =
        sessions.iter_mut().flat_map(|session| &mut session.windows).flat_map(|window| &mut window.panes);
    panes.filter(|pane| is_shell(pane)).for_each(|pane| pane.command.clone_from(&name));
}

fn is_shell(pane: &PaneView) -> bool {
    pane.command == Launch::SHELL && pane.argv.is_empty()
}

/// The name of the shell, from a window that was named after it: one with nothing but shells.
fn name_in(window: &WindowView) -> Option<String> {
    let name = window.own_name.as_ref()?;
    window.panes.iter().all(is_shell).then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::tests::session;

    #[test]
    fn a_shell_has_its_own_name_everywhere() {
        let mut sessions = vec![session(1, None, 0), session(2, None, 0)];
        for session in &mut sessions {
            Launch::SHELL.clone_into(&mut session.windows[0].panes[0].command);
        }
        sessions[1].windows[0].own_name = "fish".parse().ok();
        set(&mut sessions);
        let names: Vec<&str> =
            sessions.iter().map(|session| session.windows[0].panes[0].command.as_str()).collect();
        assert_eq!(names, ["fish", "fish"], "the first window was given a name");
    }
}
