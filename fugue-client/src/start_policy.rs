//! The choice of whether a call starts the daemon.

/// Whether to start a daemon that is not running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartPolicy {
    /// Start one.
    IfNeeded,
    /// Report that none is running.
    Never,
}
