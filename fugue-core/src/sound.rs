//! What must hold at the end of every step.

use crate::world::World;

impl World {
    /// Whether the tree is sound; if not, the first thing that is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        self.check_sessions()?;
        self.check_windows()?;
        self.check_panes()
    }

    fn check_sessions(&self) -> Result<(), String> {
        for session in self.sessions.values() {
            must(session.windows.contains(&session.current), || {
                format!("session {} has no current window", session.name)
            })?;
            for window in &session.windows {
                let owner = self.windows.get(window).map(|window| window.session);
                must(owner == Some(session.id), || {
                    format!("session {} lists window {window} of {owner:?}", session.name)
                })?;
            }
            let same = self.sessions.values().filter(|other| other.name == session.name).count();
            must(same == 1, || format!("{same} sessions are named {}", session.name))?;
        }
        must(self.recent.len() == self.sessions.len(), || {
            "the order of use does not list every session once".into()
        })
    }

    fn check_windows(&self) -> Result<(), String> {
        for window in self.windows.values() {
            let panes = window.layout.panes();
            let listed = self
                .sessions
                .get(&window.session)
                .is_some_and(|session| session.windows.contains(&window.id));
            must(listed, || format!("window {} is in no session", window.id))?;
            must(panes.contains(&window.active), || format!("window {} has no active pane", window.id))?;
            let zoomed = window.zoomed.is_none_or(|pane| panes.contains(&pane));
            must(zoomed, || format!("window {} is zoomed to a stranger", window.id))?;
            let owned = |pane| self.panes.get(pane).is_some_and(|pane| pane.window == window.id);
            must(panes.iter().all(owned), || format!("window {} lays out a stranger", window.id))?;
        }
        Ok(())
    }

    fn check_panes(&self) -> Result<(), String> {
        let stray = self.panes.values().find(|pane| {
            !self.windows.get(&pane.window).is_some_and(|window| window.layout.contains(pane.id))
        });
        stray.map_or(Ok(()), |pane| Err(format!("pane {} is in no layout", pane.id)))
    }
}

fn must(holds: bool, else_say: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(else_say()) }
}
