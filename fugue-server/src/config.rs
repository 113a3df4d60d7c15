//! The daemon's settings: their form for the machine, and the task that notices a changed file.

use std::path::PathBuf;
use std::time::Duration;

use fugue_config::{Config, ConfigSource, ConfigWatch};
use fugue_core::permission_rules::PermissionRules;
use fugue_core::scope::Scopes;
use fugue_core::settings::Quotas;
use fugue_core::{FleetMembership, Settings, StartRules};
use tokio::io::Interest;

use crate::fd_readiness;
use crate::session::{ManagerInput, ManagerTx};
use crate::shell_integration::short_name;
use crate::spawn_environment::configured_shell;

/// Editors write a file in several steps; reading it at the first one would see half of it.
const SETTLE: Duration = Duration::from_millis(50);

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

/// Returns the scopes of agents by session name.
pub(crate) fn scopes(config: &Config) -> Scopes {
    Scopes::new(config.scopes.iter().map(|entry| (entry.name.clone(), entry.value)))
}

/// Returns the user's rules for what agents ask.
pub(crate) fn permission_rules(config: &Config) -> PermissionRules {
    PermissionRules::new(config.permissions.iter().map(|entry| entry.value.clone()))
}

/// Sends the file's content to the manager whenever it changes, beginning with a change since `last` was read.
pub(crate) async fn watch(path: PathBuf, last: ConfigSource, manager: ManagerTx) {
    let send = |source| async { manager.send(ManagerInput::ConfigChanged(source)).await.is_ok() };
    watch_file(path, last, send).await;
}

/// Hands over a file's content whenever it changes, until nobody takes it.
pub(crate) async fn watch_file<Taken: Future<Output = bool>>(
    path: PathBuf,
    mut last: ConfigSource,
    mut take: impl FnMut(ConfigSource) -> Taken,
) {
    let watch = ConfigWatch::new(&path);
    let ready = watch.fd().and_then(|fd| fd_readiness::watch(fd, Interest::READABLE).ok());
    let Some(ready) = ready else {
        let name = path.file_name().unwrap_or_default().display();
        return tracing::warn!("Cannot watch {name}; changes will take effect when the daemon restarts");
    };
    loop {
        let source = read(path.clone()).await;
        if source != last {
            last = source.clone();
            if !take(source).await {
                return;
            }
        }
        let Ok(mut guard) = ready.readable().await else { return };
        tokio::time::sleep(SETTLE).await;
        watch.clear();
        guard.clear_ready();
    }
}

/// Reads the file on another thread: a home directory on the network may be slow.
async fn read(path: PathBuf) -> ConfigSource {
    let read = tokio::task::spawn_blocking(move || ConfigSource::read(&path)).await;
    read.unwrap_or_else(|why| ConfigSource::Unreadable(format!("cannot be read: {why}")))
}
