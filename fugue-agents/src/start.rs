//! How agents are started: the arguments for a prompt, a model, a permission mode, and a conversation to resume. They
//! are fields of `[agent.start]` in `agents.toml`; `{}` stands for the value.

use fugue_protocol::refusal::{AgentAbility, AgentStartProblem};
use serde::Deserialize;

/// The placeholder for the value in an argument.
const VALUE: &str = "{}";

/// How an agent is started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentStart {
    /// Its program and the arguments that it always gets. The default is its name.
    #[serde(default)]
    command: Vec<String>,
    /// The arguments for a first prompt. They come last.
    prompt: Option<Vec<String>>,
    /// The arguments for a model.
    model: Option<Vec<String>>,
    /// The arguments for a permission mode. The first row that has the mode counts.
    #[serde(default)]
    permission_mode: Vec<ModeRow>,
    /// The arguments for a conversation to resume. They come first.
    resume: Option<Vec<String>>,
    /// The arguments that set a new conversation's id. With them, the id is known from the start.
    new_conversation: Option<Vec<String>>,
}

/// Permission modes that are selected in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModeRow {
    /// The modes; empty for any.
    #[serde(default)]
    modes: Vec<String>,
    args: Vec<String>,
}

/// A flag with which an agent is started.
pub(crate) struct StartFlag {
    /// Whether it is repeated when a conversation is resumed.
    pub(crate) is_kept: bool,
    /// Whether its value is the next word.
    pub(crate) has_value: bool,
}

/// What an agent is started with.
#[derive(Debug, Clone, Default)]
pub struct StartOptions<'a> {
    /// The first prompt.
    pub prompt: Option<&'a str>,
    /// The model.
    pub model: Option<&'a str>,
    /// The permission mode.
    pub permission_mode: Option<&'a str>,
    /// The conversation to resume.
    pub resume: Option<&'a str>,
    /// The id for a new conversation.
    pub new_conversation: &'a str,
    /// The caller's own arguments.
    pub args: &'a [String],
}

/// Flags with which an agent chooses its conversation itself.
const CHOOSES_CONVERSATION: [&str; 6] =
    ["--resume", "-r", "--continue", "-c", "--session-id", "--fork-session"];

impl AgentStart {
    /// Returns the arguments that resume a conversation.
    pub(crate) fn resume(&self, id: &str) -> Option<Vec<String>> {
        self.resume.as_ref().map(|words| filled(words, id))
    }

    /// Returns the program and the arguments that it always gets.
    pub(crate) fn program<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        match self.command.is_empty() {
            true => vec![name],
            false => self.command.iter().map(String::as_str).collect(),
        }
    }

    /// Returns what is known about a flag of the agent. Those for the model and the permission mode are kept when a
    /// conversation is resumed, those for the prompt and the conversation are not.
    pub(crate) fn flag(&self, flag: &str) -> Option<StartFlag> {
        let is_in = |words: &&Vec<String>| words.iter().any(|word| word.split('=').next() == Some(flag));
        let found = |is_kept| move |words: &Vec<String>| StartFlag { is_kept, has_value: words.len() > 1 };
        let modes = self.permission_mode.iter().map(|row| &row.args);
        let kept = self.model.iter().chain(modes).find(is_in).map(found(true));
        let dropped = [&self.prompt, &self.resume, &self.new_conversation];
        kept.or_else(|| dropped.into_iter().flatten().find(is_in).map(found(false)))
    }

    /// Returns the command.
    pub(crate) fn argv(
        &self,
        name: &str,
        options: &StartOptions<'_>,
    ) -> Result<Vec<String>, AgentStartProblem> {
        use AgentAbility::{Model, Prompt, Resume};
        let mut argv: Vec<_> = self.program(name).into_iter().map(str::to_owned).collect();
        let parts = [(&self.resume, options.resume, Resume), (&self.model, options.model, Model)];
        for (words, value, ability) in parts {
            argv.extend(words_for(words.as_deref(), value, ability)?);
        }
        argv.extend(self.permission_words(options.permission_mode)?);
        if let Some(words) = self.new_conversation.as_ref().filter(|_| options.begins_conversation()) {
            argv.extend(filled(words, options.new_conversation));
        }
        argv.extend(options.args.iter().cloned());
        argv.extend(words_for(self.prompt.as_deref(), options.prompt, Prompt)?);
        Ok(argv)
    }

    /// Returns the id of the conversation that the agent is told to begin or to resume.
    pub(crate) fn conversation<'a>(&self, options: &StartOptions<'a>) -> Option<&'a str> {
        let begun = self.new_conversation.as_ref().filter(|_| options.begins_conversation());
        options.resume.or(begun.map(|_| options.new_conversation))
    }

    fn permission_words(&self, mode: Option<&str>) -> Result<Vec<String>, AgentStartProblem> {
        let Some(mode) = mode else { return Ok(Vec::new()) };
        if self.permission_mode.is_empty() {
            return Err(AgentStartProblem::Lacks { ability: AgentAbility::PermissionMode });
        }
        let has = |row: &&ModeRow| row.modes.is_empty() || row.modes.iter().any(|known| known == mode);
        let row = self.permission_mode.iter().find(has).ok_or_else(|| AgentStartProblem::NoSuchMode {
            mode: mode.to_owned(),
            modes: self.permission_mode.iter().flat_map(|row| row.modes.clone()).collect(),
        })?;
        Ok(filled(&row.args, mode))
    }

    /// Returns what is wrong with the words, if anything.
    pub(crate) fn mistake(&self) -> Option<String> {
        let fields = [
            ("prompt", &self.prompt),
            ("model", &self.model),
            ("resume", &self.resume),
            ("new_conversation", &self.new_conversation),
        ];
        let lacks = |words: &Vec<String>| !words.iter().any(|word| word.contains(VALUE));
        let (field, _) = fields.iter().find(|(_, words)| words.as_ref().is_some_and(lacks))?;
        Some(format!("`{field}` needs an argument that contains `{VALUE}`, the placeholder for the value"))
    }

    /// Fills in from another row what this one does not say.
    pub(crate) fn or(self, other: &Self) -> Self {
        let either = |own: Vec<String>, other: &Vec<String>| if own.is_empty() { other.clone() } else { own };
        Self {
            command: either(self.command, &other.command),
            prompt: self.prompt.or_else(|| other.prompt.clone()),
            model: self.model.or_else(|| other.model.clone()),
            permission_mode: match self.permission_mode.is_empty() {
                true => other.permission_mode.clone(),
                false => self.permission_mode,
            },
            resume: self.resume.or_else(|| other.resume.clone()),
            new_conversation: self.new_conversation.or_else(|| other.new_conversation.clone()),
        }
    }
}

impl StartOptions<'_> {
    /// Whether the agent begins a new conversation, as far as its arguments say.
    fn begins_conversation(&self) -> bool {
        let chooses = |word: &String| {
            let flag = word.split_once('=').map_or(word.as_str(), |(flag, _)| flag);
            CHOOSES_CONVERSATION.contains(&flag)
        };
        self.resume.is_none() && !self.args.iter().any(chooses)
    }
}

fn words_for(
    words: Option<&[String]>,
    value: Option<&str>,
    ability: AgentAbility,
) -> Result<Vec<String>, AgentStartProblem> {
    match (value, words) {
        (None, _) => Ok(Vec::new()),
        (Some(value), Some(words)) => Ok(filled(words, value)),
        (Some(_), None) => Err(AgentStartProblem::Lacks { ability }),
    }
}

fn filled(words: &[String], value: &str) -> Vec<String> {
    words.iter().map(|word| word.replace(VALUE, value)).collect()
}
