//! The exits that are not reported to the daemon while the machine may be shutting down.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::messages::PaneId;

/// How long exits are held back: systemd kills what is left of a session after 90 s unless it is configured otherwise.
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(120);

/// The exits that are not reported to the daemon yet.
#[derive(Default)]
pub(crate) struct HeldExits {
    /// When they are reported; none if exits are not held back.
    pub until: Option<Instant>,
    pub panes: BTreeSet<PaneId>,
}

impl HeldExits {
    /// Holds the exit of a pane back, if the machine may be shutting down.
    pub(crate) fn hold(&mut self, pane: PaneId) -> bool {
        self.until.is_some() && self.panes.insert(pane)
    }
}
