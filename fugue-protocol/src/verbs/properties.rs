//! The properties of a verb that the surfaces (command line, tools, terminal client) act on. Each verb states its own
//! in its row of `for_each_verb!`.

/// What a verb does to the state of the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// It only reads.
    Reads,
    /// It creates or changes something.
    Changes,
    /// It removes something that cannot be restored.
    Ends,
}

/// What a verb that changes something may change, which decides whose scope has to reach that far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Sessions: those that the events and requests of its decision concern.
    Sessions,
    /// Messages and leases, which agents share whatever their scope. A process that cannot be attributed to a pane has
    /// no access to them, not even to read.
    Shared,
    /// The daemon as a whole: only people and agents with the scope `all` may call it.
    Daemon,
}

/// The heading under which `fugue --help` lists a command, in the order of the help text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HelpGroup {
    /// Sessions and windows.
    Sessions,
    /// Panes.
    Panes,
    /// Running commands, typing, and reading output.
    Running,
    /// Agents and their state.
    Agents,
    /// Messages between agents.
    Messages,
    /// Leases and waits: what keeps agents out of each other's way.
    Coordination,
    /// The daemon, its clients and other hosts.
    Daemon,
    /// This installation: help, configuration and what connects fugue to agents and shells.
    Setup,
    /// Used by fugue's own processes; not listed.
    Internal,
}

impl HelpGroup {
    /// The groups that `fugue --help` lists, with their headings.
    pub const LISTED: [(Self, &'static str); 8] = [
        (Self::Sessions, "Sessions and windows"),
        (Self::Panes, "Panes"),
        (Self::Running, "Running and reading"),
        (Self::Agents, "Agents"),
        (Self::Messages, "Messages"),
        (Self::Coordination, "Coordination"),
        (Self::Daemon, "Daemon and hosts"),
        (Self::Setup, "Help and setup"),
    ];
}

/// What a surface does if no daemon is running when the verb is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WithoutDaemon {
    /// Start one.
    Start,
    /// Report that there is none.
    Fail,
    /// Report that the caller is not inside fugue, since without a daemon there is no pane to be in.
    NotInside,
}

/// How a surface treats the argument `cwd`. A relative directory is always relative to the caller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkingDirectory {
    /// The verb has no such argument.
    None,
    /// If omitted, the daemon chooses.
    Optional,
    /// If omitted, the caller's own directory is sent.
    CallersByDefault,
}

/// What a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitPurpose {
    /// The end of a command.
    Command,
    /// The end of several commands.
    Commands,
    /// Something in panes.
    Pane,
    /// An answer to a message.
    Answer,
    /// A message.
    Message,
    /// A lease.
    Lease,
    /// An agent that was started.
    Agent,
    /// A channel of tmux's `wait-for`.
    Channel,
}

/// The argument by which a call waits, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitArgument {
    /// Its name: `wait_ms` or `timeout_ms`.
    pub name: &'static str,
    /// How long a call waits if the argument is omitted; 0 if it does not wait then.
    pub default_ms: u64,
    /// What the call waits for.
    pub purpose: WaitPurpose,
    /// Whether the MCP server waits on a connection of its own, which it closes to cancel the wait. Otherwise the
    /// call is sent in its turn on the connection shared by all calls.
    pub own_connection: bool,
    /// Whether earlier calls must have reached the daemon before the wait begins.
    pub after_earlier_calls: bool,
}

impl WaitArgument {
    /// `wait_ms`, which is 0 by default: the call waits only if asked to.
    pub const fn on_request(purpose: WaitPurpose) -> Self {
        Self { name: "wait_ms", default_ms: 0, purpose, own_connection: true, after_earlier_calls: false }
    }
}

/// An example in the help of a command: what it does, and the command line.
pub type Example = (&'static str, &'static str);

/// The properties of a verb as an MCP tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolProperties {
    /// Why the verb is not offered as a tool; `None` if it is.
    pub withheld: Option<&'static str>,
    /// Its place in the default list of tools, which is in the order of use; `None` if it is listed on request only.
    pub core: Option<u8>,
    /// Whether clients that load tools on demand should load this one from the start.
    pub always_loaded: bool,
    /// Arguments that the tool requires though the verb has a default for them, by their names in the tool.
    pub required: &'static [&'static str],
    /// Arguments that are accepted but not listed, because a model hardly needs them.
    pub unlisted: &'static [&'static str],
    /// Arguments whose default differs for a model: name, and value as JSON.
    pub defaults: &'static [(&'static str, &'static str)],
    /// What a model should know beyond the verb's documentation.
    pub note: Option<&'static str>,
}

