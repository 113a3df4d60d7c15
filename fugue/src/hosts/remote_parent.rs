//! The parent of a session that is created on another host: the session in which the command runs, if this host belongs
//! to a fleet. The new session can then send messages to its parent.

use fugue_client::{DaemonName, Env, StartPolicy, connect};
use fugue_config::{Config, ConfigSource, UnusableConfig};
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{Arguments, Whoami};
use serde_json::{Value, json};

/// Adds the tag that names the parent. A caller outside any pane, or outside a fleet, is no parent.
pub(crate) fn add_tag(arguments: &mut Arguments) {
    // An agent that is started in an existing pane makes no session.
    if arguments.contains_key("pane") {
        return;
    }
    if let Some(parent) = parent()
        && let Value::Array(tags) = arguments.entry("tags").or_insert_with(|| json!([]))
    {
        tags.push(format!("child:{parent}").into());
    }
}

/// The caller's session as other hosts name it.
fn parent() -> Option<String> {
    let env = Env::own_or_inherited();
    let paths = DaemonName::default().paths(&env).ok()?;
    env.claimed_pane(&paths.socket)?;
    let config =
        Config::parse(&ConfigSource::read(&paths.config), None).unwrap_or_else(UnusableConfig::or_defaults);
    let host = config.fleet.host?;
    let mut daemon = connect(&paths, Role::Command, StartPolicy::Never).ok()?;
    let own = daemon.call(&Whoami { include_tags: false }).ok()?;
    host.session_name(own.session_name.as_str()).ok().map(|name| name.to_string())
}
