//! Parts of the world as replies show them.

use fugue_protocol::views::{self, LostProgram, PaneCreated, PaneView, SessionList, SessionView, WindowView};
use fugue_protocol::{PaneId, Rect, SessionId, WindowId};

use crate::perform::restore;
use crate::world::{Pane, PaneLife, Session, Window, World};

impl World {
    /// All sessions with their windows and panes, or only one of them.
    pub fn session_list(&self, only: Option<SessionId>) -> SessionList {
        let sessions = self.sessions.values().filter(|session| only.is_none_or(|only| only == session.id));
        let sessions = sessions.map(|session| self.session_view(session)).collect();
        SessionList { sessions, warnings: self.warnings.clone(), detailed: only.is_some() }
    }

    /// A session with its windows and panes.
    pub fn session_view(&self, session: &Session) -> SessionView {
        let windows = session.windows.iter().enumerate();
        SessionView {
            session_id: session.id,
            number: session.number,
            name: session.name.clone(),
            created_at: session.created_at,
            parent_id: session.parent,
            tags: session.tags.clone(),
            metadata: session.metadata.clone(),
            confined_by: session.confined_by.clone(),
            place: self.place_of_session(session).cloned(),
            own_worktree: self.own_worktree(session.id),
            closes_with: session.closes_with,
            unread: self.messages.count(session.id),
            clients: self.clients.values().filter(|client| client.session == session.id).count(),
            windows: windows.map(|(at, id)| self.window_view_at(session, &self.windows[id], at)).collect(),
            popups: self.popups_of(session.id).map(|popup| self.window_view_at(session, popup, 0)).collect(),
        }
    }

    /// A session by the id of an existing one.
    pub fn session_view_of(&self, session: SessionId) -> SessionView {
        self.session_view(&self.sessions[&session])
    }

    /// A window with its panes, by the id of an existing one.
    pub fn window_view(&self, window: WindowId) -> WindowView {
        let window = &self.windows[&window];
        let session = &self.sessions[&window.session];
        let position = session.windows.iter().position(|id| *id == window.id).unwrap_or_default();
        self.window_view_at(session, window, position)
    }

    fn window_view_at(&self, session: &Session, window: &Window, position: usize) -> WindowView {
        let panes = window.places().into_iter();
        let mut view = WindowView {
            window_id: window.id,
            number: window.number,
            session_id: session.id,
            name: window.name.clone(),
            own_name: window.automatic_name.then(|| window.name.clone()),
            index: self.index_at(session, position),
            active: session.current == window.id,
            last: session.last == Some(window.id),
            zoomed: window.zoomed.is_some(),
            dimensions: window.size,
            preset: window.preset,
            panes: (self.base_index..)
                .zip(panes)
                .map(|(index, (pane, place))| self.pane_view_at(window, &self.panes[&pane], index, place))
                .collect(),
        };
        view.follow_program();
        view
    }

    /// A pane by the id of an existing one.
    pub fn pane_view(&self, pane: PaneId) -> PaneView {
        let pane = &self.panes[&pane];
        let window = self.window_of(pane);
        let position = window.layout.panes().iter().position(|id| *id == pane.id).unwrap_or_default();
        self.pane_view_at(window, pane, position + self.base_index, self.place_of(pane.id))
    }

    /// The position of a pane in its window.
    pub fn place_of(&self, pane: PaneId) -> Rect {
        let window = self.window_of(&self.panes[&pane]);
        let whole = Rect::whole(window.size);
        window.places().into_iter().find(|(id, _)| *id == pane).map_or(whole, |(_, place)| place)
    }

    /// The location of a new pane.
    pub fn created(&self, pane: PaneId) -> PaneCreated {
        let window = self.window_of(&self.panes[&pane]);
        PaneCreated {
            pane_id: pane,
            session_id: window.session,
            window_id: window.id,
            dimensions: self.place_of(pane).size(),
            worktree: None,
            note: None,
        }
    }

    fn pane_view_at(&self, window: &Window, pane: &Pane, index: usize, place: Rect) -> PaneView {
        PaneView {
            pane_id: pane.id,
            number: pane.number,
            index,
            window_id: window.id,
            session_id: window.session,
            name: pane.name.clone(),
            title: pane.title.clone(),
            command: pane.launch.label(),
            argv: pane.launch.argv.clone(),
            foreground: pane.foreground.clone().filter(|_| pane.run().is_some()),
            cwd: pane.cwd().map(str::to_owned),
            pid: pane.run().map(|run| run.pid),
            state: pane.life.into(),
            exit: pane.exit(),
            last_exit: pane.last_exit.filter(|_| pane.run().is_some()),
            agent: pane.agent.view.clone(),
            conversation: pane.last_conversation().cloned(),
            lost: (pane.life == PaneLife::Lost).then(|| self.lost(pane)),
            dimensions: place.size(),
            place,
            active: window.active == pane.id,
            last: window.last == Some(pane.id),
            muted: pane.muted,
            marked: self.marked == Some(pane.id),
            piped: pane.pipe.is_some(),
            closed: false,
        }
    }

    /// What was lost with a pane's program.
    fn lost(&self, pane: &Pane) -> LostProgram {
        LostProgram {
            restart: restore::restart(&self.agents.0, pane),
            agent: pane.lost_agent.as_deref().cloned(),
            conversation: pane.conversation.clone(),
            survivors: pane.survivors.clone(),
        }
    }
}

impl From<PaneLife> for views::Life {
    fn from(life: PaneLife) -> Self {
        match life {
            PaneLife::Running(_) => Self::Running,
            PaneLife::Exited(..) => Self::Exited,
            PaneLife::Lost => Self::Lost,
        }
    }
}
