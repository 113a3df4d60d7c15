//! The limits of the HTTP server.

use std::time::Duration;

use crate::bridge::{input_lines, wait_policy};

/// What clients may use of this process. The numbers are documented in `docs/limits.md`.
#[derive(Debug, Clone, Copy)]
pub(super) struct HttpLimits {
    /// Connections at a time. A request in progress has one of its own, so there are as many as waits.
    pub(super) connections: usize,
    /// Sessions at a time: many more than the agents of one user. The one unused for longest makes room for a new one.
    pub(super) sessions: usize,
    /// How long a session is kept that nobody uses: agents wait overnight for their user.
    pub(super) session_idle: Duration,
    /// How long a connection may be without a request, or take to send its head. Clients reuse connections within this
    /// time, and open another one later.
    pub(super) head: Duration,
    /// How long a body may take. It comes from the same machine.
    pub(super) body: Duration,
    /// The size of a body: the same as of a line on standard input.
    pub(super) body_bytes: usize,
    /// The number of large bodies that are read at a time, so that together they stay below 64 MiB.
    pub(super) large_bodies: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections: wait_policy::MAX_WAITS,
            sessions: 64,
            session_idle: Duration::from_secs(24 * 60 * 60),
            head: Duration::from_secs(60),
            body: Duration::from_secs(30),
            body_bytes: input_lines::MAX_MESSAGE,
            large_bodies: 4,
        }
    }
}
