//! The user's rules for what agents ask: this agent, this command, allow or deny.

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleVerdict {
    /// It allows the command once, each time.
    Allow,
    /// It rejects the command.
    Deny,
}

impl RuleVerdict {
    /// The word for it in `config.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
        }
    }
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRule {
    /// The agent's name; `*` for every agent.
    pub agent: String,
    /// The command, in which `*` matches any text.
    pub command: String,
    /// What it does.
    pub verdict: RuleVerdict,
}

impl PermissionRule {
    /// Reads `AGENT: COMMAND`; none if a part is missing.
    pub fn parse(text: &str, verdict: RuleVerdict) -> Option<Self> {
        let (agent, command) = text.split_once(':')?;
        let (agent, command) = (agent.trim().to_owned(), command.trim().to_owned());
        let complete = !agent.is_empty() && !agent.contains(char::is_whitespace) && !command.is_empty();
        complete.then_some(Self { agent, command, verdict })
    }

    /// The rule as it is written.
    pub fn text(&self) -> String {
        format!("{}: {}", self.agent, self.command)
    }
}
