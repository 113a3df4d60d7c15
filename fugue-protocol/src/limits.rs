//! Limits known to clients and daemon, each with its reason.

/// Size of a request: room for the largest input and a big environment, small enough that 256 of them do no harm.
pub const REQUEST_BYTES: usize = 4 << 20;

/// Size of the greeting: an unknown peer gets no more memory than this.
pub const GREETING_BYTES: usize = 64 << 10;

/// Size of a reply or a screen update: the longest history that can be read at once, as JSON, with room to spare.
pub const REPLY_BYTES: usize = 64 << 20;

/// Size of the input of one `send-input`: more than anyone types, less than would stall a pane's queue.
pub const INPUT_BYTES: usize = 1 << 20;

/// Width and height of a window: no terminal is larger, and a grid of this size still fits in memory.
pub const SIDE: u16 = 1_000;

/// Length of a name, in characters: what fits on a status line.
pub const NAME_CHARS: usize = 100;

/// Length of a tag, in characters: `child:` and any session name fit.
pub const TAG_CHARS: usize = NAME_CHARS + "child:".len();

/// Number of tags of a session.
pub const TAGS: usize = 64;

/// Number of entries in a session's metadata or environment.
pub const ENTRIES: usize = 256;

/// Size of one value of metadata or environment.
pub const VALUE_BYTES: usize = 32 << 10;

/// Number of panes of a window: more cannot be seen, and layouts stay fast.
pub const PANES_PER_WINDOW: usize = 256;

/// Number of panes of a daemon: the kernel has no more terminals by default (`/proc/sys/kernel/pty/max`).
pub const PANES: usize = 4_096;

/// Size of a command line.
pub const COMMAND_BYTES: usize = 128 << 10;

/// Duration of one `wait`, in milliseconds: a day. MCP servers ask for less.
pub const WAIT_MILLIS: u64 = 24 * 3600 * 1000;

/// Number of lines shown around a match.
pub const CONTEXT_LINES: usize = 100;

/// Number of panes in one `wait`: more than a person has agents.
pub const AWAITED_PANES: usize = 64;

/// Size of a message's payload: longer content belongs in a file, sent by its path.
pub const MESSAGE_BYTES: usize = 256 << 10;

/// Number of unread messages of agents in an inbox: an agent that leaves more does not read them at all. One session may
/// take up as much as it leaves free, so at most half, and others can still send.
pub const INBOX_MESSAGES: usize = 2_000;

/// Size of all unread payloads of agents in an inbox, shared in the same way. They are on disk, not in memory.
pub const INBOX_BYTES: usize = 32 << 20;

/// Number of messages that wait to be relayed to other hosts: more than an hour's work of a busy host.
pub const OUTBOX_MESSAGES: usize = 10_000;

/// Size of their payloads. They are on disk, not in memory.
pub const OUTBOX_BYTES: usize = 64 << 20;

/// Number of hosts that a message for a group on all hosts goes to.
pub const GROUP_HOSTS: usize = 1_000;

/// Number of sessions of one host that a message for a group on all hosts reaches: as many as a host has agents, several
/// times over.
pub const GROUP_SESSIONS: usize = 100;

/// Number of messages that are taken from another host per minute; as many as from a session of this one.
pub const FLEET_MESSAGES: usize = AGENT_MESSAGES;

/// How long a request to create a session on another host is valid, in milliseconds: whoever asked has given up by then.
pub const START_TTL_MS: u64 = 600_000;

/// How long a caller waits for a session on another host, in milliseconds: a relay that is connected needs less than one
/// second, and a worktree a few.
pub const START_WAIT_MS: u64 = 30_000;

/// Number of unread messages for which an inbox has room beyond those of agents, so that users can always send some.
pub const INBOX_USER_MESSAGES: usize = 100;

/// Size of their payloads.
pub const INBOX_USER_BYTES: usize = 1 << 20;

/// Number of broadcasts of one sender within `BROADCAST_WINDOW_MS`: each takes the time of every recipient.
pub const BROADCASTS: usize = 20;

/// The period in which broadcasts are counted, in milliseconds.
pub const BROADCAST_WINDOW_MS: u64 = 10_000;

/// Default time until an unread message expires, in milliseconds: a week.
pub const TTL_MS: u64 = 7 * 24 * 3600 * 1000;

