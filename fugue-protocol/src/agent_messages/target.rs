//! The target of a message. It is read leniently, as an object or a string that contains one, and written as an object.

use std::fmt;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::{SessionRef, Tag};

/// The target of a message. The recipients are sessions; a tag, a worktree or a broadcast never includes the sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Every session with this tag.
    Tagged(Tag),
    /// This session.
    Session(SessionRef),
    /// Every session of the sender's repository.
    Broadcast,
    /// Every session in this worktree.
    Worktree(String),
    /// The session that created the sender's.
    Parent,
    /// A group of sessions on this host and all others of the fleet.
    OnAllHosts(FleetGroup),
}

/// A group of sessions that exists on several hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FleetGroup {
    /// Every session with this tag.
    Tagged(Tag),
    /// Every session of the sender's repository, by the URL of its remote.
    Repository,
}

/// The value of `hosts` in a target.
const ALL: &str = "all";

/// The accepted forms of a target, for error messages.
const FORMS: &str = "use one of {\"tag\": \"worker\"}, {\"session\": \"UUID or name\"}, {\"broadcast\": true}, \
    {\"worktree\": \"path\"}, {\"parent\": true}; {\"tag\"} and {\"broadcast\"} also with \"hosts\": \"all\"";

impl Target {
    fn to_value(&self) -> Value {
        match self {
            Self::Tagged(tag) => json!({ "tag": tag }),
            Self::Session(session) => json!({ "session": session }),
            Self::Broadcast => json!({ "broadcast": true }),
            Self::Worktree(path) => json!({ "worktree": path }),
            Self::Parent => json!({ "parent": true }),
            Self::OnAllHosts(FleetGroup::Tagged(tag)) => json!({ "tag": tag, "hosts": ALL }),
            Self::OnAllHosts(FleetGroup::Repository) => json!({ "broadcast": true, "hosts": ALL }),
        }
    }

    /// The same target on all hosts, if it is a group that other hosts can have.
    fn on_all_hosts(self) -> Result<Self, String> {
        match self {
            Self::Tagged(tag) => Ok(Self::OnAllHosts(FleetGroup::Tagged(tag))),
            Self::Broadcast => Ok(Self::OnAllHosts(FleetGroup::Repository)),
            Self::OnAllHosts(_) => Ok(self),
            other => Err(format!("{other} cannot be on all hosts: {FORMS}")),
        }
    }

    /// Whether a sender may use it only so often, because it reaches many.
    pub fn is_broadcast(&self) -> bool {
        matches!(self, Self::Broadcast | Self::OnAllHosts(_))
    }

    fn from_value(value: Value) -> Result<Self, String> {
        match value {
            Value::Object(fields) => Self::from_fields(fields),
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(Value::Object(fields)) => Self::from_fields(fields),
                _ => Err(format!("`{text}` is not a target: {FORMS}")),
            },
            other => Err(format!("{other} is not a target: {FORMS}")),
        }
    }

    fn from_fields(mut fields: Map<String, Value>) -> Result<Self, String> {
        // Null and false are the same as omitted.
        let is_set = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
        match fields.remove("hosts").filter(is_set) {
            None => {}
            Some(Value::String(hosts)) if hosts == ALL => return Self::from_fields(fields)?.on_all_hosts(),
            Some(_) => return Err(format!("hosts: must be \"{ALL}\"")),
        }
        let mut set = fields.into_iter().filter(|(_, value)| is_set(value));
        match (set.next(), set.next()) {
            (Some((name, value)), None) => Self::from_field(&name, &value),
            (None, _) => Err(format!("no target given: {FORMS}")),
            (Some((one, _)), Some((other, _))) => Err(format!("both {one} and {other} given: {FORMS}")),
        }
    }

    /// Reads the arguments of a command line.
    fn from_words(matches: &ArgMatches) -> Result<Self, String> {
        let text = |name: &str| matches.get_one::<String>(name);
        if let Some(name) = ["broadcast", "parent"].into_iter().find(|name| matches.get_flag(name)) {
            return Self::from_field(name, &Value::Bool(true));
        }
        if let Some(json) = text("json-target") {
            return Self::from_value(Value::String(json.clone()));
        }
        let named = ["tag", "session", "worktree"].into_iter().find_map(|name| Some((name, text(name)?)));
        let (name, value) = named.ok_or_else(|| format!("no target given: {FORMS}"))?;
        Self::from_field(name, &Value::String(value.clone()))
    }

    fn from_field(name: &str, value: &Value) -> Result<Self, String> {
        let bad = |why: &dyn fmt::Display| format!("{name}: {why}");
        let text = || value.as_str().ok_or_else(|| bad(&"must be a string"));
        let switched = || {
            let on = value == &Value::Bool(true) || value.as_str().is_some_and(|text| text == "true");
            on.then_some(()).ok_or_else(|| bad(&"must be true"))
        };
        match name {
            "tag" => text()?.parse().map(Self::Tagged).map_err(|why| bad(&why)),
            "session" | "session_id" => {
                let Ok(session) = text()?.parse();
                Ok(Self::Session(session))
            }
            "broadcast" => switched().map(|()| Self::Broadcast),
            "worktree" => text().map(|path| Self::Worktree(path.to_owned())),
            "parent" => switched().map(|()| Self::Parent),
            other => Err(format!("unknown target `{other}`: {FORMS}")),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tagged(tag) => write!(f, "tag `{tag}`"),
            Self::Session(session) => write!(f, "session `{session}`"),
            Self::Broadcast => f.write_str("broadcast"),
            Self::Worktree(path) => write!(f, "worktree `{path}`"),
            Self::Parent => f.write_str("parent"),
            Self::OnAllHosts(FleetGroup::Tagged(tag)) => write!(f, "tag `{tag}` on all hosts"),
            Self::OnAllHosts(FleetGroup::Repository) => f.write_str("broadcast on all hosts"),
        }
    }
}

