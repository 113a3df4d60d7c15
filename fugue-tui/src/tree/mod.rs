//! Sessions, windows and panes as the daemon last reported them, and what this client remembers of where it was.

mod focus;
mod other_hosts;
mod popup_window;
mod shell_names;
mod snapshot;
mod synchronized;

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::agents::{AgentState, AgentView};
use fugue_protocol::events::ActivityKind;
use fugue_protocol::limits::SIDE;
use fugue_protocol::verbs::Preset;
use fugue_protocol::views::{PaneView, SessionView, WindowView};
use fugue_protocol::{PaneId, Rect, SessionId, Side, Size, WindowId};

use focus::FocusHistory;
pub(crate) use other_hosts::{HostState, MAX_OTHER_HOSTS, OtherHost, PlacedSession, full_name};
use popup_window::PopupWindow;
pub(crate) use snapshot::TreeSnapshot;
use synchronized::Synchronized;

/// The tree, as seen from one session.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    /// The host of these sessions; none for the one on which this client runs.
    pub(crate) host: Option<String>,
    /// The other hosts.
    pub(crate) others: Vec<OtherHost>,
    /// The number of hosts in the configuration for which there is no line.
    pub(crate) unlisted_hosts: usize,
    pub(crate) sessions: Vec<SessionView>,
    /// The number of the daemon's warnings that were not dismissed.
    pub(crate) warnings: usize,
    pub(crate) here: SessionId,
    pub(crate) last_session: Option<SessionId>,
    /// Whether the session here is the one that a person used last.
    pub(crate) is_last_used: bool,
    /// Where this client looks, whatever others look at.
    pub(crate) focus: FocusHistory,
    /// Panes that notified the person and were not visible since.
    pub(crate) alerts: BTreeSet<PaneId>,
    /// Panes of this host whose agents ended a turn and that were not visible since. Their agents count as done, whatever
    /// they report.
    finished: BTreeSet<PaneId>,
    /// Windows with activity, or that fell silent, and were not visible since.
    pub(crate) activity: BTreeMap<WindowId, ActivityKind>,
    popup: PopupWindow,
    synchronized: Synchronized,
    /// Rows above each window, for the titles of its topmost panes.
    title_rows: u16,
    /// The person's home directory on the host of the panes, where it is known.
    pub(crate) home: Option<String>,
}

impl Tree {
    pub(crate) fn new(here: SessionId) -> Self {
        Self {
            host: None,
            others: Vec::new(),
            unlisted_hosts: 0,
            sessions: Vec::new(),
            warnings: 0,
            here,
            last_session: None,
            is_last_used: true,
            focus: FocusHistory::default(),
            alerts: BTreeSet::new(),
            finished: BTreeSet::new(),
            activity: BTreeMap::new(),
            popup: PopupWindow::default(),
            synchronized: Synchronized::default(),
            title_rows: 0,
            home: None,
        }
    }

    /// The directory of a pane; `~` is the home directory.
    pub(crate) fn directory(&self, pane: &PaneView) -> Option<String> {
        let cwd = pane.cwd.as_ref()?;
        let inside = self.home.as_ref().and_then(|home| cwd.strip_prefix(home.as_str()));
        let inside = inside.filter(|rest| rest.is_empty() || rest.starts_with('/'));
        Some(inside.map_or_else(|| cwd.clone(), |rest| format!("~{rest}")))
    }

    /// Replaces the tree with a new one from the daemon; its windows begin below the titles.
    pub(crate) fn update(&mut self, mut sessions: Vec<SessionView>) {
        bound_places(&mut sessions);
        self.popup.take_from(&mut sessions);
        move_rows(&mut sessions, |row| row + self.title_rows);
        self.replace(sessions);
        self.forget_closed_alerts();
    }

    /// Forgets what happened in panes and windows that are gone.
    fn forget_closed_alerts(&mut self) {
        let mut alerts = std::mem::take(&mut self.alerts);
        alerts.retain(|pane| self.find_pane_anywhere(*pane).is_some());
        let mut finished = std::mem::take(&mut self.finished);
        finished.retain(|pane| self.find_pane(*pane).is_some());
        self.finished = finished;
        let mut activity = std::mem::take(&mut self.activity);
        activity.retain(|window, _| self.find_window(*window).is_some());
        (self.alerts, self.activity) = (alerts, activity);
    }

    /// The window of the popup that this client shows, once the daemon listed it.
    pub(crate) fn popup_window(&self) -> Option<&WindowView> {
        self.popup.view.as_ref()
    }

    /// Whether this client shows a popup, which has the keyboard.
    pub(crate) fn shows_popup(&self) -> bool {
        self.popup.id.is_some()
    }

