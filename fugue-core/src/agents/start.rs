//! How agents are started: the words for a prompt, a model, a permission mode, and a conversation to resume. They are
//! fields of `[agent.start]` in `agents.toml`; `{}` stands for the value.

use fugue_protocol::Refusal;
use fugue_protocol::refusal::{AgentAbility, AgentStartProblem, nearest};
use serde::Deserialize;

use super::AgentTable;

/// The place of the value in a word.
const VALUE: &str = "{}";

/// How an agent is started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentStart {
    /// Its program and the arguments that it always gets. The default is its name.
    #[serde(default)]
    command: Vec<String>,
    /// The words for a first prompt. They come last.
    prompt: Option<Vec<String>>,
    /// The words for a model.
    model: Option<Vec<String>>,
    /// The words for a permission mode. The first row that has the mode counts.
    #[serde(default)]
    permission_mode: Vec<ModeRow>,
    /// The words for a conversation to resume. They come first.
    resume: Option<Vec<String>>,
    /// The words that give a new conversation its id. With them, the id is known from the start.
    new_conversation: Option<Vec<String>>,
}

/// Permission modes that are selected in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModeRow {
    /// The modes; empty for any.
    #[serde(default)]
    modes: Vec<String>,
    words: Vec<String>,
}

/// A flag with which an agent is started.
pub(super) struct StartFlag {
    /// Whether it is repeated when a conversation is resumed.
    pub(super) is_kept: bool,
    /// Whether its value is the next word.
    pub(super) has_value: bool,
}

/// What an agent is started with.
#[derive(Debug, Clone, Default)]
pub(crate) struct StartOptions<'a> {
    pub(crate) prompt: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
    pub(crate) permission_mode: Option<&'a str>,
    pub(crate) resume: Option<&'a str>,
    /// The id for a new conversation.
    pub(crate) new_conversation: &'a str,
    /// The caller's own arguments.
    pub(crate) args: &'a [String],
}

/// Flags with which an agent chooses its conversation itself.
const CHOOSES_CONVERSATION: [&str; 6] =
    ["--resume", "-r", "--continue", "-c", "--session-id", "--fork-session"];

/// A command that starts an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StartCommand {
    /// The canonical name of the agent.
    pub(crate) agent: String,
    pub(crate) argv: Vec<String>,
    /// The id of the conversation that it was told to begin or to resume.
    pub(crate) conversation: Option<String>,
}

/// Returns the command that starts an agent.
pub(crate) fn command(
    table: &AgentTable,
    agent: &str,
    options: &StartOptions<'_>,
) -> Result<StartCommand, Refusal> {
    let refused = |why| Refusal::CannotSpawn { agent: agent.to_owned(), why };
    let name = table.canonical(agent);
    let start = table.start_of(name).ok_or_else(|| match table.has(name) {
        true => refused(AgentStartProblem::Lacks { ability: AgentAbility::Start }),
        false => refused(AgentStartProblem::Unknown { nearest: nearest(agent, table.startable()) }),
    })?;
    let argv = start.argv(name, options).map_err(refused)?;
    let begun = start.new_conversation.as_ref().filter(|_| options.begins_conversation());
    let conversation = options.resume.or(begun.map(|_| options.new_conversation)).map(str::to_owned);
    Ok(StartCommand { agent: name.to_owned(), argv, conversation })
}

impl AgentStart {
    /// Returns the words that resume a conversation.
    pub(super) fn resume(&self, id: &str) -> Option<Vec<String>> {
        self.resume.as_ref().map(|words| filled(words, id))
    }

