//! The client of control mode: what it shows, and what it writes about that.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::{Duration, Instant};

use fugue_client::{CallError, Connection, Paths, StartPolicy, connect};
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{AttachClient, ListSessions, ResizeWindow, VerbSpec, WindowChoice};
use fugue_protocol::views::SessionView;
use fugue_protocol::{Event, PaneId, SessionId, SessionRef, Size};

use super::commands::{ClientLine, Shown, client_line};
use super::streams::{PaneStreams, is_lost};
use super::task::{ControlTask, OutputPart, Request};
use super::{changes, lines};

/// The size of a client that has not said one, as in tmux.
const USUAL_SIZE: Size = Size { cols: 80, rows: 24 };

/// How old the list of sessions may become while output keeps the client busy.
const LATEST: Duration = Duration::from_millis(100);

/// Whether the client goes on.
pub(super) enum Next {
    /// It does.
    Goes,
    /// It ends, perhaps for a reason that is told.
    Ends(Option<&'static str>),
}

/// A client in control mode.
pub(super) struct ControlClient<W> {
    out: W,
    /// The connection that is attached.
    link: Connection,
    paths: Paths,
    sessions: Vec<SessionView>,
    session: Option<SessionId>,
    size: Size,
    shown: Shown,
    streams: PaneStreams,
    /// The panes that were there when their session was first shown: the client reads their screens itself.
    known: BTreeSet<PaneId>,
    /// The panes whose output is paused.
    paused: BTreeSet<PaneId>,
    pause_after: Option<u64>,
    writes_output: bool,
    waits_at_exit: bool,
    /// The windows that have sizes of their own, by their numbers.
    window_sizes: BTreeMap<u64, Size>,
    /// Since when the list of sessions is out of date.
    stale_since: Option<Instant>,
}

impl<W: Write> ControlClient<W> {
    /// A client that shows no session yet.
    pub(super) fn new(out: W, paths: Paths, shown: Shown, streams: PaneStreams) -> Result<Self, CallError> {
        let mut link = connect(&paths, Role::Terminal, StartPolicy::Never)?;
        let sessions = link.call(&ListSessions::default())?.sessions;
        Ok(Self {
            out,
            link,
            paths,
            sessions,
            session: None,
            size: USUAL_SIZE,
            shown,
            streams,
            known: BTreeSet::new(),
            paused: BTreeSet::new(),
            pause_after: None,
            writes_output: true,
            waits_at_exit: false,
            window_sizes: BTreeMap::new(),
            stale_since: None,
        })
    }

    /// Writes a block.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), CallError> {
        let written = self.out.write_all(bytes).and_then(|()| self.out.flush());
        written.map_err(|why| CallError::Local(format!("cannot write: {why}")))
    }

    fn tell(&mut self, text: &str) -> Result<(), CallError> {
        self.write(&lines::notification(text))
    }

    /// Whether the list of sessions is out of date, and whether it has been for long.
    pub(super) fn is_stale(&self) -> (bool, bool) {
        (self.stale_since.is_some(), self.stale_since.is_some_and(|since| since.elapsed() > LATEST))
    }

    /// Handles a message.
    pub(super) fn handle(&mut self, message: ControlTask) -> Result<Next, CallError> {
        match message {
            ControlTask::Block(block) => {
                self.write(&block)?;
                self.stale_since.get_or_insert_with(Instant::now);
            }
            ControlTask::Show(session, _done) => return self.show(session),
            ControlTask::Request(request, _done) => self.carry_out(request)?,
            ControlTask::Subscribed(text) => self.tell(&text)?,
            ControlTask::Output(pane, output) => self.output(pane, output)?,
            ControlTask::Event(event) => return self.event(&event),
            ControlTask::Say(text) => self.tell(&format!("%message {text}"))?,
            ControlTask::DaemonReplaced => self.attach()?,
            ControlTask::Exit(why) => {
                // What changed until then is told.
                if why.is_none() && self.is_stale().0 {
                    let _ = self.refresh();
                }
                return Ok(Next::Ends(why));
            }
        }
        Ok(Next::Goes)
    }

    /// Whether the client has asked to wait for the end of its input when it ends.
    pub(super) fn waits_at_exit(&self) -> bool {
        self.waits_at_exit
    }

    /// Calls a verb; a daemon that was replaced has a successor.
    fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, CallError> {
        match self.link.call(verb) {
            Err(error) if is_lost(&error) => {
                self.link = connect(&self.paths, Role::Terminal, StartPolicy::Never)?;
                self.attach()?;
                self.link.call(verb)
            }
            answer => answer,
        }
    }