    /// Shows this window as a popup.
    pub(crate) fn set_popup(&mut self, window: Option<WindowId>) {
        self.popup = PopupWindow { id: window, view: None };
        self.popup.take_from(&mut self.sessions);
    }

    /// Sets the number of rows above each window.
    pub(crate) fn set_title_rows(&mut self, rows: u16) {
        let before = std::mem::replace(&mut self.title_rows, rows);
        move_rows(&mut self.sessions, |row| (row + rows).saturating_sub(before));
    }

    pub(crate) fn title_rows(&self) -> u16 {
        self.title_rows
    }

    /// Replaces the tree; which windows and panes are active is this client's own choice, as far as it made one.
    fn replace(&mut self, mut sessions: Vec<SessionView>) {
        self.focus.apply(&mut sessions);
        let windows = sessions.iter_mut().flat_map(|session| &mut session.windows);
        windows.for_each(WindowView::follow_program);
        shell_names::set(&mut sessions);
        self.sessions = sessions;
        self.mark_finished();
        self.forget_closed_synchronized();
    }

    pub(crate) fn session(&self) -> Option<&SessionView> {
        self.sessions.iter().find(|session| session.session_id == self.here)
    }

    pub(crate) fn window(&self) -> Option<&WindowView> {
        self.session().and_then(current)
    }

    pub(crate) fn pane(&self) -> Option<&PaneView> {
        self.window().and_then(active)
    }

    /// The session and the pane that the person looks at.
    pub(crate) fn place(&self) -> (SessionId, Option<PaneId>) {
        (self.here, self.pane().map(|pane| pane.pane_id))
    }

    pub(crate) fn find_session(&self, id: SessionId) -> Option<&SessionView> {
        self.sessions.iter().find(|session| session.session_id == id)
    }

    pub(crate) fn find_window(&self, id: WindowId) -> Option<&WindowView> {
        let listed = self.sessions.iter().flat_map(|session| &session.windows);
        listed.chain(&self.popup.view).find(|window| window.window_id == id)
    }

    pub(crate) fn find_pane(&self, id: PaneId) -> Option<&PaneView> {
        let in_popup = self.popup.view.iter().flat_map(|window| &window.panes);
        self.panes().chain(in_popup).find(|pane| pane.pane_id == id)
    }

    pub(crate) fn panes(&self) -> impl Iterator<Item = &PaneView> {
        self.sessions.iter().flat_map(|session| &session.windows).flat_map(|window| &window.panes)
    }

    /// Looks at a window or a pane, at once.
    pub(crate) fn look_at(&mut self, window: Option<WindowId>, pane: Option<PaneId>) {
        window.into_iter().for_each(|window| self.focus.window(window));
        pane.into_iter().for_each(|pane| self.focus.pane(pane));
        let sessions = self.sessions.clone();
        self.replace(sessions);
    }

    /// Changes a pane of the host that is shown, whose program may give its window a name.
    fn change_pane(&mut self, pane: PaneId, change: impl FnOnce(&mut PaneView)) {
        change_pane_in(&mut self.sessions, pane, change);
    }

    /// The marked pane.
    pub(crate) fn marked(&self) -> Option<PaneId> {
        let in_popup = self.popup.view.iter().flat_map(|window| &window.panes);
        self.panes().chain(in_popup).find(|pane| pane.marked).map(|pane| pane.pane_id)
    }

    /// Sets the marked pane, which comes without the rest of the tree.
    pub(crate) fn set_marked(&mut self, marked: Option<PaneId>) {
        let windows = self.sessions.iter_mut().flat_map(|session| &mut session.windows);
        let panes = windows.chain(&mut self.popup.view).flat_map(|window| &mut window.panes);
        panes.for_each(|pane| pane.marked = marked == Some(pane.pane_id));
    }

    /// Sets a program's title, which comes without the rest of the tree.
    pub(crate) fn retitle(&mut self, pane: PaneId, title: &str) {
        self.change_pane(pane, |pane| title.clone_into(&mut pane.title));
    }

    /// Sets the program in the foreground, which comes without the rest of the tree.
    pub(crate) fn set_foreground(&mut self, pane: PaneId, program: Option<String>) {
        self.change_pane(pane, |pane| pane.foreground = program);
    }

    /// Sets the state of an agent on a host, which comes without the rest of the tree. A host changes no pane of another
    /// one, whatever ids it sends.
    pub(crate) fn set_agent(&mut self, host: Option<&str>, pane: PaneId, agent: Option<AgentView>) {
        let sessions = match host == self.host.as_deref() {
            true => Some(&mut self.sessions),
            false => self.other_host(host).map(|other| &mut other.sessions),
        };
        if let Some(sessions) = sessions {
            change_pane_in(sessions, pane, |pane| pane.agent = agent);
        }
        self.mark_finished();
    }