    /// Returns the program and the arguments that it always gets.
    pub(super) fn program<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        match self.command.is_empty() {
            true => vec![name],
            false => self.command.iter().map(String::as_str).collect(),
        }
    }

    /// Returns what is known about a flag of the agent. Those for the model and the permission mode are kept when a
    /// conversation is resumed, those for the prompt and the conversation are not.
    pub(super) fn flag(&self, flag: &str) -> Option<StartFlag> {
        let is_in = |words: &&Vec<String>| words.iter().any(|word| word.split('=').next() == Some(flag));
        let found = |is_kept| move |words: &Vec<String>| StartFlag { is_kept, has_value: words.len() > 1 };
        let modes = self.permission_mode.iter().map(|row| &row.words);
        let kept = self.model.iter().chain(modes).find(is_in).map(found(true));
        let dropped = [&self.prompt, &self.resume, &self.new_conversation];
        kept.or_else(|| dropped.into_iter().flatten().find(is_in).map(found(false)))
    }

    fn argv(&self, name: &str, options: &StartOptions<'_>) -> Result<Vec<String>, AgentStartProblem> {
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
        Ok(filled(&row.words, mode))
    }

    /// Returns what is wrong with the words, if anything.
    pub(super) fn mistake(&self) -> Option<String> {
        let fields = [
            ("prompt", &self.prompt),
            ("model", &self.model),
            ("resume", &self.resume),
            ("new_conversation", &self.new_conversation),
        ];
        let lacks = |words: &Vec<String>| !words.iter().any(|word| word.contains(VALUE));
        let (field, _) = fields.iter().find(|(_, words)| words.as_ref().is_some_and(lacks))?;
        Some(format!("`{field}` needs a word with `{VALUE}`, where the value goes"))
    }

    /// Fills in from another row what this one does not say.
    pub(super) fn or(self, other: &Self) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(agent: &str, options: &StartOptions<'_>) -> Result<String, String> {
        let argv = command(AgentTable::built_in(), agent, options);
        argv.map(|command| command.argv.join(" ")).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn each_agent_is_started_in_its_own_words() {
        let plain = StartOptions { new_conversation: "NEW", ..StartOptions::default() };
        let full = StartOptions {
            prompt: Some("-fix it"),
            model: Some("m"),
            permission_mode: Some("never"),
            ..plain.clone()
        };
        let resume = StartOptions { resume: Some("ID"), ..plain.clone() };
        for (agent, options, expected) in [
            ("claude", &plain, "claude --session-id NEW"),
            ("claude-code", &plain, "claude --session-id NEW"),
            ("claude", &full, "claude --model m --permission-mode never --session-id NEW -- -fix it"),
            ("claude", &resume, "claude --resume ID"),
            ("codex", &full, "codex --model m --ask-for-approval never -- -fix it"),
            ("codex", &resume, "codex resume ID"),
            ("gemini", &resume, "gemini --resume ID"),
            ("opencode", &resume, "opencode -s ID"),
        ] {
            assert_eq!(line(agent, options).as_deref(), Ok(expected));
        }
        let modes = |agent, mode| line(agent, &StartOptions { permission_mode: Some(mode), ..plain.clone() });
        assert_eq!(modes("codex", "read-only").as_deref(), Ok("codex --sandbox read-only"));
        assert_eq!(modes("opencode", "auto").as_deref(), Ok("opencode --auto"));
        assert_eq!(
            modes("gemini", "never").unwrap_err(),
            "Cannot start gemini: it has no permission mode `never`, only default, auto_edit, yolo, plan"
        );
        let prompt = |agent| line(agent, &StartOptions { prompt: Some("-a b"), ..plain.clone() });
        let gemini = "gemini --session-id NEW --prompt-interactive=-a b";
        assert_eq!(prompt("gemini").as_deref(), Ok(gemini));
        assert_eq!(prompt("opencode").as_deref(), Ok("opencode --prompt=-a b"));
    }

    #[test]
    fn a_callers_own_arguments_come_before_the_prompt_and_may_choose_the_conversation() {
        let args = ["--continue".to_owned()];
        let options = StartOptions { prompt: Some("go"), args: &args, ..StartOptions::default() };
        assert_eq!(line("claude", &options).as_deref(), Ok("claude --continue -- go"));
    }

    #[test]
    fn what_the_table_does_not_say_is_refused_by_name() {
        let plain = StartOptions::default();
        assert_eq!(line("calude", &plain).unwrap_err(), "Cannot start calude: there is no such agent");
        assert_eq!(
            line("aider", &plain).unwrap_err(),
            "Cannot start aider: fugue does not know how it is started"
        );
        assert_eq!(line("*", &plain).unwrap_err(), "Cannot start *: there is no such agent");
    }

    const ROBOT: &str = "[[agent]]\nname = \"robot\"\n[agent.start]\ncommand = [\"robot-cli\", \"chat\"]\n";

    #[test]
    fn a_users_agent_is_started_and_a_built_in_one_changed() {
        let file = format!(
            "{ROBOT}resume = [\"--load={{}}\"]\n[[agent]]\nname = \"claude\"\n[agent.start]\ncommand = [\"cc\"]\n"
        );
        let table = AgentTable::with_file(&file).expect("a table");
        let resume = StartOptions { resume: Some("7"), ..StartOptions::default() };
        assert_eq!(command(&table, "robot", &resume).unwrap().argv.join(" "), "robot-cli chat --load=7");
        assert_eq!(command(&table, "claude", &resume).unwrap().argv.join(" "), "cc --resume 7");
        let prompted = StartOptions { prompt: Some("x"), ..StartOptions::default() };
        let refusal = command(&table, "robot", &prompted).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "Cannot start robot: fugue does not know how it takes a first prompt"
        );
    }

    #[test]
    fn words_without_a_place_for_the_value_are_a_mistake() {
        let mistake =
            AgentTable::with_file(&format!("{ROBOT}prompt = [\"--ask\"]\n")).expect_err("a mistake");
        assert_eq!(mistake.line, Some(2));
        assert_eq!(mistake.text, "`prompt` needs a word with `{}`, where the value goes");
    }
}
