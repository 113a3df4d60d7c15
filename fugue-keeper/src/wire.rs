//! What daemon and keeper say to each other, as fixed little-endian frames. Pure: descriptors and sockets are the
//! link's part, the long body of a spawn request is `body`'s.
//!
//! A keeper outlives many daemons, so either side may be the older one: a kind nobody knows is an error value the
//! receiver may skip, and a frame longer than known is read for the part that is known.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// The version told in [`Message::Ready`]; raised when a message changes its meaning.
pub const VERSION: u16 = 1;

/// Frames are a few dozen bytes, since a spawn's body travels in a memfd. The rest is room for later fields.
pub const MAX_FRAME: usize = 256;

/// A pane's id, as the daemon gave it.
pub type PaneId = [u8; 16];

/// One message on the link. In brackets: the descriptors that come with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Daemon: I pump from here on. Answered by one `Holding` per pane, then `Ready`.
    Take,
    /// Daemon: start this program. Answered by `Spawned` or `SpawnFailed`.
    Spawn(SpawnRequest),
    /// Daemon: the screen at `offset` is in this snapshot \[memfd\]; output below it may go.
    Stored {
        /// The pane.
        pane: PaneId,
        /// How much of the output the snapshot accounts for.
        offset: u64,
    },
    /// Daemon: drop the pane. A program that still lives is ended.
    Forget {
        /// The pane.
        pane: PaneId,
    },
    /// Daemon: end every program, then yourself.
    Shutdown,
    /// Daemon: the client socket was made anew; the next daemon gets this one \[listener\].
    Listen,
    /// Keeper: a pane it holds \[master, pipe_r, pipe_w, segment, pidfd, snapshot if there is one\].
    Holding(Holding),
    /// Keeper: every pane was told; the daemon has the lease.
    Ready {
        /// The keeper's [`VERSION`].
        version: u16,
        /// How many panes were to be told; one the daemon forgot meanwhile was left out.
        panes: u32,
    },
    /// Keeper: the program runs \[master, pipe_r, pipe_w, segment, pidfd\]. A successor also hears of the spawns its
    /// predecessor asked for.
    Spawned {
        /// The pane.
        pane: PaneId,
        /// The program's process id, also its session and first process group.
        pid: i32,
    },
    /// Keeper: the program does not run, and the pane does not exist.
    SpawnFailed {
        /// The pane.
        pane: PaneId,
        /// What could not be done.
        stage: Stage,
        /// The system's error number.
        errno: i32,
    },
    /// Keeper: the program has ended. Its last output may still be on the way: pump until `Hangup` or `Drained`.
    Exited {
        /// The pane.
        pane: PaneId,
        /// How it ended.
        exit: Exit,
    },
}

/// A program to start in a new pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpawnRequest {
    /// The new pane's id.
    pub pane: PaneId,
    /// What to execute: a path, or a name looked up in the `PATH` of `env`.
    pub program: OsString,
    /// All arguments, the zeroth included (`-bash` for a login shell).
    pub argv: Vec<OsString>,
    /// The whole environment, in order.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory.
    pub cwd: PathBuf,
    /// Width of the terminal.
    pub cols: u16,
    /// Height of the terminal.
    pub rows: u16,
}

/// A pane as the keeper holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding {
    /// The pane.
    pub pane: PaneId,
    /// The program's process id.
    pub pid: i32,
    /// The offset of the last snapshot; the segment holds what follows it. 0 with no snapshot.
    pub stored_offset: u64,
    /// The output that a daemon has seen: queries in it were answered, those after it were not.
    pub seen_offset: u64,
    /// A snapshot is among the descriptors.
    pub snapshot: bool,
    /// The quota was reached while no daemon lived: the program may be waiting to write.
    pub stalled: bool,
    /// How the program ended, if it has.
    pub exit: Option<Exit>,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It is gone and nobody could say how.
    Unknown,
}

/// What could not be done for a spawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The request itself: a string with a NUL, no program, an id in use.
    Request,
    /// The system has no more descriptors, terminals, processes or memory.
    Limit,
    /// Making the terminal.
    Pty,
    /// Entering the working directory.
    Cwd,
    /// Executing the program.
    Exec,
}

/// Why a frame could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// No kind at all.
    Empty,
    /// Longer than [`MAX_FRAME`].
    TooLong,
    /// Ends before its fields do.
    TooShort,
    /// A kind, tag or stage from elsewhere.
    Unknown(u8),
    /// The body of a spawn request is missing, too large or cut. Its pane is known, so it can be answered.
    Body(PaneId),
    /// Descriptors are missing, for instance since the receiver has no room for more.
    Descriptors,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed frame: {self:?}")
    }
}

impl std::error::Error for Malformed {}

impl From<Malformed> for std::io::Error {
    fn from(malformed: Malformed) -> Self {
        Self::new(std::io::ErrorKind::InvalidData, malformed)
    }
}
