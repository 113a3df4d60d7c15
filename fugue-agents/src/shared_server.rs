//! Servers that work for several panes at once. What they start descends from the pane that happened to start the server,
//! whichever pane it works for, so its pane is unknown.

/// A server that may work for several panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedServer {
    /// Why the pane of a process that it started is unknown.
    pub reason: &'static str,
    /// How to make the pane known.
    pub way_out: &'static str,
}

impl SharedServer {
    /// Another program that has no terminal and listens on a socket.
    pub const OTHER: Self = Self {
        reason: "it was started by a server that is detached from its pane's terminal and may serve several panes",
        way_out: "start the program in the pane itself, or pass the pane's FUGUE_PANE_ID and FUGUE_PANE_KEY to it",
    };
}

/// How an agent becomes a server.
#[derive(Debug)]
pub(crate) struct ServerMode {
    /// Whether the agent is a server with these arguments.
    pub(crate) listens: fn(&[&str]) -> bool,
    pub(crate) server: SharedServer,
}

/// The options with which a server talks to its parent alone.
const PRIVATE: [&str; 2] = ["stdio://", "--listen=stdio://"];

/// Returns the place of the first of these subcommands, and what follows it, unless the server talks to its parent alone.
pub(crate) fn subcommand<'a, 'w>(arguments: &'a [&'w str], names: &[&str]) -> Option<(usize, &'a [&'w str])> {
    let at = arguments.iter().position(|word| names.contains(word))?;
    let options = &arguments[at + 1..];
    (!options.iter().any(|word| PRIVATE.contains(word))).then_some((at, options))
}
