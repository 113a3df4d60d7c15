//! The programs of panes: they are spawned, their output is stored, and they are reaped or terminated.

pub(crate) mod child;
pub(crate) mod exec;
pub(crate) mod held_exits;
pub(crate) mod kept_pane;
pub(crate) mod orphans;
pub(crate) mod pane_events;
pub(crate) mod pty;
pub(crate) mod pump;
pub(crate) mod spawn;
pub(crate) mod termination;