/// The properties of a verb, written in its row as `of(group)` followed by whatever differs from the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// Its heading in `fugue --help`.
    pub group: HelpGroup,
    /// Other names on a command line: short ones, and those a tmux user's fingers know.
    pub aliases: &'static [&'static str],
    /// Examples of its use on a command line. Every verb that people use has one.
    pub examples: &'static [Example],
    /// What it may change.
    pub reach: Reach,
    /// What happens if no daemon is running.
    pub without_daemon: WithoutDaemon,
    /// Whether a second identical call leaves everything as the first left it.
    pub idempotent: bool,
    /// Whether it can destroy something although its nature is not [`Nature::Ends`].
    pub destructive: bool,
    /// Whether it takes an `idempotency_key`, which a surface fills in so that it can repeat the call safely.
    pub keyed: bool,
    /// Whether it may be repeated without a key after the connection is lost, although it is not a read.
    pub repeatable: bool,
    /// The argument by which it waits.
    pub wait: Option<WaitArgument>,
    /// Whether its reply comes from the client's own stream, which it changes.
    pub streams: bool,
    /// How its argument `cwd` is treated.
    pub directory: WorkingDirectory,
    /// The argument that names a lease, and may be a path seen from the caller's directory.
    pub lease: Option<&'static str>,
    /// An argument that is a path seen from the caller's directory.
    pub path: Option<&'static str>,
    /// Whether it creates a session, of which the caller's is the parent.
    pub creates_session: bool,
    /// Whether the command line attaches to the new session unless `--detached` is given.
    pub attaches: bool,
    /// Whether it only moves a person's focus, which a read-only client may do too.
    pub navigates: bool,
    /// Whether it changes where keys go: the terminal client holds keys typed after it until it is done. Only for
    /// verbs that take no longer than starting a program.
    pub holds_input: bool,
    /// Whether an omitted target means everything: the terminal client does not fill in its own.
    pub lists_all: bool,
    /// Whether an omitted pane means all panes of the session: the terminal client fills in its session.
    pub lists_panes: bool,
    /// Whether the command line takes `--watch`, which prints the reply again whenever it changes.
    pub watchable: bool,
    /// Whether a person wants to read the reply although the verb changes something.
    pub tells_outcome: bool,
    /// Its properties as a tool.
    pub tool: ToolProperties,
}

/// The default properties of a verb in a help group.
pub(super) const fn of(group: HelpGroup) -> Properties {
    Properties {
        group,
        aliases: &[],
        examples: &[],
        reach: Reach::Sessions,
        without_daemon: WithoutDaemon::Start,
        idempotent: false,
        destructive: false,
        keyed: false,
        repeatable: false,
        wait: None,
        streams: false,
        directory: WorkingDirectory::None,
        lease: None,
        path: None,
        creates_session: false,
        attaches: false,
        navigates: false,
        holds_input: false,
        lists_all: false,
        lists_panes: false,
        watchable: false,
        tells_outcome: false,
        tool: ToolProperties {
            withheld: None,
            core: None,
            always_loaded: false,
            required: &[],
            unlisted: &[],
            defaults: &[],
            note: None,
        },
    }
}

#[rustfmt::skip]
impl Properties {
    pub(super) const fn aliases(self, aliases: &'static [&'static str]) -> Self { Self { aliases, ..self } }
    pub(super) const fn examples(self, examples: &'static [Example]) -> Self { Self { examples, ..self } }
    pub(super) const fn shared(self) -> Self { Self { reach: Reach::Shared, ..self } }
    pub(super) const fn daemon_wide(self) -> Self { Self { reach: Reach::Daemon, ..self } }
    pub(super) const fn without_daemon(self, without_daemon: WithoutDaemon) -> Self { Self { without_daemon, ..self } }
    pub(super) const fn idempotent(self) -> Self { Self { idempotent: true, ..self } }
    pub(super) const fn destructive(self) -> Self { Self { destructive: true, ..self } }
    pub(super) const fn keyed(self) -> Self { Self { keyed: true, ..self } }
    pub(super) const fn repeatable(self) -> Self { Self { repeatable: true, ..self } }
    pub(super) const fn waits(self, wait: WaitArgument) -> Self { Self { wait: Some(wait), ..self } }
    pub(super) const fn streams(self) -> Self { Self { streams: true, ..self } }
    pub(super) const fn directory(self, directory: WorkingDirectory) -> Self { Self { directory, ..self } }
    pub(super) const fn lease(self, argument: &'static str) -> Self { Self { lease: Some(argument), ..self } }
    pub(super) const fn path(self, argument: &'static str) -> Self { Self { path: Some(argument), ..self } }
    pub(super) const fn creates_session(self) -> Self { Self { creates_session: true, ..self } }
    pub(super) const fn attaches(self) -> Self { Self { attaches: true, ..self } }
    pub(super) const fn navigates(self) -> Self { Self { navigates: true, ..self } }
    pub(super) const fn holds_input(self) -> Self { Self { holds_input: true, ..self } }
    pub(super) const fn lists_all(self) -> Self { Self { lists_all: true, ..self } }
    pub(super) const fn lists_panes(self) -> Self { Self { lists_panes: true, ..self } }
    pub(super) const fn watchable(self) -> Self { Self { watchable: true, ..self } }
    pub(super) const fn tells_outcome(self) -> Self { Self { tells_outcome: true, ..self } }
    pub(super) const fn core(mut self, place: u8) -> Self { self.tool.core = Some(place); self }
    pub(super) const fn always_loaded(mut self) -> Self { self.tool.always_loaded = true; self }
    pub(super) const fn not_a_tool(mut self, why: &'static str) -> Self { self.tool.withheld = Some(why); self }
    pub(super) const fn note(mut self, note: &'static str) -> Self { self.tool.note = Some(note); self }
    pub(super) const fn tool_requires(mut self, names: &'static [&'static str]) -> Self { self.tool.required = names; self }
    pub(super) const fn unlisted(mut self, names: &'static [&'static str]) -> Self { self.tool.unlisted = names; self }
    pub(super) const fn tool_defaults(mut self, values: &'static [(&'static str, &'static str)]) -> Self { self.tool.defaults = values; self }
}
