//! The client: one loop that waits for the terminal, the daemon, signals and the clock, and draws when something
//! changed. It never waits for one of them alone.

mod answers;
mod asked;
mod changed;
mod command;
mod daemon;
mod editor;
mod hear;
mod held;
mod layered;
mod mouse;
mod notify;
mod pasting;
mod pasts;
mod popup;
mod saying;
mod selecting;
mod settings;
mod settle;
mod show;
mod sidebar;
mod signalled;
mod turning;
mod typed;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::time::Instant;

use fugue_client::CallError;
use fugue_protocol::{PaneId, Size};
use fugue_screen::{Mirror, Rgb};

use crate::AttachOptions;
use crate::config::{Config, Watch};
use crate::overlays::Overlay;
use crate::paint::{ColorDepth, Painter};
use crate::paste_buffers::Buffers;
use crate::theme::Theme;
use crate::tree::Tree;
use crate::tty::input_decoder::InputDecoder;
use crate::tty::output::TerminalOutput;
use crate::tty::poller::Poller;
use crate::tty::raw_mode;
use crate::tty::signals::Signals;

use daemon::DaemonLink;

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

/// What the status line says.
struct StatusMessage {
    words: String,
    until: Instant,
    /// The next key does not take it away.
    firm: bool,
}

/// A client at work.
pub(crate) struct App {
    options: AttachOptions,
    config: Config,
    config_watch: Watch,
    theme: Rc<Theme>,
    /// The outer terminal's own colors, where it told them.
    foreground: Option<Rgb>,
    background: Option<Rgb>,
    palette: BTreeMap<u8, Rgb>,
    daemon: DaemonLink,
    signals: Signals,
    waits: Poller,
    input: InputDecoder,
    /// Where the terminal's bytes are read to.
    piece: Vec<u8>,
    output: TerminalOutput,
    tree: Tree,
    mirrors: BTreeMap<PaneId, Mirror>,
    /// Panes whose screens were asked for.
    watched: BTreeSet<PaneId>,
    size: Size,
    painter: Painter,
    /// Something changed since the last picture: all of it is drawn anew.
    dirty: bool,
    /// What changed in the panes.
    changed: changed::Damage,
    /// The time that the last picture shows, and until when it is right.
    minute: String,
    minute_until: Option<Instant>,
    /// The tree changed since it was asked for.
    stale: bool,
    /// The prefix was pressed; or until when a key that repeats needs none.
    prefix: bool,
    repeats: Option<Instant>,
    /// When what is being taken was typed.
    typed_at: Instant,
    /// What was typed and waits until the client is where a command led.
    held: held::DeferredInput,
    /// It has waited for long.
    held_long: bool,
    message: Option<StatusMessage>,
    /// What lies over the panes.
    layer: Option<Overlay>,
    /// Views back in panes without the keyboard.
    pasts: pasts::CopyViews,
    /// Lines typed at the prompt.
    lines: Vec<String>,
    /// What was copied.
    buffers: Buffers,
    /// What the status line said, and when.
    said: VecDeque<(String, String)>,
    /// What is wrong with the settings, and what the daemon complained about.
    mistakes: Vec<String>,
    warnings: Vec<String>,
    /// What lies over the panes goes away by itself then.
    layer_until: Option<Instant>,
    /// A button that is, or was, held down in a pane.
    pressed: Option<selecting::MousePress>,
    /// This client was the last to use the window: it has this client's size.
    leads: bool,
    /// The client whose size it has, if that is another one.
    led_by: Option<u64>,
    /// A box over the panes with a program in it.
    popup: Option<popup::Popup>,
    /// The sidebar is open.
    sidebar: bool,
    /// The terminal has the person's eye, as far as it tells.
    focused: bool,
    /// The tree is not asked for before this.
    tree_again: Option<Instant>,
    /// When a pane was closed last.
    closed_at: Option<fugue_protocol::Timestamp>,
    /// Sizes that were asked for and not seen yet.
    asked_size: Option<(fugue_protocol::WindowId, Size)>,
    dragged: Option<mouse::BorderDrag>,
    /// Parts of pastes that wait until the pane takes them.
    pastes: VecDeque<(PaneId, Vec<u8>)>,
    paste_again: Option<Instant>,
    /// The part under way, which is no text, found no room.
    paste_refused: bool,
    /// The daemon does not answer.
    silent: bool,
    /// A session that was made and is shown as soon as it is told of.
    arriving: Option<fugue_protocol::SessionId>,
    /// The last words; the loop ends when there are some.
    farewell: Option<Result<String, CallError>>,
}

impl App {
    pub(crate) fn new(options: AttachOptions) -> Result<Self, CallError> {
        let daemon = DaemonLink::open(&options.places)?;
        let trouble = |why: std::io::Error| CallError::Place(format!("this terminal cannot be used: {why}"));
        let (term, colorterm) = (variable("TERM"), variable("COLORTERM"));
        let signals = Signals::new().map_err(trouble)?;
        let config_watch = Watch::new(&options.places.config);
        let waits = Poller::new(signals.as_fd(), config_watch.fd()).map_err(trouble)?;
        let mut app = Self {
            config: Config::default(),
            config_watch,
            theme: Rc::default(),
            foreground: None,
            background: None,
            palette: BTreeMap::new(),
            daemon,
            signals,
            waits,
            input: InputDecoder::default(),
            piece: vec![0; PIECE],
            output: TerminalOutput::default(),
            tree: Tree::new(options.session),
            mirrors: BTreeMap::new(),
            watched: BTreeSet::new(),
            size: raw_mode::size(),
            painter: Painter::new(ColorDepth::of(&term, &colorterm)),
            dirty: true,
            changed: changed::Damage::default(),
            minute: String::new(),
            minute_until: None,
            stale: false,
            prefix: false,
            repeats: None,
            typed_at: Instant::now(),
            held: held::DeferredInput::default(),
            held_long: false,
            message: None,
            layer: None,
            pasts: pasts::CopyViews::default(),
            lines: Vec::new(),
            buffers: Buffers::default(),
            said: VecDeque::new(),
            mistakes: Vec::new(),
            warnings: Vec::new(),
            layer_until: None,
            pressed: None,
            leads: true,
            led_by: None,
            popup: None,
            sidebar: false,
            focused: true,
            tree_again: None,
            closed_at: None,
            asked_size: None,
            dragged: None,
            pastes: VecDeque::new(),
            paste_again: None,
            paste_refused: false,
            silent: false,
            arriving: None,
            farewell: None,
            options,
        };
        app.reload(false);
        app.sidebar = app.config.sidebar;
        if app.options.first && app.message.is_none() {
            app.welcome();
        }
        Ok(app)
    }

    /// Stays until the person leaves.
    pub(crate) fn run(mut self) -> Result<String, CallError> {
        raw_mode::leave_on_panic();
        raw_mode::enter().map_err(|why| CallError::Place(format!("this terminal cannot be used: {why}")))?;
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
        raw_mode::leave();
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
}