impl Serialize for Target {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(out)
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::from_value(Value::deserialize(from)?).map_err(D::Error::custom)
    }
}

impl schemars::JsonSchema for Target {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Target".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let tag = "Send to sessions with this tag (e.g., 'orchestrator', 'worker')";
        let parent = "Send to the session that created the sender's session";
        let hosts = json!({ "const": ALL, "description": "Include the other hosts in the fleet" });
        schemars::json_schema!({
            "oneOf": [
                { "type": "object", "properties": { "tag": { "type": "string", "description": tag }, "hosts": hosts }, "required": ["tag"] },
                { "type": "object", "properties": { "session": { "type": "string", "description": "Session UUID or name" } }, "required": ["session"] },
                { "type": "object", "properties": { "broadcast": { "const": true, "description": "Send to all sessions in the same repository" }, "hosts": hosts }, "required": ["broadcast"] },
                { "type": "object", "properties": { "worktree": { "type": "string", "description": "Send to sessions in the worktree at this path" } }, "required": ["worktree"] },
                { "type": "object", "properties": { "parent": { "const": true, "description": parent } }, "required": ["parent"] },
            ]
        })
    }
}

/// `--tag TAG`, `--session SESSION`, `--broadcast`, `--worktree PATH`, `--parent`, or `--target JSON`; and `--all-hosts`.
impl Args for Target {
    fn group_id() -> Option<clap::Id> {
        Some("target".into())
    }

    fn augment_args(command: Command) -> Command {
        let named = |name: &'static str, value: &'static str, help: &'static str| {
            Arg::new(name).long(name).value_name(value).help(help)
        };
        let switch = |name: &'static str, help: &'static str| {
            Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
        };
        command
            .arg(named("tag", "TAG", "Send to every session with this tag"))
            .arg(
                named("session", "SESSION", "Send to this session (name or UUID)")
                    .short('s')
                    .short_alias('t'),
            )
            .arg(switch("broadcast", "Send to every session in your repository"))
            .arg(named("worktree", "PATH", "Send to every session in this worktree"))
            .arg(switch("parent", "Send to the session that created yours"))
            .arg(
                named("json-target", "JSON", "The target as JSON, such as '{\"tag\": \"worker\"}'")
                    .long("target"),
            )
            .arg(
                switch(EVERYWHERE, "With --tag or --broadcast: send to all hosts in the fleet")
                    .requires("target"),
            )
            .group(ArgGroup::new("target").multiple(false).args(NAMES))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The switch that adds the other hosts.
const EVERYWHERE: &str = "all-hosts";

const NAMES: [&str; 6] = ["tag", "session", "broadcast", "worktree", "parent", "json-target"];

impl FromArgMatches for Target {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let invalid =
            |why: String| clap::Error::raw(clap::error::ErrorKind::ValueValidation, format!("{why}\n"));
        let target = Self::from_words(matches).map_err(invalid)?;
        if matches.get_flag(EVERYWHERE) { target.on_all_hosts().map_err(invalid) } else { Ok(target) }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Value) -> Result<Target, String> {
        serde_json::from_value(value).map_err(|why| why.to_string())
    }

    #[test]
    fn a_target_is_read_from_an_object_or_a_string_and_written_as_an_object() {
        for form in [
            json!({ "tag": "worker" }),
            json!({ "session": "work" }),
            json!({ "broadcast": true }),
            json!({ "worktree": "/src/app" }),
            json!({ "parent": true }),
            json!({ "tag": "worker", "hosts": "all" }),
            json!({ "broadcast": true, "hosts": "all" }),
        ] {
            let target = read(form.clone()).unwrap();
            assert_eq!(serde_json::to_value(&target).unwrap(), form);
            assert_eq!(read(Value::String(form.to_string())).unwrap(), target);
        }
        assert_eq!(
            read(json!({ "tag": "a", "session": null, "broadcast": false })).unwrap().to_string(),
            "tag `a`"
        );
    }

    #[test]
    fn an_invalid_target_is_refused_with_the_accepted_forms() {
        let why = |value: Value| read(value).unwrap_err();
        assert!(
            why(json!("orchestrator")).starts_with("`orchestrator` is not a target: use one of {\"tag\"")
        );
        assert!(why(json!({})).starts_with("no target given"));
        assert!(why(json!({ "tag": "a", "parent": true })).starts_with("both tag and parent given"));
        assert!(why(json!({ "everybody": true })).starts_with("unknown target `everybody`"));
        assert!(why(json!({ "tag": "" })).starts_with("tag: a tag cannot be empty"));
        assert_eq!(why(json!({ "tag": "a", "hosts": "some" })), "hosts: must be \"all\"");
        assert!(
            why(json!({ "parent": true, "hosts": "all" }))
                .starts_with("parent cannot be on all hosts: use one")
        );
    }
}
