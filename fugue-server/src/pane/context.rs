//! The handles that every pane's task needs.

use crate::keeper_link::KeeperHandle;
use crate::session::ManagerTx;

/// The handles that every pane's task needs.
#[derive(Clone)]
pub(crate) struct PaneContext {
    pub(crate) manager: ManagerTx,
    pub(crate) keeper: KeeperHandle,
}
