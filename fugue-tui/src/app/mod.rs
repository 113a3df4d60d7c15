//! The client: one loop that waits for the terminal, the daemon, signals and the clock, and draws when something
//! changed. It never waits for one of them alone.

mod changed;
mod command;
mod daemon;
mod editor;
mod hear;
mod kept;
mod layered;
mod mouse;
mod notify;
mod popup;
mod selecting;
mod settings;
mod settle;
mod show;
mod sidebar;
mod typed;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::time::{Duration, Instant};

use fugue_client::Trouble;
use fugue_protocol::{PaneId, Size};
use fugue_screen::{Mirror, Rgb};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::Options;
use crate::buffers::Buffers;
use crate::config::{Config, Watch};
use crate::layers::{Layer, Outcome};
use crate::outer::input::Input;
use crate::outer::output::Output;
use crate::outer::raw;
use crate::outer::signals::{Signals, Told};
use crate::picture::{Depth, Painter};
use crate::theme::Theme;
use crate::tree::Tree;

use daemon::Daemon;

/// How much is read from the terminal at once.
const PIECE: usize = 64 << 10;

/// The room for a window in a terminal: all but the status line.
pub(crate) fn room(terminal: Size) -> Size {
    Size::new(terminal.cols, terminal.rows.saturating_sub(1).max(1))
}

/// A variable of the environment; one that is not there says nothing.
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// A client at work.
pub(crate) struct App {
    options: Options,
    config: Config,
    config_watch: Watch,
    theme: Rc<Theme>,
    /// The outer terminal's own colours, where it told them.
    foreground: Option<Rgb>,
    background: Option<Rgb>,
    daemon: Daemon,
    signals: Signals,
    input: Input,
    /// Where the terminal's bytes are read to.
    piece: Vec<u8>,
    output: Output,
    tree: Tree,
    mirrors: BTreeMap<PaneId, Mirror>,
    /// Panes whose screens were asked for.
    watched: BTreeSet<PaneId>,
    size: Size,
    painter: Painter,
    /// Something changed since the last picture: all of it is drawn anew.
    dirty: bool,
    /// What changed in the panes.
    changed: changed::Changed,
    /// The time that the last picture shows, and until when it is right.
    minute: String,
    minute_until: Option<Instant>,
    /// The tree changed since it was asked for.
    stale: bool,
    /// The prefix was pressed; or until when a key that repeats needs none.
    prefix: bool,
    repeats: Option<Instant>,
    message: Option<(String, Instant)>,
    /// What lies over the panes.
    layer: Option<Layer>,
    /// Lines typed at the prompt.
    lines: Vec<String>,
    /// What was copied.
    buffers: Buffers,
    /// What the status line said, and when.
    said: VecDeque<(String, String)>,
    /// What lies over the panes goes away by itself then.
    layer_until: Option<Instant>,
    /// A button that is, or was, held down in a pane.
    pressed: Option<selecting::Press>,
    /// This client was the last to use the window: it has this client's size.
    leads: bool,
    /// A box over the panes with a program in it.
    popup: Option<popup::Popup>,
    /// The sidebar is open.
    sidebar: bool,
    /// The terminal has the person's eye, as far as it tells.
    focused: bool,
    /// Panes that may not call.
    muted: BTreeSet<PaneId>,
    /// The tree is not asked for before this.
    tree_again: Option<Instant>,
    /// When a pane was closed last.
    closed_at: Option<fugue_protocol::Timestamp>,
    /// Sizes that were asked for and not seen yet.
    asked_size: Option<(fugue_protocol::WindowId, Size)>,
    dragged: Option<mouse::Drag>,
    /// Parts of pastes that wait until the pane takes them.
    pastes: VecDeque<(PaneId, String)>,
    paste_again: Option<Instant>,
    /// The last words; the loop ends when there are some.
    farewell: Option<Result<String, Trouble>>,
}

impl App {
    pub(crate) fn new(options: Options) -> Result<Self, Trouble> {
        let daemon = Daemon::open(&options.places)?;
        let trouble = |why: std::io::Error| Trouble::Place(format!("this terminal cannot be used: {why}"));
        let (term, colorterm) = (variable("TERM"), variable("COLORTERM"));
        let mut app = Self {
            config: Config::default(),
            config_watch: Watch::new(&options.places.config),
            theme: Rc::default(),
            foreground: None,
            background: None,
            daemon,
            signals: Signals::new().map_err(trouble)?,
            input: Input::default(),
            piece: vec![0; PIECE],
            output: Output::default(),
            tree: Tree::new(options.session),
            mirrors: BTreeMap::new(),
            watched: BTreeSet::new(),
            size: raw::size(),
            painter: Painter::new(Depth::of(&term, &colorterm)),
            dirty: true,
            changed: changed::Changed::default(),
            minute: String::new(),
            minute_until: None,
            stale: false,
            prefix: false,
            repeats: None,
            message: None,
            layer: None,
            lines: Vec::new(),
            buffers: Buffers::default(),
            said: VecDeque::new(),
            layer_until: None,
            pressed: None,
            leads: true,
            popup: None,
            sidebar: false,
            focused: true,
            muted: BTreeSet::new(),
            tree_again: None,
            closed_at: None,
            asked_size: None,
            dragged: None,
            pastes: VecDeque::new(),
            paste_again: None,
            farewell: None,
            options,
        };
        app.reload(false);
        app.sidebar = app.config.sidebar;
        Ok(app)
    }

    /// Stays until the person leaves.
    pub(crate) fn run(mut self) -> Result<String, Trouble> {
        raw::leave_on_panic();
        raw::enter().map_err(|why| Trouble::Place(format!("this terminal cannot be used: {why}")))?;
        self.ask_terminal();
        self.greet();
        let last_words = loop {
            if let Some(farewell) = self.farewell.take() {
                break farewell;
            }
            self.draw();
            self.turn();
        };
        self.output.finish();
        raw::leave();
        last_words
    }

