//! The arguments of agents that may be repeated when a conversation is resumed.
//!
//! Only flags that are known to be safe to repeat are kept: an unknown one may take a value, or belong to the prompt.

use super::start::AgentStart;

/// Which arguments of an agent may be repeated.
pub(super) struct ResumeRow {
    agent: &'static str,
    /// The known flags.
    flags: &'static [(&'static str, FlagKind)],
    /// Subcommands and flags with which the agent holds no conversation in its terminal.
    one_shot: &'static [&'static str],
    /// Whether arguments that are not flags are directories; otherwise they are the prompt, which was answered already.
    keeps_words: bool,
}

/// What becomes of a flag when a conversation is resumed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FlagKind {
    /// It is repeated.
    Keep,
    /// It is repeated with its value.
    KeepValue,
    /// It is repeated with all words up to the next flag.
    KeepWords,
    /// It is dropped.
    Drop,
    /// It is dropped with its value, if it has one.
    DropValue,
}

use FlagKind::{Drop, DropValue, Keep, KeepValue, KeepWords};

const ROWS: [ResumeRow; 4] = [
    ResumeRow {
        agent: "claude",
        flags: &[
            ("--add-dir", KeepWords),
            ("--agent", KeepValue),
            ("--agents", KeepValue),
            ("--allow-dangerously-skip-permissions", Keep),
            ("--allowedTools", KeepWords),
            ("--allowed-tools", KeepWords),
            ("--append-system-prompt", KeepValue),
            ("--chrome", Keep),
            ("--continue", Drop),
            ("-c", Drop),
            ("--dangerously-skip-permissions", Keep),
            ("--disallowedTools", KeepWords),
            ("--disallowed-tools", KeepWords),
            ("--fallback-model", KeepValue),
            ("--fork-session", Drop),
            ("--ide", Keep),
            ("--mcp-config", KeepWords),
            ("--model", KeepValue),
            ("--permission-mode", KeepValue),
            ("--plugin-dir", KeepValue),
            ("--resume", DropValue),
            ("-r", DropValue),
            ("--session-id", DropValue),
            ("--setting-sources", KeepValue),
            ("--settings", KeepValue),
            ("--strict-mcp-config", Keep),
            ("--system-prompt", KeepValue),
            ("--tools", KeepWords),
            ("--verbose", Keep),
        ],
        one_shot: &["-p", "--print", "mcp", "plugin", "doctor", "update", "install", "setup-token"],
        keeps_words: false,
    },
    ResumeRow {
        agent: "codex",
        flags: &[
            ("--add-dir", KeepValue),
            ("--ask-for-approval", KeepValue),
            ("-a", KeepValue),
            ("--cd", KeepValue),
            ("-C", KeepValue),
            ("--config", KeepValue),
            ("-c", KeepValue),
            ("--dangerously-bypass-approvals-and-sandbox", Keep),
            ("--disable", KeepValue),
            ("--enable", KeepValue),
            ("--full-auto", Keep),
            ("--image", DropValue),
            ("-i", DropValue),
            ("--last", Drop),
            ("--model", KeepValue),
            ("-m", KeepValue),
            ("--no-alt-screen", Keep),
            ("--no-daemon", Keep),
            ("--oss", Keep),
            ("--profile", KeepValue),
            ("-p", KeepValue),
            ("--sandbox", KeepValue),
            ("-s", KeepValue),
            ("--search", Keep),
            ("--yolo", Keep),
        ],
        one_shot: &[
            "exec",
            "e",
            "review",
            "login",
            "logout",
            "mcp",
            "mcp-server",
            "app-server",
            "apply",
            "a",
            "cloud",
            "completion",
            "debug",
            "features",
            "queue",
            "sandbox",
        ],
        keeps_words: false,
    },
    ResumeRow {
        agent: "gemini",
        flags: &[
            ("--allowed-mcp-server-names", KeepValue),
            ("--allowed-tools", KeepValue),
            ("--approval-mode", KeepValue),
            ("--debug", Keep),
            ("-d", Keep),
            ("--extensions", KeepValue),
            ("-e", KeepValue),
            ("--include-directories", KeepValue),
            ("--model", KeepValue),
            ("-m", KeepValue),
            ("--prompt-interactive", DropValue),
            ("-i", DropValue),
            ("--resume", DropValue),
            ("-r", DropValue),
            ("--sandbox", Keep),
            ("-s", Keep),
            ("--screen-reader", Keep),
            ("--session-id", DropValue),
            ("--skip-trust", Keep),
            ("--yolo", Keep),
            ("-y", Keep),
        ],
        one_shot: &["-p", "--prompt", "mcp", "extensions", "skills", "hooks"],
        keeps_words: false,
    },
    ResumeRow {
        agent: "opencode",
        flags: &[
            ("--agent", KeepValue),
            ("--auto", Keep),
            ("--continue", Drop),
            ("-c", Drop),
            ("--fork", Drop),
            ("--hostname", KeepValue),
            ("--model", KeepValue),
            ("-m", KeepValue),
            ("--port", KeepValue),
            ("--print-logs", Keep),
            ("--prompt", DropValue),
            ("--session", DropValue),
            ("-s", DropValue),
        ],
        one_shot: &[
            "acp",
            "agent",
            "attach",
            "auth",
            "export",
            "github",
            "import",
            "mcp",
            "models",
            "pr",
            "run",
            "serve",
            "session",
            "stats",
            "uninstall",
            "upgrade",
            "web",
        ],
        keeps_words: true,
    },
];

