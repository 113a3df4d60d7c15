//! What can be known about a verb by its name: the row of the verb, with its type erased. A surface looks a verb up
//! once, at its edge.

use std::path::Path;
use std::time::Duration;

use clap::ArgMatches;
use schemars::Schema;

use super::arguments::{self, Arguments};
use super::properties::{Nature, Properties, WithoutDaemon};
use super::table::{VERBS, Verb};
use crate::refusal::{PANE_ID_MALFORMED, PANE_ID_NOT_SET, Refusal};
use crate::render::{ModelContent, PrintContext, Printout, TextBudget};

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
    pub(super) arguments_schema: fn() -> Schema,
    pub(super) reply_schema: fn() -> Schema,
    pub(super) for_people: fn(&str, &Arguments, &PrintContext) -> serde_json::Result<Printout>,
    pub(super) for_model: fn(&str, TextBudget) -> serde_json::Result<Option<ModelContent>>,
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

    /// Its command line, in whose help arguments are named as flags.
    pub fn command(&self) -> clap::Command {
        with_flags((self.command)(clap::Command::new(self.name)))
    }

    /// The request that a parsed command line makes.
    pub fn from_matches(&self, matches: &ArgMatches) -> Result<Verb, clap::Error> {
        (self.from_matches)(matches)
    }

    /// The JSON schemas of its arguments and of its reply.
    pub fn schemas(&self) -> (Schema, Schema) {
        ((self.arguments_schema)(), (self.reply_schema)())
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
        arguments::resolve_paths(arguments, &self.properties, here, home);
    }

    /// Shortens the wait of a call that is repeated, so that all attempts together wait as long as was asked for.
    pub fn shorten_wait(&self, arguments: &mut Arguments, waited: Duration) {
        if let Some(wait) = self.properties.wait {
            arguments::shorten_wait(arguments, wait, waited);
        }
    }
}

/// A command whose texts name arguments as flags: `` `wait_ms` `` becomes `--wait-ms`. The arguments keep their order,
/// which is that of the words without flags.
fn with_flags(command: clap::Command) -> clap::Command {
    let flag = |argument: &clap::Arg| {
        Some((format!("`{}`", argument.get_id()), format!("--{}", argument.get_long()?)))
    };
    let flags: Vec<_> = command.get_arguments().filter_map(flag).collect();
    let worded = |text: String| flags.iter().fold(text, |text, (name, flag)| text.replace(name, flag));
    command.mut_args(|argument| match argument.get_help().map(ToString::to_string) {
        Some(help) if help.contains('`') => argument.help(worded(help)),
        _ => argument,
    })
}
