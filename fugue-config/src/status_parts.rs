//! The parts of the status line as `[status]` lists them: a name, a text with formats, or a command.

use std::time::Duration;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use crate::value::SettingType;
use crate::value::did_you_mean;

/// The most parts on one side: more than a terminal has room for.
const MOST: usize = 32;

/// A part of the status line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatusPart {
    /// The session's name.
    Session,
    /// The session's windows.
    Windows,
    /// The name or title of the active pane, where no border shows it.
    Title,
    /// The number of the daemon's warnings.
    Warnings,
    /// How many agents need a person, failed or work.
    Agents,
    /// How many messages are unread.
    Messages,
    /// How many programs in the session have exited.
    Exited,
    /// How many panes the window has.
    Panes,
    /// That a pane is zoomed, and how many others it hides.
    Zoom,
    /// The name of the machine.
    Host,
    /// The git branch of the session.
    Branch,
    /// The time.
    Clock,
    /// The load of the machine.
    Load,
    /// The charge of the battery.
    Battery,
    /// The exit code of the last command in the active pane.
    Exit,
    /// A text with formats.
    Text(String),
    /// The output of a command.
    Command(StatusCommand),
}

/// A command whose output is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusCommand {
    /// The command line, for `sh -c`.
    pub command: String,
    /// The time between two runs, if it is not that of the status line.
    pub interval: Option<Seconds>,
    /// The time after which it is killed.
    pub timeout: Seconds,
}

/// A number of seconds, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds(usize);

/// The three sides of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusSides {
    /// What is on the left.
    pub left: Vec<StatusPart>,
    /// What is in the middle.
    pub center: Vec<StatusPart>,
    /// What is on the right.
    pub right: Vec<StatusPart>,
}

/// The parts that have a name.
const NAMED: [(&str, StatusPart); 15] = [
    ("session", StatusPart::Session),
    ("windows", StatusPart::Windows),
    ("title", StatusPart::Title),
    ("warnings", StatusPart::Warnings),
    ("agents", StatusPart::Agents),
    ("messages", StatusPart::Messages),
    ("exited", StatusPart::Exited),
    ("panes", StatusPart::Panes),
    ("zoom", StatusPart::Zoom),
    ("host", StatusPart::Host),
    ("branch", StatusPart::Branch),
    ("clock", StatusPart::Clock),
    ("load", StatusPart::Load),
    ("battery", StatusPart::Battery),
    ("exit", StatusPart::Exit),
];

/// The fields of a part that is a table.
const FIELDS: [&str; 4] = ["command", "interval", "timeout", "text"];

impl Seconds {
    /// So many seconds; one if there are none.
    pub const fn new(seconds: usize) -> Self {
        Self(if seconds == 0 { 1 } else { seconds })
    }

    /// The time that it is.
    pub fn duration(self) -> Duration {
        Duration::from_secs(self.0 as u64)
    }
}

impl StatusCommand {
    /// The time limit of a command that has none of its own.
    pub const TIMEOUT: Seconds = Seconds(5);

    /// A command that runs as often as the status line says.
    pub fn new(command: &str) -> Self {
        Self { command: command.trim().to_owned(), interval: None, timeout: Self::TIMEOUT }
    }

    fn read(command: &str) -> Result<Self, String> {
        Some(Self::new(command)).filter(|new| !new.command.is_empty()).ok_or("has an empty command".into())
    }
}

impl StatusPart {
    /// The parts on the left unless others are chosen.
    pub(crate) fn usual_left() -> Vec<Self> {
        vec![Self::Session, Self::Windows]
    }

    /// The parts on the right unless others are chosen.
    pub(crate) fn usual_right() -> Vec<Self> {
        let counts = [Self::Agents, Self::Messages, Self::Exited, Self::Zoom];
        [Self::Title, Self::Warnings].into_iter().chain(counts).chain([Self::Clock]).collect()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        match value {
            DeValue::String(text) => Self::of_text(text),
            DeValue::Table(fields) => Self::of_fields(fields),
            _ => Err(unexpected()),
        }
    }

