//! What the client is to write or to do, as its commands, the panes that it shows and events tell it.

use std::sync::mpsc::SyncSender;

use fugue_protocol::{Event, PaneId, SessionId, Size, Timestamp};

/// What the client is to write or to do.
pub(super) enum ControlTask {
    /// The block of a command.
    Block(Vec<u8>),
    /// It shows another session. The sender is dropped when it does.
    Show(SessionId, SyncSender<()>),
    /// It asked for something. The sender is dropped when that is done: the next command sees its effect.
    Request(Request, SyncSender<()>),
    /// A format to which it subscribed has another value.
    Subscribed(String),
    /// Output of a pane.
    Output(PaneId, OutputPart),
    /// An event.
    Event(Box<Event>),
    /// A message is to be shown.
    Say(String),
    /// Another daemon has taken over.
    DaemonReplaced,
    /// It ends, perhaps for a reason.
    Exit(Option<&'static str>),
}

/// What the client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// The size of all windows.
    Size(Size),
    /// The size of a single window; none gives it that of all again.
    WindowSize {
        /// Its number.
        window: u64,
        /// The size.
        size: Option<Size>,
    },
    /// Whether the client waits for the end of its input when it ends.
    WaitAtExit(bool),
    /// Pauses of output that is older than so many seconds; none turns them off.
    PauseAfter(Option<u64>),
    /// Whether output is written at all.
    Output(bool),
    /// The output of a pane goes on, or pauses.
    Flow {
        /// Its number.
        pane: u64,
        /// Whether it goes on.
        goes_on: bool,
    },
}

/// A part of the output of a pane.
#[derive(Debug)]
pub(super) enum OutputPart {
    /// The program wrote these bytes then.
    Wrote(Timestamp, Vec<u8>),
    /// What draws the screen as it is when the stream begins.
    Begins(Vec<u8>),
    /// Output was lost; these bytes draw the screen as it is now.
    Lost(Vec<u8>),
    /// Nothing that is written.
    Silent,
    /// The daemon sends no more of it.
    Refused,
}
