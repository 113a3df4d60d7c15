//! The means to start and host programs: the keeper, the environment they get, and the settings of their panes.

use std::path::PathBuf;

use fugue_config::Config;
use fugue_core::ChildSpec;
use fugue_keeper::SpawnRequest;
use fugue_protocol::RunId;

use crate::channels::local_watch::{WatchReceiver, WatchSender};
use crate::config::last_scopes::LastScopes;
use crate::keeper_link::KeeperOrder;
use crate::pane::{MonitorSettings, PaneContext};
use crate::program_start::spawn_environment::SpawnEnvironment;
use crate::session::requests::caller_identity::OwnProcesses;

/// The means to start and host programs.
pub(crate) struct ProgramHost {
    /// The handles that pane tasks get.
    pub(crate) context: PaneContext,
    /// What panes report of their activity.
    pub(crate) monitor: WatchSender<MonitorSettings>,
    pub(crate) keeper_pid: u32,
    pub(crate) own_processes: OwnProcesses,
    pub(crate) environment: SpawnEnvironment,
    pub(crate) config: Config,
    pub(crate) last_scopes: LastScopes,
    /// The warning while the daemon's files cannot be watched.
    pub(crate) watch_warning: WatchReceiver<Option<String>>,
    /// The state directory.
    pub(crate) state: PathBuf,
}

impl ProgramHost {
    /// Starts a program; returns whether the keeper took the order.
    pub(crate) fn spawn(&self, request: SpawnRequest) -> bool {
        self.context.keeper.send(KeeperOrder::Spawn(Box::new(request))).is_ok()
    }

    /// Kills a program, if it is still running, and has the keeper forget it.
    pub(crate) fn forget(&self, run: RunId) {
        if self.context.keeper.send(KeeperOrder::Forget { run }).is_err() {
            tracing::warn!("Cannot kill program {run}: the keeper is not responding");
        }
    }

    /// Takes note that a program is gone, and returns whether its worktree had not been set up by then.
    pub(crate) fn take_setup_mark(&self, run: RunId) -> bool {
        std::fs::remove_file(self.environment.setup_mark(run)).is_ok()
    }

    /// Returns the request that starts a child in this directory.
    pub(crate) fn request(&self, child: &ChildSpec, directory: PathBuf) -> SpawnRequest {
        self.environment.request(child, directory)
    }

    /// Returns how much history a new pane keeps.
    pub(crate) fn limits(&self) -> fugue_screen::Limits {
        let settings = &self.config.daemon;
        fugue_screen::Limits { lines: settings.history_lines, bytes: settings.history_bytes }
    }
}
