//! Round trips through the stream: an item that the relay publishes to its own host and receives like any other. This is
//! what tells whether messages move; a connection alone does not.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fugue_protocol::FleetHost;
use fugue_protocol::relay_state::{NameState, RelayTrouble, RoundTrip, TroubleKind};
use tokio::sync::watch;

use crate::broker::Broker;
use crate::envelope::Envelope;
use crate::failure::Failure;
use crate::relay_state::{SharedState, now};

/// How long an item may take to come back. Less than the servers take to fail over would report each of their restarts.
const RETURN_TIME: Duration = Duration::from_secs(5);

/// How often the relay looks without being asked: the daemon's status names trouble that is at most this old.
const INTERVAL: Duration = Duration::from_secs(60);

/// For how long a result holds: many who ask at once share one item.
const HOLDS: Duration = Duration::from_millis(500);

/// The last error that a server reported, and when. The server says why it permits something only in this way: the request
/// itself just gets no reply.
#[derive(Clone, Default)]
pub(crate) struct ServerErrors(Arc<Mutex<Option<(Instant, String)>>>);

impl ServerErrors {
    pub(crate) fn note(&self, error: String) {
        if let Ok(mut last) = self.0.lock() {
            *last = Some((Instant::now(), error));
        }
    }

    /// The error that was reported since then.
    fn since(&self, begun: Instant) -> Option<String> {
        let last = self.0.lock().ok()?;
        last.as_ref().filter(|(at, _)| *at >= begun).map(|(_, error)| error.clone())
    }
}

/// Makes round trips.
pub(crate) struct RoundTrips {
    pub(crate) broker: Broker,
    pub(crate) own: FleetHost,
    pub(crate) states: SharedState,
    pub(crate) errors: ServerErrors,
    /// The last of the relay's own items that arrived.
    pub(crate) arrivals: watch::Receiver<String>,
    /// Why the relay cannot receive items, if it cannot.
    pub(crate) not_receiving: watch::Receiver<Option<String>>,
    last: RefCell<Option<Instant>>,
}

impl RoundTrips {
    pub(crate) fn new(
        broker: Broker,
        own: FleetHost,
        states: SharedState,
        errors: ServerErrors,
        arrivals: watch::Receiver<String>,
        not_receiving: watch::Receiver<Option<String>>,
    ) -> Self {
        Self { broker, own, states, errors, arrivals, not_receiving, last: RefCell::new(None) }
    }

    /// Makes a round trip from time to time, and whenever the relay is connected again.
    pub(crate) async fn run(&self) {
        let mut states = self.states.subscribe();
        loop {
            let may_look = |state: &fugue_protocol::relay_state::RelayState| {
                state.connected && !matches!(state.name, NameState::Unknown | NameState::Taken { .. })
            };
            if states.wait_for(may_look).await.is_err() {
                return;
            }
            self.check().await;
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Makes a round trip, unless one has just been made, and notes how it went.
    pub(crate) async fn check(&self) {
        let is_fresh = self.last.borrow().is_some_and(|last| last.elapsed() < HOLDS);
        let state = self.states.now();
        if is_fresh || matches!(state.name, NameState::Taken { .. }) {
            return;
        }
        let outcome = match state.connected {
            true => self.make().await,
            false => {
                let why = state.problem.map(|why| format!(": {why}")).unwrap_or_default();
                let hint =
                    "check `servers` in the [fleet] section of config.toml, and whether they can be reached";
                let message = format!("The relay is not connected to NATS{why}");
                Err(RelayTrouble::new(TroubleKind::NotConnected, message, hint))
            }
        };
        self.last.replace(Some(Instant::now()));
        self.states.change(|state| state.round_trip = Some(RoundTrip { at: now(), outcome }));
    }

    async fn make(&self) -> Result<u64, RelayTrouble> {
        let (begun, id) = (Instant::now(), fugue_client::random_key("trip"));
        let mut arrivals = self.arrivals.clone();
        if let Err(failure) = self.broker.publish(&self.own, &Envelope::RoundTrip(id.clone()), None).await {
            return Err(self.explain(failure, begun).await);
        }
        let arrived = tokio::time::timeout(RETURN_TIME, arrivals.wait_for(|last| *last == id)).await;
        if arrived.is_ok_and(|arrived| arrived.is_ok()) {
            return Ok(u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX));
        }
        Err(self.explain_silence(begun))
    }

    /// Why an item could not be published.
    async fn explain(&self, failure: Failure, begun: Instant) -> RelayTrouble {
        let failure = match failure.kind() {
            // There is no stream with this subject, or no JetStream at all.
            Some(TroubleKind::NoStream) => self.broker.find_stream().await.err().unwrap_or(failure),
            _ => failure,
        };
        match (failure.kind(), self.errors.since(begun)) {
            (Some(kind), _) => failure.trouble(kind),
            (None, Some(error)) => not_permitted(&error),
            (None, None) => failure.trouble(TroubleKind::NoRoundTrip),
        }
    }

    /// Why an item that was published did not arrive.
    fn explain_silence(&self, begun: Instant) -> RelayTrouble {
        let seconds = RETURN_TIME.as_secs();
        let why = self.not_receiving.borrow().clone();
        match self.errors.since(begun).filter(|error| error.contains("ermission")) {
            Some(error) => not_permitted(&error),
            None => RelayTrouble::new(
                TroubleKind::NoRoundTrip,
                match why {
                    Some(why) => format!("The relay cannot receive items: {why}"),
                    None => {
                        format!("An item that the relay sent to itself did not come back within {seconds} s")
                    }
                },
                "check this host's permissions and the servers' logs; see docs/fleet.md",
            ),
        }
    }
}

fn not_permitted(error: &str) -> RelayTrouble {
    RelayTrouble::new(
        TroubleKind::NotPermitted,
        format!("The NATS server refuses a request of this host: {error}"),
        "add the permissions in docs/fleet.md to this host's user in the server's configuration",
    )
}
