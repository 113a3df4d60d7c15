//! The connection to the local daemon. It is opened again after the daemon was restarted, with pauses that grow, so that
//! a daemon that is away costs nothing.

use std::time::Duration;

use fugue_client::{AsyncConnection, CallError, Endpoint, Env, Paths, StartPolicy};
use fugue_protocol::messages::Role;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::VerbSpec;

use crate::failure::say;

/// The first pause after the daemon did not answer, and the longest one.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// The codes of refusals that say nothing about the request.
const PASSING: [&str; 3] = ["storage_full", "shutting_down", "too_many_connections"];

/// The pauses between calls that the daemon does not carry out, and what was said about them.
struct DaemonWait {
    pause: Duration,
    told: String,
}

impl Default for DaemonWait {
    fn default() -> Self {
        Self { pause: PAUSES.0, told: String::new() }
    }
}

impl DaemonWait {
    async fn pause(&mut self, error: &CallError) {
        let problem = error.message();
        if self.pause == PAUSES.1 && problem != self.told {
            say(&format!("waiting for the daemon: {problem}"));
            self.told = problem;
        }
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(PAUSES.1);
    }
}

/// A connection to the local daemon for one task.
pub(crate) struct DaemonLink {
    endpoint: Endpoint,
    connection: Option<AsyncConnection>,
}

impl DaemonLink {
    pub(crate) fn new(paths: &Paths) -> Self {
        // The relay is never in a pane: the environment of the shell that started it does not count.
        let endpoint = Endpoint { paths: paths.clone(), role: Role::Command, pane: None };
        Self { endpoint, connection: None }
    }

    /// A connection for the program that runs in this environment, which may be in a pane.
    pub(crate) fn of_caller(paths: &Paths, env: &Env) -> Self {
        let pane = env.claimed_pane(&paths.socket);
        let endpoint = Endpoint { paths: paths.clone(), role: Role::Command, pane };
        Self { endpoint, connection: None }
    }

    /// Calls a verb once.
    pub(crate) async fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, CallError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => AsyncConnection::open(&self.endpoint, StartPolicy::Never).await?,
        };
        let reply = connection.call(verb).await;
        if matches!(reply, Ok(_) | Err(CallError::Refused(_))) {
            self.connection = Some(connection);
        }
        reply
    }

    /// Calls a verb that may be repeated until the daemon has carried it out. A refusal is a reason to wait, too: the
    /// disk may be full for now.
    pub(crate) async fn persist<V: VerbSpec>(&mut self, verb: &V) -> V::Reply {
        let mut wait = DaemonWait::default();
        loop {
            match self.call(verb).await {
                Ok(reply) => return reply,
                Err(error) => wait.pause(&error).await,
            }
        }
    }

    /// Calls a verb that may be repeated until the daemon has carried it out or refused it. Refusals that only say that
    /// the daemon cannot do anything now are a reason to wait.
    pub(crate) async fn settle<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, Refused> {
        let mut wait = DaemonWait::default();
        loop {
            match self.call(verb).await {
                Ok(reply) => return Ok(reply),
                Err(CallError::Refused(refused)) if !PASSING.contains(&refused.code.as_str()) => {
                    return Err(*refused);
                }
                Err(error) => wait.pause(&error).await,
            }
        }
    }
}