    /// A single word is a name, so that a mistyped one is noticed; any other text is shown.
    fn of_text(text: &str) -> Result<Self, String> {
        if let Some(command) = text.strip_prefix('!') {
            return StatusCommand::read(command).map(Self::Command);
        }
        if let Some((_, part)) = NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(part.clone());
        }
        let is_word = text.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if !is_word {
            return Ok(Self::Text(text.to_owned()));
        }
        let near = did_you_mean(text, NAMED.iter().map(|(name, _)| *name));
        let hint =
            if near.is_empty() { "; to show a single word as text, write { text = \"…\" }" } else { &near };
        Err(format!("has an unknown part \"{text}\"{hint}"))
    }

    fn of_fields(fields: &DeTable<'_>) -> Result<Self, String> {
        let get = |name: &str| {
            fields.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value.get_ref())
        };
        if let Some((wrong, _)) = fields.iter().find(|(key, _)| !FIELDS.contains(&key.get_ref().as_ref())) {
            let wrong = wrong.get_ref();
            let near = did_you_mean(wrong, FIELDS.into_iter());
            return Err(format!("has a part with an unknown field \"{wrong}\"{near}"));
        }
        let field = |name: &str, why: String| format!("has a part whose \"{name}\" {why}");
        if let Some(text) = get("text") {
            return String::read(text).map(Self::Text).map_err(|why| field("text", why));
        }
        let command = get("command").ok_or("has a part without \"command\" or \"text\"")?;
        let command = String::read(command).map_err(|why| field("command", why))?;
        let seconds =
            |name| get(name).map(|value| Seconds::read(value).map_err(|why| field(name, why))).transpose();
        let (interval, timeout) = (seconds("interval")?, seconds("timeout")?);
        let command = StatusCommand::read(&command)?;
        Ok(Self::Command(StatusCommand { interval, timeout: timeout.unwrap_or(command.timeout), ..command }))
    }

    /// The part as it is written in the file.
    pub fn to_toml(&self) -> Value {
        match self {
            Self::Text(text) if Self::of_text(text) == Ok(self.clone()) => Value::String(text.clone()),
            Self::Text(text) => Value::Table(Table::from_iter([("text".to_owned(), text.as_str().into())])),
            Self::Command(command) if *command == StatusCommand::new(&command.command) => {
                Value::String(format!("!{}", command.command))
            }
            Self::Command(StatusCommand { command, interval, timeout }) => {
                let mut fields = Table::from_iter([("command".to_owned(), command.as_str().into())]);
                let interval = interval.and_then(|interval| interval.to_toml());
                fields.extend(interval.map(|interval| ("interval".to_owned(), interval)));
                fields.extend(timeout.to_toml().map(|timeout| ("timeout".to_owned(), timeout)));
                Value::Table(fields)
            }
            named => {
                let found = NAMED.iter().find(|(_, part)| part == named);
                Value::String(found.map(|(name, _)| (*name).to_owned()).unwrap_or_default())
            }
        }
    }
}

fn unexpected() -> String {
    format!("must be {}", <Vec<StatusPart>>::expected())
}

impl SettingType for Seconds {
    fn expected() -> String {
        "a number of seconds, at least 1".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let number = usize::read(value).ok().filter(|number| *number > 0);
        number.map(Self).ok_or_else(|| format!("must be {}", Self::expected()))
    }

    fn to_toml(&self) -> Option<Value> {
        self.0.to_toml()
    }
}

impl SettingType for Vec<StatusPart> {
    fn expected() -> String {
        "a list of parts".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let parts = value.as_array().ok_or_else(unexpected)?;
        if parts.len() > MOST {
            return Err(format!("has {} parts; at most {MOST} are allowed", parts.len()));
        }
        parts.iter().map(|part| StatusPart::read(part.get_ref())).collect()
    }

    fn to_toml(&self) -> Option<Value> {
        Some(Value::Array(self.iter().map(StatusPart::to_toml).collect()))
    }
}

impl StatusSides {
    /// The sides by name.
    fn named(&self) -> [(&'static str, &Vec<StatusPart>); 3] {
        [("left", &self.left), ("center", &self.center), ("right", &self.right)]
    }

    /// All parts, from left to right.
    pub fn parts(&self) -> impl Iterator<Item = &StatusPart> {
        self.named().into_iter().flat_map(|(_, side)| side)
    }
}

impl SettingType for Option<StatusSides> {
    fn expected() -> String {
        "a table with `left`, `center` and `right`".into()
    }

    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let DeValue::Table(fields) = value else { return Err(format!("must be {}", Self::expected())) };
        let mut sides = StatusSides::default();
        for (name, value) in fields {
            let side = match name.get_ref().as_ref() {
                "left" => &mut sides.left,
                "center" => &mut sides.center,
                "right" => &mut sides.right,
                wrong => {
                    let near = did_you_mean(wrong, ["left", "center", "right"].into_iter());
                    return Err(format!("has an unknown field \"{wrong}\"{near}"));
                }
            };
            *side = SettingType::read(value.get_ref())?;
        }
        Ok(Some(sides))
    }

    fn to_toml(&self) -> Option<Value> {
        let sides = self.as_ref()?.named().into_iter().filter(|(_, side)| !side.is_empty());
        Some(Value::Table(
            sides.filter_map(|(name, side)| Some((name.to_owned(), side.to_toml()?))).collect(),
        ))
    }
}
