//! The reasons why an agent is not started.

use super::Hint;

/// The reason why an agent was not started. Nothing has been created then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "each sentence says what its fields are")]
pub enum AgentStartProblem {
    #[error("there is no such agent")]
    Unknown { nearest: Option<String>, built_in: Vec<String> },
    #[error("fugue does not know how to {ability}")]
    Lacks { ability: AgentAbility },
    #[error("it has no permission mode `{mode}`, only {}", modes.join(", "))]
    NoSuchMode { mode: String, modes: Vec<String> },
    #[error("`{program}` was not found in PATH")]
    NotInstalled { program: String },
}

/// Something that an agent may be able to do when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the display text says what each one means")]
pub enum AgentAbility {
    #[error("start it")]
    Start,
    #[error("pass it a prompt")]
    Prompt,
    #[error("set its model")]
    Model,
    #[error("set its permission mode")]
    PermissionMode,
    #[error("resume its conversations")]
    Resume,
}

impl AgentAbility {
    /// The field of `[agent.start]` that describes it.
    fn field(self) -> &'static str {
        match self {
            Self::Start => "command",
            Self::Prompt => "prompt",
            Self::Model => "model",
            Self::PermissionMode => "permission_mode",
            Self::Resume => "resume",
        }
    }
}

impl AgentStartProblem {
    pub(super) fn hints(&self) -> Vec<Hint> {
        match self {
            Self::Unknown { nearest: Some(name), .. } => vec![Hint::DidYouMean(name.clone())],
            Self::Unknown { nearest: None, built_in } => {
                let names = match built_in.split_last() {
                    Some((last, others @ [_, ..])) => format!("{} and {last}", others.join(", ")),
                    _ => built_in.concat(),
                };
                vec![Hint::text(format!("{names} are built in; agents.toml can add others"))]
            }
            Self::Lacks { ability } => {
                let field = ability.field();
                vec![Hint::text(format!("set `{field}` in the agent's `[agent.start]` table in agents.toml"))]
            }
            Self::NoSuchMode { .. } => vec![Hint::omit("permission_mode", "to use the agent's default")],
            Self::NotInstalled { .. } => {
                vec![Hint::text("nothing was created; install it, or add its directory to PATH")]
            }
        }
    }
}
