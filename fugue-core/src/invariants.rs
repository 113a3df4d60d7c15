//! The invariants that hold after every step.

use std::collections::BTreeSet;

use crate::world::{Session, Window, World};

impl World {
    /// Returns the first invariant that is violated.
    pub fn check(&self) -> Result<(), String> {
        self.sessions.values().try_for_each(|session| self.check_session(session))?;
        self.check_order_of_use()?;
        self.windows.values().try_for_each(|window| self.check_window(window))?;
        self.check_panes()
    }

    fn check_session(&self, session: &Session) -> Result<(), String> {
        let name = &session.name;
        must(session.windows.contains(&session.current), || format!("session {name} has no current window"))?;
        let active = [Some(session.current), session.last].into_iter().flatten();
        let used: Vec<_> = session.former.iter().copied().chain(active).collect();
        let listed = all_different(&used) && used.iter().all(|window| session.windows.contains(window));
        must(listed, || {
            format!("session {name} was in a window that it does not list, or lists as used twice")
        })?;
        must(all_different(&session.windows), || format!("session {name} lists a window twice"))?;
        must(session.slots.count() == session.windows.len() && session.slots.is_increasing(), || {
            format!("session {name} has windows without an index, or not in the order of their indexes")
        })?;
        for window in &session.windows {
            let owner = self.windows.get(window).map(|window| window.session);
            must(owner == Some(session.id), || {
                format!("session {name} lists window {window}, which belongs to {owner:?}")
            })?;
        }
        let same = self.sessions.values().filter(|other| other.name == *name).count();
        must(same == 1, || format!("{same} sessions are named {name}"))
    }

    fn check_order_of_use(&self) -> Result<(), String> {
        let each = self.recent.len() == self.sessions.len()
            && self.recent.iter().all(|session| self.sessions.contains_key(session));
        must(each && all_different(&self.recent), || {
            "the list of recently used sessions does not contain every session exactly once".into()
        })
    }

    fn check_window(&self, window: &Window) -> Result<(), String> {
        let (id, panes) = (window.id, window.layout.panes());
        let session = self.sessions.get(&window.session);
        must(session.is_some_and(|session| session.windows.contains(&id) != window.popup), || {
            format!("window {id} is not in any session, or is a popup that a session lists as a window")
        })?;
        window.layout.validate().map_err(|flaw| format!("window {id}: {flaw}"))?;
        must(panes.contains(&window.active), || format!("window {id} has no active pane"))?;
        let last = window.last.is_none_or(|last| panes.contains(&last) && last != window.active);
        must(last, || {
            format!("the previously active pane of window {id} does not exist or is its active pane")
        })?;
        must(window.zoomed.is_none_or(|pane| pane == window.active), || {
            format!("window {id} has a zoomed pane that is not its active pane")
        })?;
        must(window.zoomed.is_none() || panes.len() > 1, || {
            format!("window {id} is zoomed although it has only one pane")
        })?;
        let owned = |pane| self.panes.get(pane).is_some_and(|pane| pane.window == id);
        must(panes.iter().all(owned), || format!("window {id} has a pane from another window in its layout"))
    }

    fn check_panes(&self) -> Result<(), String> {
        let stray = self.panes.values().find(|pane| {
            !self.windows.get(&pane.window).is_some_and(|window| window.layout.contains(pane.id))
        });
        stray.map_or(Ok(()), |pane| Err(format!("pane {} is not in any layout", pane.id)))
    }
}

fn all_different<Id: Ord>(ids: &[Id]) -> bool {
    ids.iter().collect::<BTreeSet<_>>().len() == ids.len()
}

fn must(holds: bool, else_say: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(else_say()) }
}
