//! The messages between daemon and keeper. `codec` turns them into frames, `spawn_body` handles the variable-length part
//! of a spawn request, and `link` sends them.
//!
//! A keeper outlives many daemons, so either side may be the older one: an unknown kind of message is an error that the
//! receiver may skip, and in a frame that is longer than expected the known part is read.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use fugue_resources::Placement;

/// The version sent in [`Message::Ready`]; raised when a message changes its meaning. Since 2, keepers mark
/// how far a spawn got. Since 3, they can be upgraded. Since 4, they answer a `Ping`.
pub const VERSION: u16 = 4;

/// The longest frame. Frames take a few dozen bytes, since a spawn's body is sent as a memfd; the rest is reserved for
/// later fields.
pub const MAX_FRAME: usize = 256;

/// A pane's id, as assigned by the daemon.
pub type PaneId = [u8; 16];

/// A message on the link. In brackets: the descriptors that come with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Daemon: requests the lease. Answered by one `Holding` per pane, then `Ready`.
    Take,
    /// Daemon: requests a program to be started. Answered by `Spawned` or `SpawnFailed`.
    Spawn(SpawnRequest),
    /// Daemon: stores a snapshot of the screen at `offset` \[memfd\]; the output before it may be freed.
    Stored {
        /// The pane.
        pane: PaneId,
        /// The offset in the output up to which the snapshot accounts for it.
        offset: u64,
    },
    /// Daemon: drops the pane. A program that still runs is terminated.
    Forget {
        /// The pane.
        pane: PaneId,
    },
    /// Daemon: requests the keeper to terminate every program and exit.
    Shutdown,
    /// Daemon: replaces the client socket; the next daemon gets this one \[listener\].
    Listen,
    /// Daemon: it serves clients from now on.
    Serving,
    /// Daemon: it cannot serve \[memfd with the reason\].
    Failed,
    /// Daemon: makes a new keeper the successor of one that was killed \[the daemon's pidfd, listener, lock
    /// if there is one\]. The daemon has the lease and goes on.
    Succeed,
    /// Daemon: gives the successor a pane of the killed keeper \[master, pipe_r, pipe_w, segment, pidfd, snapshot if there
    /// is one\].
    Adopt(Holding),
    /// Daemon: has the successor terminate a program that the daemon had dropped \[pidfd\].
    Terminate {
        /// The pane that the program was in.
        pane: PaneId,
        /// The program's process id.
        pid: i32,
    },
    /// Daemon: the successor was sent everything. Answered by `Successor`.
    AdoptionEnd,
    /// Daemon: has the keeper execute another binary \[memfd with its command line\]. Answered by `Upgraded` or
    /// `UpgradeFailed`; a keeper that closes the link instead has failed after it executed the binary.
    Upgrade,
    /// Daemon: asks whether the keeper still handles requests. Answered by `Pong`, after everything that was asked before.
    Ping,
    /// Keeper: describes a pane that it holds \[master, pipe_r, pipe_w, segment, pidfd, snapshot if there is one\].
    Holding(Holding),
    /// Keeper: all panes were sent, and the daemon has the lease.
    Ready {
        /// The keeper's [`VERSION`].
        version: u16,
        /// The number of panes, including any that the daemon dropped meanwhile and that were therefore not sent.
        panes: u32,
    },
    /// Keeper: the program runs \[master, pipe_r, pipe_w, segment, pidfd\]. Also sent for spawns that an earlier daemon
    /// requested.
    Spawned {
        /// The pane.
        pane: PaneId,
        /// The program's process id, also its session and first process group.
        pid: i32,
    },
    /// Keeper: the program could not be started, and the pane does not exist.
    SpawnFailed {
        /// The pane.
        pane: PaneId,
        /// The step that failed.
        stage: SpawnStage,
        /// The system's error number.
        errno: i32,
    },
    /// Keeper: the program has exited. Its last output may not have been read yet: pump until `Hangup` or `Drained`.
    Exited {
        /// The pane.
        pane: PaneId,
        /// The exit code or signal.
        exit: Exit,
    },
    /// Keeper: it runs the binary that was requested, and has everything that it had before.
    Upgraded,
    /// A message that only the next version has (`tools/next_version.rs`).
    #[cfg(fugue_next)]
    Marked,
    /// Keeper: the binary that was requested cannot be executed; the keeper goes on as before.
    UpgradeFailed {
        /// The system's error number.
        errno: i32,
    },
    /// Keeper: it is the successor of a keeper that was killed, and holds everything \[its pidfd\].
    Successor {
        /// Its process id.
        pid: i32,
        /// Its [`VERSION`]; 0 if it did not say, as keepers before version 4.
        version: u16,
    },
    /// Keeper: it handles requests.
    Pong,
}

/// A program to start in a new pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpawnRequest {
    /// The new pane's id.
    pub pane: PaneId,
    /// The program: a path, or a name looked up in the `PATH` of `env`.
    pub program: OsString,
    /// All arguments, including the zeroth (`-bash` for a login shell).
    pub argv: Vec<OsString>,
    /// The whole environment, in order.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The width of the terminal.
    pub cols: u16,
    /// The height of the terminal.
    pub rows: u16,
    /// The control group that the program gets.
    pub placement: Option<Placement>,
}

/// A pane as the keeper holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding {
    /// The pane.
    pub pane: PaneId,
    /// The program's process id.
    pub pid: i32,
    /// The offset of the newest snapshot, or 0; the segment holds the output after it.
    pub stored_offset: u64,
    /// The offset up to which a daemon has seen the output: queries before it were answered, those after it were not.
    pub seen_offset: u64,
    /// Whether a snapshot is among the descriptors.
    pub snapshot: bool,
    /// Whether the quota was reached while no daemon was running: the program may be blocked on a write.
    pub stalled: bool,
    /// The exit of the program, if it has exited.
    pub exit: Option<Exit>,
}

/// The exit of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It is gone, and its exit status is not known.
    Unknown,
}

/// The step of a spawn that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpawnStage {
    /// Checking the request: a string with a NUL, no program, an id that is in use.
    Request,
    /// Getting descriptors, terminals, processes or memory from the system.
    Limit,
    /// Opening the terminal.
    Pty,
    /// Entering the working directory.
    Cwd,
    /// Executing the program.
    Exec,
}

/// The reason why a frame could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// It is empty.
    Empty,
    /// It is longer than [`MAX_FRAME`].
    TooLong,
    /// It ends before its last field.
    TooShort,
    /// It has an unknown kind, tag or stage.
    Unknown(u8),
    /// The body of a spawn request is missing, too large or truncated. Its pane is known, so it can be answered.
    Body(PaneId),
    /// Descriptors are missing, for instance because the receiver has no room for more.
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
