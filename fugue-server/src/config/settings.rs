//! The daemon's settings: their form for the machine, and the task that reads a changed file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fugue_config::{Config, ConfigSource, NOT_CONFINED, POLL_INTERVAL};
use fugue_core::permission_rules::PermissionRules;
use fugue_core::scope::{ConfinementRules, Scopes};
use fugue_core::settings::Quotas;
use fugue_core::{FleetMembership, Settings, StartRules};
use fugue_protocol::ConfinementName;

use crate::channels::local_watch::WatchReceiver;
use crate::program_start::shell_integration::short_name;
use crate::program_start::spawn_environment::configured_shell;
use crate::session::{ManagerInput, ManagerTx};

/// Editors write a file in several steps; reading it at the first one would see half of it. A changed file must have the
/// same content twice, this far apart.
const SETTLE: Duration = Duration::from_millis(50);

/// How often a file that changes all the time is read before it is taken as it is.
const MOST_READS: usize = 20;

/// Returns the settings on which decisions depend.
pub(crate) fn machine_settings(config: &Config) -> Settings {
    let daemon = &config.daemon;
    Settings {
        on_exit: daemon.on_exit,
        automatic_names: daemon.automatic_names,
        shell: short_name(&configured_shell(daemon)).parse().ok(),
        agents_may_answer: daemon.agents_may_answer,
        type_notices: daemon.type_notices,
        push_notices: daemon.push_notices,
        confinement: confinement(config),
        quotas: Quotas {
            sessions: daemon.max_sessions_per_agent,
            panes: daemon.max_panes_per_agent,
            spawns_per_minute: daemon.spawns_per_minute,
            messages_per_minute: daemon.messages_per_minute,
        },
        fleet: config.fleet.host.clone().map(|host| FleetMembership {
            host,
            outbox_messages: config.fleet.outbox_messages,
            run: StartRules::new(config.fleet.run.0.clone()),
        }),
    }
}

/// Returns the rules for confinement. A profile that cannot be one stays in force under a name that none has, so that nothing
/// is started.
fn confinement(config: &Config) -> ConfinementRules {
    let profile =
        |name: &str| (name != NOT_CONFINED).then(|| name.parse().unwrap_or_else(|_| invalid_profile()));
    ConfinementRules::new(config.confine.iter().map(|entry| (entry.name.clone(), profile(&entry.value))))
}

fn invalid_profile() -> ConfinementName {
    "invalid".parse().unwrap_or_else(|_| unreachable!("`invalid` is a name"))
}

/// Returns the scopes of agents by session name.
pub(crate) fn scopes(config: &Config) -> Scopes {
    Scopes::new(config.scopes.iter().map(|entry| (entry.name.clone(), entry.value)))
}

/// Returns the user's rules for what agents ask.
pub(crate) fn permission_rules(config: &Config) -> PermissionRules {
    let rules = PermissionRules::new(config.permissions.iter().map(|entry| entry.value.clone()));
    rules.incomplete(config.permissions_incomplete)
}

/// Sends the settings to the manager whenever the file changes, beginning with a change since `last` was read.
pub(crate) async fn watch(path: PathBuf, last: ConfigSource, changes: WatchReceiver<()>, manager: ManagerTx) {
    let send = |config| async { manager.send(ManagerInput::ConfigChanged(Box::new(config))).await.is_ok() };
    follow_file(path, last, changes, Config::read, send).await;
}

/// Hands over what a file says whenever its content changes, until nobody takes it. It is read and parsed on another
/// thread: a home directory on the network may be slow, and a file may be long.
pub(crate) async fn follow_file<T: Send + 'static, Taken: Future<Output = bool>>(
    path: PathBuf,
    mut last: ConfigSource,
    mut changes: WatchReceiver<()>,
    parse: fn(&ConfigSource) -> T,
    mut take: impl FnMut(T) -> Taken,
) {
    loop {
        if let Some(source) = settled(&last, async || read(&path).await).await {
            last = source.clone();
            let Ok(parsed) = tokio::task::spawn_blocking(move || parse(&source)).await else { return };
            if !take(parsed).await {
                return;
            }
        }
        // What kept the file from being read may end without a change to it.
        let is_unreadable = matches!(last, ConfigSource::Unreadable(_));
        let limit = if is_unreadable { POLL_INTERVAL } else { Duration::MAX };
        if tokio::time::timeout(limit, changes.changed()).await == Ok(false) {
            return;
        }
        tokio::time::sleep(SETTLE).await;
    }
}

/// Returns the file's new content, once it stays the same for a moment; nothing if it is the last one.
async fn settled(last: &ConfigSource, mut read: impl AsyncFnMut() -> ConfigSource) -> Option<ConfigSource> {
    let mut source = read().await;
    for _ in 0..MOST_READS {
        if source == *last {
            return None;
        }
        tokio::time::sleep(SETTLE).await;
        let next = read().await;
        if next == source {
            break;
        }
        source = next;
    }
    Some(source)
}

async fn read(path: &Path) -> ConfigSource {
    let path = path.to_owned();
    let read = tokio::task::spawn_blocking(move || ConfigSource::read(&path)).await;
    read.unwrap_or_else(|why| ConfigSource::Unreadable(format!("cannot be read: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is taken of a file that was `old`, when these are its contents one after the other.
    async fn taken(contents: &[Option<&str>]) -> Option<ConfigSource> {
        let source = |text: &Option<&str>| match text {
            Some(text) => ConfigSource::Text((*text).into()),
            None => ConfigSource::Missing,
        };
        let mut reads = contents.iter().map(source);
        let taken = settled(&ConfigSource::Text("old".into()), async || reads.next().expect("a read")).await;
        assert_eq!(reads.next(), None, "it is read until it stays the same");
        taken
    }

    #[tokio::test(flavor = "local")]
    async fn a_file_that_is_being_written_is_taken_when_it_is_complete() {
        let text = |text: &str| Some(ConfigSource::Text(text.into()));
        assert_eq!(taken(&[Some(""), Some("n"), Some("new"), Some("new")]).await, text("new"));
        assert_eq!(taken(&[None, Some("new"), Some("new")]).await, text("new"));
        assert_eq!(taken(&[None, Some("old")]).await, None, "as an editor that saves without a change does");
        assert_eq!(taken(&[None, None]).await, Some(ConfigSource::Missing));
    }
}