    /// The room for a window now.
    pub(super) fn room(&self) -> Size {
        let cols = self.size.cols - self.sidebar_cols();
        let rows = if self.config.status { room(self.size).rows } else { self.size.rows };
        Size::new(cols.max(1), rows)
    }

    pub(super) fn leave(&mut self, words: impl Into<String>) {
        self.farewell = Some(Ok(words.into()));
    }

    pub(super) fn say(&mut self, words: impl Into<String>) {
        /// Long enough to read a sentence.
        const SHOWN: Duration = Duration::from_secs(4);
        /// More nobody reads again.
        const KEPT: usize = 200;
        let words = words.into();
        if self.said.len() == KEPT {
            self.said.pop_front();
        }
        self.said.push_back((show::clock(), words.clone()));
        self.message = Some((words, Instant::now() + SHOWN));
        self.dirty = true;
    }

    /// Waits for something, and takes it.
    fn turn(&mut self) {
        let [terminal, daemon, signal, drained, settings] = self.wait();
        if signal {
            self.signals.take().into_iter().for_each(|told| self.told(told));
        }
        // Before keys: what was written before a key was pressed holds for it.
        if settings {
            self.config_watch.take();
            self.reload(false);
        }
        if terminal {
            self.read_terminal();
        }
        self.daemon.send_typed();
        if drained && self.output.flush().is_err() {
            self.leave("");
        }
        if daemon {
            self.read_daemon();
        }
        self.on_time(Instant::now());
        self.daemon.send_typed();
    }

    /// Which of the terminal, the daemon and the signals have something, and whether the terminal takes more.
    fn wait(&mut self) -> [bool; 5] {
        let timeout = self.due().map(|due| due.saturating_duration_since(Instant::now()));
        let timeout = timeout.and_then(|time| Timespec::try_from(time).ok());
        let stdin = rustix::stdio::stdin();
        let more = if self.daemon.wants_to_write() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let out = if self.output.is_done() { PollFlags::empty() } else { PollFlags::OUT };
        let mut fds = vec![
            PollFd::from_borrowed_fd(stdin, PollFlags::IN),
            PollFd::from_borrowed_fd(self.signals.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.output.as_fd(), out),
        ];
        let (daemon, settings) = (self.daemon.fd().map(|_| 3), self.config_watch.fd());
        let settings_at = settings.map(|_| 3 + usize::from(daemon.is_some()));
        fds.extend(self.daemon.fd().map(|fd| PollFd::from_borrowed_fd(fd, more)));
        fds.extend(settings.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        if poll(&mut fds, timeout.as_ref()).is_err() {
            return [false, false, true, false, false];
        }
        let ready = |at: usize| fds.get(at).is_some_and(|fd| !fd.revents().is_empty());
        [ready(0), daemon.is_some_and(ready), ready(1), ready(2), settings_at.is_some_and(ready)]
    }

    /// When something must be done though nothing happens.
    fn due(&self) -> Option<Instant> {
        let message = self.message.as_ref().map(|(_, until)| *until);
        let dues =
            [self.input.due(), self.repeats, message, self.minute_until, self.daemon.due(), self.paste_due()];
        let dues = dues.into_iter().chain([self.layer_until, self.tree_due()]);
        dues.flatten().min()
    }

    fn on_time(&mut self, now: Instant) {
        if self.input.due().is_some_and(|due| due <= now) {
            let typed = self.input.give_up(now);
            typed.into_iter().for_each(|typed| self.typed(typed));
        }
        if self.repeats.is_some_and(|until| until <= now) {
            self.repeats = None;
        }
        if self.message.as_ref().is_some_and(|(_, until)| *until <= now) {
            self.message = None;
            self.dirty = true;
        }
        if self.layer_until.is_some_and(|until| until <= now) {
            self.layer_until = None;
            self.outcome(Outcome::Close);
        }
        if self.daemon.due().is_some_and(|due| due <= now) {
            self.reconnect();
        }
        self.tree_on_time(now);
        if self.paste_due().is_some_and(|due| due <= now) {
            self.paste_on();
        }
    }

    fn told(&mut self, told: Told) {
        match told {
            Told::Resized => self.resized(),
            Told::Ended => self.leave("[detached: the client was ended]"),
            Told::HungUp => self.leave(""),
            Told::Suspended => self.suspend(),
            Told::Continued => self.go_on(),
        }
        self.dirty = true;
    }

    fn resized(&mut self) {
        self.size = raw::size();
        self.painter.forget();
        self.leads = true;
        self.attach();
        self.fit_popup();
        self.settle();
    }

    /// Gives the terminal back and sleeps until somebody continues the client.
    pub(super) fn suspend(&mut self) {
        self.output.finish();
        raw::leave();
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
        self.signals.forget(Told::Continued);
        self.go_on();
    }

    /// The client was asleep, by its own will or stopped from outside: somebody else had the terminal meanwhile.
    fn go_on(&mut self) {
        self.output.finish();
        if raw::again().is_err() {
            self.leave("");
        }
        self.ask_terminal();
        self.resized();
        self.dirty = true;
    }

    fn read_terminal(&mut self) {
        match rustix::io::read(rustix::stdio::stdin(), &mut self.piece) {
            Ok(0) => self.leave(""),
            Ok(count) => {
                let typed = self.input.feed(&self.piece[..count], Instant::now());
                typed.into_iter().for_each(|typed| self.typed(typed));
            }
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(_) => self.leave(""),
        }
    }
}
