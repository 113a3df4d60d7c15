//! The attached client: an event loop over the terminal, the daemon, signals, the configuration file and timers, which
//! draws when something changed and never waits for one of them alone.
//!
//! `state/` holds the parts of the client, each with its own rules and tests. The files beside it are what the client
//! does when something happens; each is one group of methods of [`App`].

pub(crate) mod agent_acts;
mod buffers;
mod clipboard;
mod command_replies;
mod commands;
mod copy_mode;
mod event_loop;
mod find_window;
mod hints;
mod history_editor;
mod hosts;
mod images;
mod input;
mod key_input;
mod line_origin;
mod mouse_input;
mod mouse_selection;
mod notifications;
mod overlay_actions;
mod paste_input;
mod popup;
mod predicted_echo;
mod questions;
mod render;
mod server_events;
mod server_messages;
mod settings;
mod sidebar;
mod signals;
mod state;
mod status_content;
mod status_line;
mod tmux_lines;
mod watched_panes;
mod window_size;

use std::time::{Duration, Instant};

use fugue_client::CallError;
use fugue_protocol::Size;

use crate::attachment::{AttachEnd, AttachOptions};
use crate::command::CommandOrigin;
use crate::config::ClientConfig;
use crate::last_copied::LastCopied;
use crate::paint::{ColorDepth, TerminalCharset};
use crate::tree::Tree;
use crate::tty::raw_mode;

use state::{
    CommandedLines, CopyOffer, DaemonConnection, Display, EchoPrediction, EventSources, HostLines,
    KeyboardState, MouseState, OpenOverlays, PaneViews, PasteQueues, StatusMessages,
};
pub(crate) use window_size::new_window_size;

/// The code of the refusal of a client that speaks another protocol.
const VERSION_MISMATCH: &str = "version_mismatch";

/// A variable of the environment; empty when it is not set.
fn env_var(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn unusable(why: std::io::Error) -> CallError {
    CallError::Local(format!("Cannot use this terminal: {why}"))
}

/// What was copied, and what is being pasted.
struct Pastes {
    copied: LastCopied,
    /// A text that is appended to the newest buffer once that is known.
    appended: Option<String>,
    /// The text that a program last wanted on the clipboard, until a person allows it.
    offered: Option<CopyOffer>,
    queues: PasteQueues,
}

/// How long the first frame may be late: shorter than a person notices, longer than a daemon on this host needs.
const FIRST_FRAME_WAIT: Duration = Duration::from_millis(100);

/// An attached client.
pub(crate) struct App {
    options: AttachOptions,
    config: ClientConfig,
    events: EventSources,
    daemon: DaemonConnection,
    hosts: HostLines,
    commanded: CommandedLines,
    /// Where the line comes from that is being run.
    line_origin: CommandOrigin,
    tree: Tree,
    panes: PaneViews,
    prediction: EchoPrediction,
    display: Display,
    keyboard: KeyboardState,
    mouse: MouseState,
    overlays: OpenOverlays,
    messages: StatusMessages,
    pastes: Pastes,
}

impl App {
    pub(crate) fn new(mut options: AttachOptions) -> Result<Self, CallError> {
        let depth = ColorDepth::of(&env_var("TERM"), &env_var("COLORTERM"));
        let mut daemon = DaemonConnection::open(&options.paths, options.connection.take())?;
        // The daemon answers while this process sets itself and the terminal up.
        server_messages::request_tree(&mut daemon);
        let mut app = Self {
            daemon,
            events: EventSources::new(&options.paths).map_err(unusable)?,
            config: ClientConfig::default(),
            hosts: HostLines::default(),
            commanded: CommandedLines::default(),
            line_origin: CommandOrigin::Person,
            tree: Tree::new(options.session),
            panes: PaneViews::default(),
            prediction: EchoPrediction::default(),
            display: Display::new(raw_mode::size(), depth),
            keyboard: KeyboardState::new(Instant::now()),
            mouse: MouseState::default(),
            overlays: OpenOverlays::default(),
            messages: StatusMessages::default(),
            pastes: Pastes {
                copied: LastCopied::default(),
                appended: None,
                offered: None,
                queues: PasteQueues::default(),
            },
            options,
        };
        app.display.painter.set_charset(TerminalCharset::of_locale(env_var));
        app.tree.host = app.daemon.host_name().map(str::to_owned);
        // Another host may have another home directory.
        let home = Some(env_var("HOME")).filter(|home| !home.is_empty() && app.options.paths.host.is_none());
        app.tree.home = home;
        app.reload_config(false);
        if app.config.settings.sidebar {
            app.display.sidebar.state = state::display::SidebarState::ByDefault;
        }
        app.advise_inside_tmux();
        if app.options.welcome {
            app.messages.welcome(Instant::now());
        }
        Ok(app)
    }

    /// Runs until the person detaches.
    pub(crate) fn run(mut self) -> Result<AttachEnd, CallError> {
        raw_mode::leave_on_panic();
        raw_mode::enter().map_err(unusable)?;
        self.query_terminal();
        self.display.first_frame_due = Some(Instant::now() + FIRST_FRAME_WAIT);
        self.introduce();
        while self.events.exit.is_none() {
            self.draw();
            self.turn();
        }
        self.finish_input();
        let result = self.events.exit.take().unwrap_or_else(|| Ok(String::new()));
        self.close_popup();
        self.remove_images();
        self.display.output.finish();
        self.daemon.farewell();
        self.hosts.iter().for_each(|line| line.daemon.farewell());
        raw_mode::leave();
        match result {
            // The executable of a daemon on another host is not here.
            Err(CallError::Refused(refused))
                if refused.code == VERSION_MISMATCH && self.daemon.host().is_none() =>
            {
                Ok(AttachEnd::OtherProtocol { refused, session: self.tree.here })
            }
            result => result.map(AttachEnd::Line),
        }
    }

    /// The room for a window now.
    fn window_area(&self) -> Size {
        self.display.window_area()
    }

    /// Ends the client with this last line.
    fn exit_with(&mut self, line: impl Into<String>) {
        self.events.exit = Some(Ok(line.into()));
    }
}
