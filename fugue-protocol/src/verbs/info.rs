//! What can be known about a verb by its name: the row of the verb, with its type erased. A surface looks a verb up
//! once, at its edge.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ArgMatches;
use schemars::Schema;
use serde_json::{Map, Value};

use super::{Nature, Properties, VERBS, Verb, WithoutDaemon, WorkingDirectory};
use crate::LeaseName;
use crate::paths::{lease_path, plain};
use crate::refusal::{PANE_ID_MALFORMED, PANE_ID_NOT_SET, Refusal};
use crate::render::{ModelContent, PrintContext, Printout, TextBudget};

/// A call's arguments, as they are sent.
pub type Arguments = Map<String, Value>;

/// A verb without its type.
#[derive(Debug)]
pub struct VerbInfo {
    /// Its name on the wire and on a command line.
    pub name: &'static str,
    /// What it does to the state of the daemon.
    pub nature: Nature,
    /// Its other properties.
    pub properties: Properties,
    /// Whether a model gets its reply as text alone, without structured content.
    pub reply_is_text: bool,
    /// The longest message payload that a model gets whole in its reply, in bytes; `None` if it has no payloads.
    pub reply_payload_bytes: Option<usize>,
    pub(super) command: fn(clap::Command) -> clap::Command,
    pub(super) from_matches: fn(&ArgMatches) -> Result<Verb, clap::Error>,
    pub(super) schemas: fn() -> (Schema, Schema),
    pub(super) for_people: fn(&str, &Arguments, &PrintContext) -> serde_json::Result<Printout>,
    pub(super) for_model: fn(&str, TextBudget) -> serde_json::Result<Option<ModelContent>>,
}

/// Whether a path begins with the home directory, which the daemon completes.
fn is_in_home(path: &str) -> bool {
    path == "~" || path.starts_with("~/")
}

/// A path that begins with `~` in the home directory; others as they are.
fn from_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (Path::new(path).strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

impl VerbInfo {
    /// The verb of exactly this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        VERBS.iter().find(|verb| verb.name == name)
    }

    /// The verb that a word on a command line means: its name or an alias of it.
    pub fn by_name_or_alias(word: &str) -> Option<&'static Self> {
        Self::find(word).or_else(|| VERBS.iter().find(|verb| verb.properties.aliases.contains(&word)))
    }

    /// Its command line.
    pub fn command(&self) -> clap::Command {
        (self.command)(clap::Command::new(self.name))
    }

    /// The request that a parsed command line makes.
    pub fn from_matches(&self, matches: &ArgMatches) -> Result<Verb, clap::Error> {
        (self.from_matches)(matches)
    }

    /// The JSON schemas of its arguments and of its reply.
    pub fn schemas(&self) -> (Schema, Schema) {
        (self.schemas)()
    }

    /// Whether the call may be made again after the connection is lost, without doing anything twice.
    pub fn may_repeat(&self) -> bool {
        self.nature == Nature::Reads || self.properties.keyed || self.properties.repeatable
    }

    /// The refusal that stands for "no daemon is running", if the verb has one of its own. `claimed_pane` is the
    /// caller's `FUGUE_PANE_ID`.
    pub fn refusal_without_daemon(&self, claimed_pane: Option<&str>) -> Option<Refusal> {
        let outside = |detail: &str| Refusal::NotInsideFugue { detail: detail.to_owned() };
        match self.properties.without_daemon {
            WithoutDaemon::NotInside => Some(match claimed_pane.map(str::parse) {
                None => outside(PANE_ID_NOT_SET),
                Some(Ok(pane_id)) => Refusal::CallerGone { pane_id },
                Some(Err(_)) => outside(PANE_ID_MALFORMED),
            }),
            WithoutDaemon::Start | WithoutDaemon::Fail => None,
        }
    }

    /// Renders a reply for a person at a terminal. `arguments` are those of the call.
    pub fn for_people(
        &self,
        reply: &str,
        arguments: &Arguments,
        context: &PrintContext,
    ) -> serde_json::Result<Printout> {
        (self.for_people)(reply, arguments, context)
    }

    /// Renders a reply for a model; `None` if the reply's own JSON is shown.
    pub fn for_model(&self, reply: &str, budget: TextBudget) -> serde_json::Result<Option<ModelContent>> {
        (self.for_model)(reply, budget)
    }

    /// Adds an idempotency key where the verb takes one and the caller gave none.
    pub fn add_key(&self, arguments: &mut Arguments, key: impl FnOnce() -> String) {
        if self.properties.keyed && !arguments.contains_key("idempotency_key") {
            arguments.insert("idempotency_key".into(), key().into());
        }
    }

    /// Makes the paths of a call absolute, seen from the caller's own directory and its home directory: its working
    /// directory, and a lease that is named by a path.
    pub fn resolve_paths(&self, arguments: &mut Arguments, here: &Path, home: Option<&Path>) {
        self.resolve_directory(arguments, here);
        if let Some(argument) = self.properties.path
            && let Some(Value::String(path)) = arguments.get(argument)
            && let Ok(path) = plain(&here.join(from_home(path, home))).into_os_string().into_string()
        {
            arguments.insert(argument.into(), path.into());
        }
        if let Some(argument) = self.properties.lease
            && let Some(Value::String(name)) = arguments.get(argument)
            && let Some(path) = lease_path(name, here)
            && let Ok(path) = path.into_os_string().into_string()
            && path.parse::<LeaseName>().is_ok()
        {
            arguments.insert(argument.into(), path.into());
        }
    }

    fn resolve_directory(&self, arguments: &mut Arguments, here: &Path) {
        let directory = match arguments.get("cwd") {
            Some(Value::String(cwd)) if is_in_home(cwd) => return,
            Some(Value::String(cwd)) if !cwd.is_empty() => here.join(cwd),
            None if self.properties.directory == WorkingDirectory::CallersByDefault => here.to_owned(),
            // Anything else is the daemon's to refuse.
            _ => return,
        };
        if let Ok(directory) = directory.into_os_string().into_string()
            && self.properties.directory != WorkingDirectory::None
        {
            arguments.insert("cwd".into(), directory.into());
        }
    }

    /// Shortens the wait of a call that is repeated, so that all attempts together wait as long as was asked for.
    pub fn shorten_wait(&self, arguments: &mut Arguments, waited: Duration) {
        let Some(wait) = self.properties.wait else { return };
        let asked = arguments.get(wait.name).and_then(Value::as_u64).unwrap_or(wait.default_ms);
        let waited = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        // 0 would mean not to wait at all, which some verbs answer differently.
        if asked > 0 && waited > 0 {
            arguments.insert(wait.name.into(), asked.saturating_sub(waited).max(1).into());
        }
    }
}
