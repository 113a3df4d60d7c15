//! What targets are found in: the names, numbers and positions of sessions, windows and panes.

use super::parts::TargetPlace;
use crate::views::SessionView;
use crate::{PaneId, Rect, SessionId, WindowId};

/// All sessions.
#[derive(Debug, Clone, Default)]
pub struct TargetTree<'a> {
    /// In the order of creation.
    pub sessions: Vec<TargetSession<'a>>,
}

/// A session.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the names say it")]
pub struct TargetSession<'a> {
    pub id: SessionId,
    pub number: u64,
    pub name: &'a str,
    pub windows: Vec<TargetWindow<'a>>,
    pub last: Option<WindowId>,
}

/// A window.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the names say it")]
pub struct TargetWindow<'a> {
    pub id: WindowId,
    pub number: u64,
    pub index: usize,
    pub name: &'a str,
    pub active: bool,
    pub panes: Vec<TargetPane<'a>>,
    pub last: Option<PaneId>,
}

/// A pane.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the names say it")]
pub struct TargetPane<'a> {
    pub id: PaneId,
    pub number: u64,
    pub index: usize,
    pub name: Option<&'a str>,
    pub active: bool,
    pub place: Rect,
}

impl<'a> TargetTree<'a> {
    /// The tree of a list of sessions.
    pub fn of(sessions: &'a [SessionView]) -> Self {
        Self { sessions: sessions.iter().map(TargetSession::of).collect() }
    }

    /// The place of a pane.
    pub fn place_of_pane(&self, pane: PaneId) -> Option<TargetPlace> {
        self.sessions.iter().find_map(|session| {
            let window = session.windows.iter().find(|window| window.panes.iter().any(|of| of.id == pane))?;
            Some(TargetPlace { session: session.id, window: window.id, pane })
        })
    }
}

impl<'a> TargetSession<'a> {
    fn of(view: &'a SessionView) -> Self {
        Self {
            id: view.session_id,
            number: view.number,
            name: view.name.as_str(),
            last: view.windows.iter().find(|window| window.last).map(|window| window.window_id),
            windows: view.windows.iter().map(TargetWindow::of).collect(),
        }
    }

    /// The current window.
    pub fn current(&self) -> Option<&TargetWindow<'a>> {
        self.windows.iter().find(|window| window.active)
    }
}

impl<'a> TargetWindow<'a> {
    fn of(view: &'a crate::views::WindowView) -> Self {
        Self {
            id: view.window_id,
            number: view.number,
            index: view.index,
            name: view.name.as_str(),
            active: view.active,
            last: view.panes.iter().find(|pane| pane.last).map(|pane| pane.pane_id),
            panes: view.panes.iter().map(TargetPane::of).collect(),
        }
    }

    /// The active pane.
    pub fn current(&self) -> Option<&TargetPane<'a>> {
        self.panes.iter().find(|pane| pane.active)
    }
}

impl<'a> TargetPane<'a> {
    fn of(view: &'a crate::views::PaneView) -> Self {
        Self {
            id: view.pane_id,
            number: view.number,
            index: view.index,
            name: view.name.as_ref().map(crate::PaneName::as_str),
            active: view.active,
            place: view.place,
        }
    }
}