    /// Takes note of the next state of an agent, before it is set. One that becomes idle after its work is done until
    /// somebody looks at it, unless somebody is looking now.
    pub(crate) fn note_turn(&mut self, pane: PaneId, next: Option<AgentState>, is_seen: bool) {
        let before = self.find_pane(pane).and_then(|pane| Some(pane.agent.as_ref()?.state));
        match next {
            Some(AgentState::Idle) if before == Some(AgentState::Working) && !is_seen => {
                self.finished.insert(pane);
            }
            Some(AgentState::Idle) => {}
            _ => drop(self.finished.remove(&pane)),
        }
    }

    /// Shows agents as done whose last turn nobody has looked at.
    fn mark_finished(&mut self) {
        let finished = std::mem::take(&mut self.finished);
        for pane in &finished {
            self.change_state(*pane, AgentState::Idle, AgentState::Complete);
        }
        self.finished = finished;
    }

    /// Takes note that a pane is visible: an agent that was only shown as done is idle.
    pub(crate) fn seen(&mut self, pane: PaneId) {
        self.alerts.remove(&pane);
        if self.finished.remove(&pane) {
            self.change_state(pane, AgentState::Complete, AgentState::Idle);
        }
    }

    fn change_state(&mut self, pane: PaneId, from: AgentState, to: AgentState) {
        self.change_pane(pane, |pane| {
            if let Some(agent) = pane.agent.as_mut().filter(|agent| agent.state == from) {
                agent.state = to;
            }
        });
    }

    /// Counts the unread messages of a session.
    pub(crate) fn count_unread(&mut self, session: SessionId, count: impl Fn(usize) -> usize) {
        if let Some(session) = self.sessions.iter_mut().find(|view| view.session_id == session) {
            session.unread = count(session.unread);
        }
    }

    /// Sets the exit code of the last command of a pane's shell, which comes without the rest of the tree.
    pub(crate) fn set_last_exit(&mut self, pane: PaneId, exit: Option<i32>) {
        self.change_pane(pane, |pane| pane.last_exit = exit);
    }

    /// Tmux's mark of a window with activity, or of one that fell silent.
    pub(crate) fn activity_mark(&self, window: &WindowView) -> &'static str {
        match self.activity.get(&window.window_id) {
            Some(ActivityKind::Output) => "#",
            Some(ActivityKind::Silence) => "~",
            None => "",
        }
    }

    /// Whether something in a window needs a person.
    pub(crate) fn needs_person(&self, window: &WindowView) -> bool {
        let needs = |pane: &PaneView| pane.agent.as_ref().is_some_and(|agent| agent.state.needs_somebody());
        window.panes.iter().any(|pane| needs(pane) || self.alerts.contains(&pane.pane_id))
    }

    /// The next window of this session, in this direction, in which something needs a person.
    pub(crate) fn window_in_need(&self, by: isize) -> Option<WindowId> {
        let windows = &self.session()?.windows;
        let at = windows.iter().position(|window| window.active)?;
        let others =
            (1..windows.len() as isize).map(|step| &windows[wrap_around(at, by * step, windows.len())]);
        others.into_iter().find(|window| self.needs_person(window)).map(|window| window.window_id)
    }

    /// The visible panes: all of the current window, or the zoomed one.
    pub(crate) fn visible_panes(&self) -> Vec<&PaneView> {
        let Some(window) = self.window() else { return Vec::new() };
        window.panes.iter().filter(|pane| !window.zoomed || pane.active).collect()
    }

    /// Whether a pane of the current window reaches from edge to edge, in the direction of a side.
    pub(crate) fn spans_window(&self, pane: &PaneView, side: Side) -> bool {
        // Behind a zoomed pane, there are borders that can be moved.
        let window = self.window().filter(|window| !window.zoomed);
        let Some(whole) = window.map(|window| window.dimensions) else { return false };
        match side {
            Side::Left | Side::Right => pane.place.cols >= whole.cols,
            Side::Above | Side::Below => pane.place.rows + self.title_rows >= whole.rows,
        }
    }

    /// The window `by` positions after the current one, wrapping around.
    pub(crate) fn window_by(&self, by: isize) -> Option<WindowId> {
        let windows = &self.session()?.windows;
        let at = windows.iter().position(|window| window.active)?;
        Some(windows[wrap_around(at, by, windows.len())].window_id)
    }

    /// The pane `by` positions after the active one.
    pub(crate) fn pane_by(&self, by: isize) -> Option<PaneId> {
        let panes = &self.window()?.panes;
        let at = panes.iter().position(|pane| pane.active)?;
        Some(panes[wrap_around(at, by, panes.len())].pane_id)
    }

    /// The session `by` positions after this one.
    pub(crate) fn session_by(&self, by: isize) -> Option<SessionId> {
        let at = self.sessions.iter().position(|session| session.session_id == self.here)?;
        Some(self.sessions[wrap_around(at, by, self.sessions.len())].session_id)
    }

    /// The preset layout that comes after the window's last one.
    pub(crate) fn next_layout(&self) -> Preset {
        Preset::after(self.window().and_then(|window| window.preset))
    }

    /// The preset layout that comes before the window's last one.
    pub(crate) fn previous_layout(&self) -> Preset {
        Preset::before(self.window().and_then(|window| window.preset))
    }

    /// The last current window of this session.
    pub(crate) fn last_window(&self) -> Option<WindowId> {
        self.session()?.windows.iter().find(|window| window.last).map(|window| window.window_id)
    }

    /// The last active pane of the current window.
    pub(crate) fn last_pane(&self) -> Option<PaneId> {
        self.window()?.panes.iter().find(|pane| pane.last).map(|pane| pane.pane_id)
    }
}

