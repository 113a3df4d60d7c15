//! What a pane's task starts with.

use std::path::PathBuf;
use std::sync::Arc;

use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, RunId, Size};

use super::activity_monitor::MonitorSettings;
use crate::channels::local_watch::WatchReceiver;
use crate::config::agent_table_file::SharedAgentTable;
use crate::crash_record::CrashRecord;
use crate::keeper_link::KeeperHandle;
use crate::last_screens::LastScreens;
use crate::replies::answer_store::AnswerStore;
use crate::session::ManagerTx;

/// The handles that every pane's task needs.
#[derive(Clone)]
pub(crate) struct PaneContext {
    pub(crate) manager: ManagerTx,
    pub(crate) keeper: KeeperHandle,
    pub(crate) crash_record: CrashRecord,
    pub(crate) screens: LastScreens,
    /// The directory of the input records of all panes.
    pub(crate) input_records: PathBuf,
    pub(crate) answers: Arc<AnswerStore>,
    pub(crate) agents: SharedAgentTable,
    pub(crate) monitored: WatchReceiver<MonitorSettings>,
}

/// The state in which a task starts.
pub(super) struct TaskStart {
    pub(super) id: PaneId,
    pub(super) run: RunId,
    pub(super) size: Size,
    pub(super) pid: u32,
    /// How much of the output the screen has processed.
    pub(super) offset: u64,
    pub(super) exited: Option<ExitStatus>,
    /// Whether there is no program, only the screen it left.
    pub(super) is_lost: bool,
    /// Whether its output is not processed, because the daemon died of it.
    pub(super) is_set_aside: bool,
}
