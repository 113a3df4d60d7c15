//! Servers that work for several panes at once, and the command lines that are known to start them. What a server starts
//! descends from the pane that happened to start the server, whichever pane it works for, so its pane is unknown.

use crate::foreground::agent_at;
use crate::known_agent::KnownAgent;

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

/// What the command line of a process says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerCommand {
    /// It is a known server.
    Server(SharedServer),
    /// It is an agent that works for whoever started it, even if it listens on a socket: several have one for
    /// notifications.
    Agent,
    /// It is another program.
    Unknown,
}

impl ServerCommand {
    /// Reads a command line.
    pub fn of(words: &[impl AsRef<str>]) -> Self {
        let Some((at, agent)) = agent_at(words) else { return Self::Unknown };
        let arguments: Vec<&str> = words[at + 1..].iter().map(AsRef::as_ref).collect();
        let mode = KnownAgent::find(agent).and_then(|agent| agent.server.as_ref());
        let server = mode.filter(|mode| (mode.listens)(&arguments)).map(|mode| mode.server);
        server.map_or(Self::Agent, Self::Server)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> ServerCommand {
        ServerCommand::of(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn an_agent_is_a_shared_server_only_if_it_is_told_to_listen() {
        for (line, expected) in [
            ("/r/0.166.0/bin/codex app-server --listen unix:// --managed-daemon", "codex"),
            ("codex app-server daemon pid-update-loop", "codex"),
            ("node /n/node_modules/.bin/codex app-server --listen=ws://127.0.0.1:1", "codex"),
            ("/usr/bin/claude daemon run --origin transient", "claude"),
            ("opencode serve --port 4096", "opencode"),
            ("/usr/bin/opencode --print-logs web", "opencode"),
            ("opencode --port 4096", "opencode"),
            ("opencode /home/me/app --hostname=127.0.0.1", "opencode"),
        ] {
            let mode = KnownAgent::find(expected).and_then(|agent| agent.server.as_ref());
            assert_eq!(read(line), ServerCommand::Server(mode.expect("a server").server), "{line}");
        }
        for line in [
            "codex",
            "codex app-server",
            "codex app-server --listen stdio://",
            "codex exec hello",
            "claude -p hello",
            "claude -p daemon",
            "opencode",
            "opencode attach http://127.0.0.1:1",
            "opencode run --port 4096 hello",
            "opencode --prompt=--port",
        ] {
            assert_eq!(read(line), ServerCommand::Agent, "{line}");
        }
        assert_eq!(read("python3 -m http.server"), ServerCommand::Unknown);
    }
}
