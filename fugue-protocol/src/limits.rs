//! Every bound that both sides know, with its reason.

/// A request: room for the largest input and a big environment, small enough that 256 of them do no harm.
pub const REQUEST_BYTES: usize = 4 << 20;

/// The greeting: before a peer is known, it gets no more memory than this.
pub const GREETING_BYTES: usize = 64 << 10;

/// A reply or a screen update: the longest history that may be read at once, as JSON, with room to spare.
pub const REPLY_BYTES: usize = 64 << 20;

/// Text of one `send-input`: more than anyone types, less than would stall a pane's queue.
pub const INPUT_BYTES: usize = 1 << 20;

/// A window's side: a terminal wider than this does not exist, and a grid of this size still fits in memory.
pub const SIDE: u16 = 1_000;

/// A name, in characters: what still reads on a status line.
pub const NAME_CHARS: usize = 100;

/// A tag, in characters: `child:` and the name of any session fit.
pub const TAG_CHARS: usize = NAME_CHARS + "child:".len();

/// Tags of one session.
pub const TAGS: usize = 64;

/// Keys of a session's metadata or environment.
pub const ENTRIES: usize = 256;

/// One value of metadata or environment.
pub const VALUE_BYTES: usize = 32 << 10;

/// Panes of one window: more cannot be seen, and layouts stay quick.
pub const PANES_PER_WINDOW: usize = 256;

/// Panes of one daemon: each holds five descriptors.
pub const PANES: usize = 4_096;

/// Words and bytes of one command.
pub const COMMAND_BYTES: usize = 128 << 10;

/// How long one `wait` may take, in milliseconds: a day. Bridges ask for less.
pub const WAIT_MILLIS: u64 = 24 * 3600 * 1000;