fn wrap_around(at: usize, by: isize, count: usize) -> usize {
    (at as isize + by).rem_euclid(count as isize) as usize
}

fn current(session: &SessionView) -> Option<&WindowView> {
    session.windows.iter().find(|window| window.active)
}

fn active(window: &WindowView) -> Option<&PaneView> {
    window.panes.iter().find(|pane| pane.active)
}

/// Moves all panes up or down in their windows.
/// Keeps windows and panes within the largest window: a daemon on another host may send anything, and cells are counted in
/// small numbers.
fn bound_places(sessions: &mut [SessionView]) {
    let windows =
        sessions.iter_mut().flat_map(|session| session.windows.iter_mut().chain(&mut session.popups));
    for window in windows {
        let Size { cols, rows } = window.dimensions;
        window.dimensions = Size { cols: cols.min(SIDE), rows: rows.min(SIDE) };
        for pane in &mut window.panes {
            let Rect { col, row, cols, rows } = pane.place;
            let (col, row) = (col.min(SIDE), row.min(SIDE));
            pane.place = Rect { col, row, cols: cols.min(SIDE - col), rows: rows.min(SIDE - row) };
        }
    }
}

/// Changes a pane, whose program may give its window a name.
fn change_pane_in(sessions: &mut [SessionView], pane: PaneId, change: impl FnOnce(&mut PaneView)) {
    for window in sessions.iter_mut().flat_map(|session| &mut session.windows) {
        if let Some(pane) = window.panes.iter_mut().find(|view| view.pane_id == pane) {
            change(pane);
            window.follow_program();
            return;
        }
    }
}

fn move_rows(sessions: &mut [SessionView], to: impl Fn(u16) -> u16) {
    for window in sessions.iter_mut().flat_map(|session| &mut session.windows) {
        window.dimensions.rows = to(window.dimensions.rows);
        window.panes.iter_mut().for_each(|pane| pane.place.row = to(pane.place.row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::tests::session;

    #[test]
    fn a_window_that_a_daemon_describes_is_never_larger_than_windows_can_be() {
        let mut wide = session(1, None, 0);
        let window = &mut wide.windows[0];
        window.dimensions = Size { cols: u16::MAX, rows: u16::MAX };
        window.panes[0].place = Rect { col: u16::MAX, row: 7, cols: u16::MAX, rows: u16::MAX };
        let mut tree = Tree::new(wide.session_id);
        tree.set_title_rows(1);
        tree.update(vec![wide]);
        let window = tree.window().expect("a window");
        assert_eq!(window.dimensions, Size { cols: SIDE, rows: SIDE + 1 });
        assert_eq!(window.panes[0].place, Rect { col: SIDE, row: 8, cols: 0, rows: SIDE - 7 });
    }

    #[test]
    fn what_happened_in_a_pane_is_forgotten_with_the_pane() {
        let (one, two) = (session(1, Some("idle"), 0), session(2, Some("idle"), 0));
        let mut tree = Tree::new(one.session_id);
        tree.update(vec![one.clone(), two.clone()]);
        for window in [&one.windows[0], &two.windows[0]] {
            tree.alerts.insert(window.panes[0].pane_id);
            tree.activity.insert(window.window_id, ActivityKind::Output);
        }
        tree.update(vec![one.clone()]);
        assert_eq!(tree.alerts, BTreeSet::from([one.windows[0].panes[0].pane_id]));
        assert_eq!(tree.activity.into_keys().collect::<Vec<_>>(), [one.windows[0].window_id]);
    }
}