/// Longest time until an unread message expires: a month.
pub const TTL_MOST_MS: u64 = 30 * 24 * 3600 * 1000;

/// Number of messages in one page of an inbox.
pub const PAGE_MESSAGES: usize = 200;

/// Size of the payloads in one page; a single larger message is still returned whole.
pub const PAGE_BYTES: usize = 1 << 20;

/// Number of messages acknowledged in one call.
pub const ACKNOWLEDGED: usize = 1_000;

/// Longest wait for a message in one call: agents move calls of two minutes to the background, or cancel them.
pub const MESSAGE_WAIT_MS: u64 = 110_000;

/// Length of an idempotency key, in characters: a UUID, or a name and a number.
pub const KEY_CHARS: usize = 128;

/// Length of a lease's name, in characters: a path fits.
pub const LEASE_CHARS: usize = 512;

/// Number of worktrees that are remembered: more would be a mistake.
pub const WORKTREES: usize = 1_024;

/// Number of leases of all agents: more would be a mistake. One session may hold as many as it leaves free.
pub const LEASES: usize = 4_096;

/// Number of leases that users can hold beyond those of agents.
pub const USER_LEASES: usize = 256;

/// Default time until a lease expires, in milliseconds: about one turn of an agent.
pub const LEASE_MS: u64 = 5 * 60 * 1000;

/// Longest time until a lease expires: a day.
pub const LEASE_MOST_MS: u64 = 24 * 3600 * 1000;

/// Number of patterns in a subscription.
pub const PATTERNS: usize = 32;

/// Number of commands in one `run-parallel`: as many as a window can show.
pub const PARALLEL: usize = 16;

/// Default number of living sessions that an agent and its descendants created: an orchestrator of 200 agents has room to
/// spare, and a loop that creates sessions ends after a second or two.
pub const AGENT_SESSIONS: usize = 256;

/// Default number of living panes for an agent and its descendants: two for each session, and an eighth of the
/// daemon's.
pub const AGENT_PANES: usize = 512;

/// Default number of programs that an agent and its descendants start in a minute, all at once or ten a second: a script
/// of short commands runs at full speed for a minute, and a loop that forks cannot take the machine.
pub const AGENT_SPAWNS: usize = 600;

/// Default number of messages that a session sends in a minute: as many as the daemon keeps may be sent
/// at once, and two agents that answer each other in a loop are slowed down to 200 a second, which the disk can take.
/// Descendants count for themselves: 200 of them may each report often.
pub const AGENT_MESSAGES: usize = 12_000;

/// Number of waits for messages, leases and commands that an agent may have in progress: one for each of its 200 agents.
pub const AGENT_WAITS: usize = 256;

/// Size of the tags, metadata and environment of an agent's sessions and their descendants: 64 KiB for each of
/// `AGENT_SESSIONS`. The daemon keeps two copies of them in memory.
pub const AGENT_ENTRY_BYTES: usize = 16 << 20;

/// Number of options that tmux's commands have set: a program that sets more sets them in a loop.
pub const OPTIONS: usize = 10_000;

/// Size of an option's name and value.
pub const OPTION_BYTES: usize = 64 << 10;

/// Size of all options: every command of tmux's reads them, and every checkpoint of the journal contains them.
pub const ALL_OPTION_BYTES: usize = 4 << 20;

/// Number of lines of hooks that `set-hook` has set: each event of a few scopes has some.
pub const HOOK_LINES: usize = 500;

/// Size of a line of a hook and of its event's name: longer ones belong in a file.
pub const HOOK_BYTES: usize = 4 << 10;

/// Number of paste buffers that got their names by themselves: tmux's `buffer-limit`.
pub const AUTOMATIC_BUFFERS: usize = 50;

/// Number of paste buffers that were named: a program that names more does so in a loop.
pub const NAMED_BUFFERS: usize = 1_000;

/// Size of a paste buffer: as base64, it fits a request.
pub const BUFFER_BYTES: usize = 2 << 20;

/// Size of all paste buffers: every checkpoint of the journal contains them, and takes a tenth of a second with so many.
pub const ALL_BUFFER_BYTES: usize = 16 << 20;

/// Number of channels of tmux's `wait-for` that are remembered: a program that uses more does so in a loop.
pub const CHANNELS: usize = 1_000;