    /// Tells the daemon which session this client shows.
    fn attach(&mut self) -> Result<(), CallError> {
        let Some(session) = self.session else { return Ok(()) };
        let attach = AttachClient {
            session: SessionRef::Id(session),
            size: self.size,
            read_only: false,
            foreground: None,
            background: None,
            palette: Vec::new(),
            cell_width: 0,
            cell_height: 0,
            kitty_images: false,
            sixel_images: false,
            tty: None,
        };
        match self.link.call(&attach) {
            Err(error) if is_lost(&error) => {
                self.link = connect(&self.paths, Role::Terminal, StartPolicy::Never)?;
                self.link.call(&attach)?;
            }
            attached => drop(attached?),
        }
        self.shown.set(self.link.client().unwrap_or_default(), session);
        Ok(())
    }

    /// Shows a session.
    pub(super) fn show(&mut self, session: SessionId) -> Result<Next, CallError> {
        self.session = Some(session);
        self.attach()?;
        // Those that were there before: what a new one has printed is written.
        self.known = self.panes().into_iter().map(|(pane, _)| pane).collect();
        let before = std::mem::take(&mut self.sessions);
        self.sessions = self.call(&ListSessions::default())?.sessions;
        let mut told = changes::between(&before, &self.sessions, session);
        let Some(shown) = self.sessions.iter().find(|one| one.session_id == session) else {
            return Ok(Next::Ends(None));
        };
        told.push(format!("%session-changed ${} {}", shown.number, shown.name));
        for line in told {
            self.tell(&line)?;
        }
        self.follow()?;
        Ok(Next::Goes)
    }

    /// Reads the list of sessions, and tells what changed.
    pub(super) fn refresh(&mut self) -> Result<Next, CallError> {
        self.stale_since = None;
        let Some(session) = self.session else { return Ok(Next::Goes) };
        let now = self.call(&ListSessions::default())?.sessions;
        let before = std::mem::replace(&mut self.sessions, now);
        for line in changes::between(&before, &self.sessions, session) {
            self.tell(&line)?;
        }
        if !self.sessions.iter().any(|one| one.session_id == session) {
            return Ok(Next::Ends(None));
        }
        self.follow()?;
        Ok(Next::Goes)
    }

    /// The panes of the session that is shown, with their numbers.
    fn panes(&self) -> Vec<(PaneId, u64)> {
        let shown = self.sessions.iter().find(|one| Some(one.session_id) == self.session);
        let windows = shown.into_iter().flat_map(|session| &session.windows);
        windows.flat_map(|window| &window.panes).map(|pane| (pane.pane_id, pane.number)).collect()
    }

    /// Follows the output of these panes. One for which there is no stream left is paused for good.
    fn follow(&mut self) -> Result<(), CallError> {
        let panes = self.panes();
        let ids: Vec<_> = panes.iter().map(|(pane, _)| *pane).collect();
        self.paused.retain(|pane| ids.contains(pane));
        for left in self.streams.follow(&ids) {
            self.pause(left)?;
        }
        Ok(())
    }

    fn number(&self, pane: PaneId) -> Option<u64> {
        self.panes().into_iter().find(|(known, _)| *known == pane).map(|(_, number)| number)
    }

    fn pause(&mut self, pane: PaneId) -> Result<(), CallError> {
        let Some(number) = self.number(pane).filter(|_| self.paused.insert(pane)) else { return Ok(()) };
        self.tell(&format!("%pause %{number}"))
    }

