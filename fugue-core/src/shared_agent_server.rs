//! Servers that work for several panes at once. What they start descends from the pane that happened to start the server,
//! whichever pane it works for, so its pane is unknown. A known server is a row in `SERVERS`.

use crate::agents::agent_at;

/// A server that may work for several panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedServer {
    /// The background server of Codex.
    Codex,
    /// The background service of Claude Code.
    Claude,
    /// A server of OpenCode, to which its clients attach.
    OpenCode,
    /// Another program that has no terminal and listens on a socket.
    Other,
}

/// The agents that can be servers, with the subcommands that make them one.
const SERVERS: [(&str, &[&str], SharedServer); 3] = [
    ("claude", &["daemon"], SharedServer::Claude),
    ("codex", &["app-server", "exec-server", "remote-control"], SharedServer::Codex),
    ("opencode", &["serve", "web"], SharedServer::OpenCode),
];

/// The options with which OpenCode in a terminal is a server as well, to which clients in other panes attach.
const OPENCODE_LISTENS: [&str; 3] = ["--port", "--hostname", "--mdns"];

/// The options with which a server talks to its parent alone.
const PRIVATE: [&str; 2] = ["stdio://", "--listen=stdio://"];

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
        let server =
            SERVERS.iter().find(|(name, _, _)| *name == agent).and_then(|(_, subcommands, server)| {
                let at = arguments.iter().position(|word| subcommands.contains(word))?;
                let options = &arguments[at + 1..];
                let listens = match server {
                    // `codex app-server` is private unless it listens on a socket.
                    SharedServer::Codex => {
                        options.iter().any(|word| word.starts_with("--listen") || *word == "daemon")
                    }
                    // Elsewhere the word may be a prompt.
                    SharedServer::Claude => at == 0,
                    SharedServer::OpenCode | SharedServer::Other => true,
                };
                let is_private = options.iter().any(|word| PRIVATE.contains(word));
                (listens && !is_private).then_some(*server)
            });
        let name = |word: &str| word.split('=').next().is_some_and(|name| OPENCODE_LISTENS.contains(&name));
        let listens = agent == "opencode"
            && arguments.first().is_none_or(|word| *word != "run")
            && arguments.iter().any(|word| name(word));
        let server = server.or(listens.then_some(SharedServer::OpenCode));
        server.map_or(Self::Agent, Self::Server)
    }
}

impl SharedServer {
    /// Why the pane of a process that it started is unknown.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Codex => "it was started by the `codex app-server` that several panes share",
            Self::Claude => "it was started by Claude Code's background service, which several panes share",
            Self::OpenCode => "it was started by an OpenCode server that several panes can share",
            Self::Other => {
                "it was started by a server that is detached from its pane's terminal and may serve several panes"
            }
        }
    }

    /// How to make the pane known.
    pub fn way_out(self) -> &'static str {
        match self {
            Self::Codex => "start Codex in the pane with `codex --no-daemon`",
            Self::Claude => "start `claude` in the pane instead of `claude --bg`",
            Self::OpenCode => "start `opencode` in the pane, without --port, instead of `opencode attach`",
            Self::Other => {
                "start the program in the pane itself, or pass the pane's FUGUE_PANE_ID and FUGUE_PANE_KEY to it"
            }
        }
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
            ("/r/0.166.0/bin/codex app-server --listen unix:// --managed-daemon", SharedServer::Codex),
            ("codex app-server daemon pid-update-loop", SharedServer::Codex),
            ("node /n/node_modules/.bin/codex app-server --listen=ws://127.0.0.1:1", SharedServer::Codex),
            ("/usr/bin/claude daemon run --origin transient", SharedServer::Claude),
            ("opencode serve --port 4096", SharedServer::OpenCode),
            ("/usr/bin/opencode --print-logs web", SharedServer::OpenCode),
            ("opencode --port 4096", SharedServer::OpenCode),
            ("opencode /home/me/app --hostname=127.0.0.1", SharedServer::OpenCode),
        ] {
            assert_eq!(read(line), ServerCommand::Server(expected), "{line}");
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
