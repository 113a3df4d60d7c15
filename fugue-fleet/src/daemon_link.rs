//! The connection to the local daemon. It is opened again after the daemon was restarted, with pauses that grow, so that
//! a daemon that is away costs nothing.

use std::time::Duration;

use fugue_client::{AsyncConnection, CallError, Endpoint, Env, PASSING_REFUSALS, Paths, StartPolicy};
use fugue_protocol::messages::Role;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::VerbSpec;

use crate::failure::say;

/// The first pause after a daemon did not answer, and the longest one.
type Pauses = (Duration, Duration);

/// The pauses for the local daemon.
const PAUSES: Pauses = (Duration::from_millis(50), Duration::from_secs(2));

/// The pauses for a daemon on another host, which takes a login to reach.
const SSH_PAUSES: Pauses = (Duration::from_millis(500), Duration::from_secs(15));

/// How long a daemon on another host may take to reply: the longest wait of a request, and a time in which a connection
/// that works answers. An ssh that was stopped, or that hangs, ends neither the connection nor the request.
const SSH_PATIENCE: Duration = Duration::from_secs(30);

/// Is told whenever a daemon answers, or why it does not.
type Observer = Box<dyn Fn(Option<String>)>;

/// A connection to a daemon for one task.
pub(crate) struct DaemonLink {
    endpoint: Endpoint,
    connection: Option<AsyncConnection>,
    pauses: Pauses,
    observer: Option<Observer>,
    /// How long a reply may take; none if only a lost connection counts.
    patience: Option<Duration>,
}

impl DaemonLink {
    pub(crate) fn new(paths: &Paths) -> Self {
        // The relay is never in a pane: the environment of the shell that started it does not count.
        let endpoint = Endpoint { paths: paths.clone(), role: Role::Command, pane: None, key_space: None };
        Self { endpoint, connection: None, pauses: PAUSES, observer: None, patience: None }
    }

    /// A connection to the daemon of another host.
    pub(crate) fn over_ssh(paths: &Paths, observer: Option<Observer>) -> Self {
        Self { pauses: SSH_PAUSES, observer, patience: Some(SSH_PATIENCE), ..Self::new(paths) }
    }

    /// A connection for the program that runs in this environment, which may be in a pane.
    pub(crate) fn of_caller(paths: &Paths, env: &Env) -> Self {
        let pane = env.claimed_pane(&paths.socket);
        let endpoint = Endpoint { paths: paths.clone(), role: Role::Command, pane, key_space: None };
        Self { endpoint, ..Self::new(paths) }
    }

    /// Calls a verb once.
    pub(crate) async fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, CallError> {
        let former = self.connection.take();
        let exchange = async {
            let mut connection = match former {
                Some(connection) => connection,
                None => AsyncConnection::open(&self.endpoint, StartPolicy::Never).await?,
            };
            let reply = connection.call(verb).await;
            Ok::<_, CallError>((connection, reply))
        };
        let (connection, reply) = match self.patience {
            None => exchange.await?,
            Some(patience) => tokio::time::timeout(patience, exchange).await.unwrap_or_else(|_| {
                let seconds = patience.as_secs();
                Err(CallError::Local(format!("no reply for {seconds} s")))
            })?,
        };
        if matches!(reply, Ok(_) | Err(CallError::Refused(_))) {
            self.connection = Some(connection);
            self.tell(None);
        }
        reply
    }

    /// Calls a verb that may be repeated until the daemon has carried it out. A refusal is a reason to wait, too: the
    /// disk may be full for now.
    pub(crate) async fn persist<V: VerbSpec>(&mut self, verb: &V) -> V::Reply {
        let mut pause = self.pauses.0;
        loop {
            match self.call(verb).await {
                Ok(reply) => return reply,
                Err(error) => pause = self.pause(&error, pause).await,
            }
        }
    }

    /// Calls a verb that may be repeated until the daemon has carried it out or refused it. Refusals that only say that
    /// the daemon cannot do anything now are a reason to wait.
    pub(crate) async fn settle<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, Refused> {
        let mut pause = self.pauses.0;
        loop {
            match self.call(verb).await {
                Ok(reply) => return Ok(reply),
                Err(CallError::Refused(refused)) if !PASSING_REFUSALS.contains(&refused.code.as_str()) => {
                    return Err(*refused);
                }
                Err(error) => pause = self.pause(&error, pause).await,
            }
        }
    }

    /// Waits before the next call, and returns the pause after that one.
    async fn pause(&self, error: &CallError, pause: Duration) -> Duration {
        // The local daemon is often back in a moment.
        if pause == self.pauses.1 || self.observer.is_some() {
            self.tell(Some(error.message()));
        }
        tokio::time::sleep(pause).await;
        (pause * 2).min(self.pauses.1)
    }

    fn tell(&self, problem: Option<String>) {
        match (&self.observer, problem) {
            (Some(observer), problem) => observer(problem),
            (None, Some(problem)) => say(&format!("waiting for the daemon: {problem}")),
            (None, None) => {}
        }
    }
}