/// An agent of whose arguments nothing is known.
const UNKNOWN: ResumeRow = ResumeRow { agent: "", flags: &[], one_shot: &[], keeps_words: false };

/// What is known about the arguments of an agent.
pub(super) fn row(agent: &str) -> &'static ResumeRow {
    ROWS.iter().find(|row| row.agent == agent).unwrap_or(&UNKNOWN)
}

impl ResumeRow {
    /// What becomes of a flag; none if nothing is known about it.
    fn kind(&self, name: &str, start: &AgentStart) -> Option<FlagKind> {
        let known = self.flags.iter().find(|(flag, _)| *flag == name).map(|(_, kind)| *kind);
        // The flags of the start, in the user's own row.
        known.or_else(|| {
            start.flag(name).map(|flag| match (flag.is_kept, flag.has_value) {
                (true, true) => KeepValue,
                (true, false) => Keep,
                (false, true) => DropValue,
                (false, false) => Drop,
            })
        })
    }

    /// The arguments to repeat, and the unknown flags that are dropped; none if the agent held no conversation.
    pub(super) fn repeatable(
        &self,
        arguments: &[String],
        start: &AgentStart,
    ) -> Option<(Vec<String>, Vec<String>)> {
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        let mut words = arguments.iter().peekable();
        let mut is_first = true;
        while let Some(word) = words.next() {
            let (name, has_value) =
                word.split_once('=').map_or((word.as_str(), false), |(name, _)| (name, true));
            if word == "--" {
                break;
            }
            if !is_flag(word) {
                if std::mem::take(&mut is_first) && self.one_shot.contains(&word.as_str()) {
                    return None;
                }
                kept.extend(self.keeps_words.then(|| word.clone()));
                continue;
            }
            if self.one_shot.contains(&name) {
                return None;
            }
            let kind = self.kind(name, start);
            let mut values = Vec::new();
            let most = match kind {
                Some(KeepValue | DropValue) if !has_value => 1,
                Some(KeepWords) if !has_value => usize::MAX,
                _ => 0,
            };
            while values.len() < most
                && let Some(value) = words.next_if(|next| !is_flag(next))
            {
                values.push(value.clone());
            }
            match kind {
                Some(Keep | KeepValue | KeepWords) => kept.extend([word.clone()].into_iter().chain(values)),
                Some(Drop | DropValue) => {}
                // Flag and value are one word, so that it cannot be mistaken for something else.
                None if has_value => kept.push(word.clone()),
                None => dropped.push(word.clone()),
            }
        }
        Some((kept, dropped))
    }
}

fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}