    fn output(&mut self, pane: PaneId, output: OutputPart) -> Result<(), CallError> {
        let Some(number) = self.number(pane) else { return Ok(()) };
        if matches!(output, OutputPart::Refused) {
            self.streams.forget(pane);
            return self.pause(pane);
        }
        if !self.writes_output || self.paused.contains(&pane) {
            return Ok(());
        }
        let now = chrono::Utc::now().timestamp_millis().try_into().unwrap_or(0_u64);
        let (age, bytes) = match output {
            OutputPart::Wrote(at, bytes) => (now.saturating_sub(at.millis()), bytes),
            OutputPart::Begins(_) if self.known.remove(&pane) => return Ok(()),
            OutputPart::Begins(drawing) => (0, drawing),
            // Without pauses, the screen is drawn again.
            OutputPart::Lost(_) if self.pause_after.is_some() => {
                return self.pause(pane);
            }
            OutputPart::Lost(drawing) => (0, drawing),
            OutputPart::Silent | OutputPart::Refused => return Ok(()),
        };
        let is_old = |seconds: u64| seconds > 0 && age > seconds.saturating_mul(1_000);
        if self.pause_after.is_some_and(is_old) {
            return self.pause(pane);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let line = lines::output(number, &bytes, self.pause_after.map(|_| age));
        self.write(&line)
    }

    fn carry_out(&mut self, request: Request) -> Result<(), CallError> {
        match request {
            Request::Size(size) => {
                self.size = size;
                self.attach()?;
                self.resize()?;
            }
            Request::WindowSize { window, size } => {
                match size {
                    Some(size) => self.window_sizes.insert(window, size),
                    None => self.window_sizes.remove(&window),
                };
                self.resize()?;
            }
            Request::WaitAtExit(waits) => self.waits_at_exit = waits,
            Request::PauseAfter(seconds) => self.pause_after = seconds,
            Request::Output(writes) => self.writes_output = writes,
            Request::Flow { pane, goes_on } => {
                let found = self.panes().into_iter().find(|(_, number)| *number == pane);
                let Some((id, number)) = found else { return Ok(()) };
                match goes_on {
                    true if self.paused.remove(&id) => self.tell(&format!("%continue %{number}"))?,
                    true => {}
                    false => self.pause(id)?,
                }
            }
        }
        Ok(())
    }

    /// Gives the windows of the session this client's size, or the one that it has asked for each.
    fn resize(&mut self) -> Result<(), CallError> {
        // One may be new.
        self.refresh()?;
        let shown = self.sessions.iter().find(|one| Some(one.session_id) == self.session);
        let size = |number: u64| self.window_sizes.get(&number).copied().unwrap_or(self.size);
        let windows = shown.into_iter().flat_map(|one| &one.windows);
        let windows: Vec<_> = windows.map(|window| (window.window_id, size(window.number))).collect();
        for (window, size) in windows {
            let choice = WindowChoice { session: None, window: Some(window.into()) };
            match self.call(&ResizeWindow { choice, size, shown_by: None }) {
                // The window may have just closed.
                Ok(_) | Err(CallError::Refused(..)) => {}
                Err(error) => return Err(error),
            }
        }
        self.stale_since.get_or_insert_with(Instant::now);
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<Next, CallError> {
        let own = self.link.client();
        match event {
            Event::ClientDetached { client } if Some(*client) == own => return Ok(Next::Ends(None)),
            Event::ClientCommanded { client, line } if Some(*client) == own => match client_line(line) {
                ClientLine::Show(session) => return self.show(session),
                ClientLine::Detach => return Ok(Next::Ends(None)),
                ClientLine::Say(text) => self.tell(&format!("%message {text}"))?,
                ClientLine::Other(_) => {}
            },
            Event::ClientLeft { client } if Some(*client) != own => {
                self.tell(&format!("%client-detached client-{client}"))?;
            }
            Event::ClientAttached(other) if Some(other.client) != own => {
                let session = self.sessions.iter().find(|one| one.session_id == other.session);
                let line = session.map(|session| {
                    format!(
                        "%client-session-changed client-{} ${} {}",
                        other.client, session.number, session.name
                    )
                });
                line.map_or(Ok(()), |line| self.tell(&line))?;
            }
            Event::BufferStored { name, .. } => {
                self.tell(&format!("%paste-buffer-changed {name}"))?;
            }
            Event::BufferRemoved { name } => {
                self.tell(&format!("%paste-buffer-deleted {name}"))?;
            }
            event if is_about_tree(event) => {
                self.stale_since.get_or_insert_with(Instant::now);
            }
            _ => {}
        }
        Ok(Next::Goes)
    }
}

/// Whether an event changes what is told of sessions, windows and panes.
fn is_about_tree(event: &Event) -> bool {
    matches!(
        event,
        Event::SessionCreated(_)
            | Event::SessionRenamed { .. }
            | Event::SessionClosed { .. }
            | Event::WindowOpened(_)
            | Event::WindowRenamed { .. }
            | Event::WindowClosed { .. }
            | Event::WindowSelected { .. }
            | Event::WindowMoved { .. }
            | Event::WindowResized { .. }
            | Event::LayoutChanged { .. }
            | Event::ZoomChanged { .. }
            | Event::PaneOpened(_)
            | Event::PaneMoved { .. }
            | Event::PaneFocused { .. }
            | Event::PaneClosed { .. }
            | Event::ForegroundChanged { .. }
    )
}
