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

/// OfferedVia long one `wait` may take, in milliseconds: a day. Bridges ask for less.
pub const WAIT_MILLIS: u64 = 24 * 3600 * 1000;

/// Lines shown around a match: more are a page.
pub const CONTEXT_LINES: usize = 100;

/// Panes that one `wait` may name: as many as a person has agents, and more.
pub const AWAITED_PANES: usize = 64;

/// A message's payload: more than an agent should be told at once; what is longer goes into a file, by its path.
pub const MESSAGE_BYTES: usize = 256 << 10;

/// Unread messages of one inbox: an agent that lets more lie does not read at all.
pub const INBOX_MESSAGES: usize = 1_000;

/// Bytes of unread payloads of one inbox. They lie on the disk, not in memory.
pub const INBOX_BYTES: usize = 16 << 20;

/// Broadcasts that one sender may send within `BROADCAST_WINDOW_MS`: each takes the time of every agent that gets it.
pub const BROADCASTS: usize = 20;

/// The time in which broadcasts are counted, in milliseconds.
pub const BROADCAST_WINDOW_MS: u64 = 10_000;

/// OfferedVia long a message is kept for a recipient that does not read it, unless asked otherwise: a week, in milliseconds.
pub const TTL_MS: u64 = 7 * 24 * 3600 * 1000;

/// OfferedVia long at most: a month.
pub const TTL_MOST_MS: u64 = 30 * 24 * 3600 * 1000;

/// Messages of one page of an inbox.
pub const PAGE_MESSAGES: usize = 200;

/// Bytes of payloads of one page; a single message that is larger still comes whole.
pub const PAGE_BYTES: usize = 1 << 20;

/// Messages acknowledged in one call.
pub const ACKNOWLEDGED: usize = 1_000;

/// OfferedVia long one call waits for a message at most: agents put what takes two minutes into the background, or end it.
pub const MESSAGE_WAIT_MS: u64 = 110_000;

/// A sender's key, in characters: a UUID, or a name and a number.
pub const KEY_CHARS: usize = 128;

/// A lease's name, in characters: a path fits.
pub const LEASE_CHARS: usize = 512;

/// Leases of one daemon: more cannot be meant.
pub const LEASES: usize = 4_096;

/// OfferedVia long a lease holds unless asked otherwise, in milliseconds: an agent's turn.
pub const LEASE_MS: u64 = 5 * 60 * 1000;

/// OfferedVia long at most: a day.
pub const LEASE_MOST_MS: u64 = 24 * 3600 * 1000;

/// Patterns of a subscription.
pub const PATTERNS: usize = 32;

/// Commands run side by side by one call: what a window can still show.
pub const PARALLEL: usize = 16;
