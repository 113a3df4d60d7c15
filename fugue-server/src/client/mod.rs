//! A client: one task that reads its requests, one that writes to it. Nobody else ever waits for its socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fugue_core::Caller;
use fugue_protocol::messages::{self, ClientMessage, Hello, Role, Welcome};
use fugue_protocol::refusal::{Quota, Refused};
use fugue_protocol::{PROTOCOL, PaneId, Refusal, Verb, limits};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, oneshot};

use crate::identity;
use crate::journal::Journal;
use crate::reply::{Outbox, Reply, Unwritten};
use crate::session::{Desk, News, Stream};

mod doors;
mod incoming;
mod ledger;
mod recording;
mod screen;
mod subscription;
mod watching;
mod withdrawals;
mod writer;

use doors::Doors;
use incoming::{Incoming, Said};
use ledger::Ledger;
pub(crate) use ledger::Receipt;
pub(crate) use subscription::Subscription;
use watching::Watching;
use withdrawals::Withdrawals;

/// Requests that one client may have under way; past that it is not read from.
const UNDER_WAY: usize = 1_024;

/// A peer that does not greet within this is no client.
const GREETING: Duration = Duration::from_secs(5);

/// Connections at once: each takes a descriptor.
pub(crate) const CLIENTS: usize = 1_000;

/// What every client's tasks need.
#[derive(Clone)]
pub(crate) struct House {
    pub(crate) desk: Desk,
    pub(crate) stream: Stream,
    pub(crate) journal: Journal,
}

/// Connections are numbered as they come.
static NUMBER: AtomicU64 = AtomicU64::new(1);

/// Accepts clients for ever, as far as there are places.
pub(crate) async fn accept(listener: UnixListener, places: Arc<Semaphore>, house: House) {
    loop {
        match listener.accept().await {
            Ok((socket, _)) => match Arc::clone(&places).try_acquire_owned() {
                Ok(place) => {
                    let house = house.clone();
                    tokio::task::spawn_local(async move {
                        let _place = place;
                        serve(socket, house).await;
                    });
                }
                Err(_) => turn_away(&socket),
            },
            Err(why) => {
                tracing::warn!("a client could not be accepted: {why}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Says that the house is full, if the socket takes that at once; nobody waits for it.
fn turn_away(socket: &UnixStream) {
    let refusal = Refusal::TooMany { what: Quota::Connections, limit: CLIENTS };
    let _ = socket.try_write(&last_frame(None, &refusal));
}

async fn serve(socket: UnixStream, house: House) {
    let Ok(peer) = socket.peer_cred() else { return };
    let (mut incoming, outgoing) = {
        let (read, write) = socket.into_split();
        (Incoming::new(read), write)
    };
    if peer.uid() != rustix::process::geteuid().as_raw() {
        return writer::last_word(outgoing, None, &Refusal::WrongUser { uid: peer.uid() }).await;
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let (caller, role, ledger) = match greet(&mut incoming, peer.pid(), &house).await {
        Ok(caller) => caller,
        Err(Some(refusal)) => return writer::last_word(outgoing, None, &refusal).await,
        Err(None) => return,
    };
    let (outbox, frames, unwritten) = Outbox::new(UNDER_WAY);
    let (subscription, wishes) = Subscription::new(number, role == Role::Terminal);
    let _ = house.desk.send(News::Came).await;
    let welcome = messages::welcome(&welcome(caller, number));
    let writing = tokio::task::spawn_local(writer::write(
        outgoing,
        welcome,
        (frames, Arc::clone(&unwritten)),
        wishes,
        house.clone(),
    ));
    let mut client = Client {
        doors: Doors::new(house.desk.clone(), outbox.clone(), ledger),
        outbox,
        subscription,
        caller,
        house: house.clone(),
        places: Arc::new(Semaphore::new(UNDER_WAY)),
        unwritten,
        withdrawals: Withdrawals::default(),
        watching: Watching::default(),
    };
    let end = client.read(&mut incoming).await;
    client.doors.close();
    drop(client);
    writer::end(writing, end).await;
    let _ = house.desk.send(News::Went { client: number }).await;
}

fn welcome(caller: Caller, client: u64) -> Welcome {
    let version = env!("CARGO_PKG_VERSION").into();
    Welcome { protocol: PROTOCOL, version, pane: caller.pane(), client }
}

/// Takes the greeting and finds out who speaks. Nothing when the peer went without a word.
async fn greet(
    incoming: &mut Incoming,
    pid: Option<i32>,
    house: &House,
) -> Result<(Caller, Role, Option<Ledger>), Option<Refusal>> {
    let greeting = tokio::time::timeout(GREETING, incoming.next());
    let frame = match greeting.await {
        Ok(Ok(Some(Said::Words(frame)))) => frame,
        Ok(Ok(Some(Said::Keys(..)) | None)) | Err(_) => return Err(None),
        Ok(Err(refusal)) => return Err(Some(refusal)),
    };
    let hello = read_hello(&frame)?;
    let ledger = incoming.greeted(limits::REQUEST_BYTES).and_then(Ledger::open);
    let claimed = hello.pane.as_deref().and_then(|pane| pane.parse().ok());
    let caller = identify(pid, claimed, house).await.map_err(Some)?;
    let caller = if hello.role == Role::Bridge { caller.of_bridge() } else { caller };
    Ok((caller, hello.role, ledger))
}

fn read_hello(frame: &[u8]) -> Result<Hello, Option<Refusal>> {
    let bad = |why: String| Some(Refusal::BadMessage { why });
    let message: ClientMessage<'_> = serde_json::from_slice(frame).map_err(|why| bad(why.to_string()))?;
    let hello = message.hello.ok_or_else(|| bad("a connection begins with a greeting".into()))?;
    if hello.protocol != PROTOCOL {
        let version = env!("CARGO_PKG_VERSION").into();
        return Err(Some(Refusal::VersionMismatch { ours: PROTOCOL, theirs: hello.protocol, version }));
    }
    Ok(hello)
}

async fn identify(pid: Option<i32>, claimed: Option<PaneId>, house: &House) -> Result<Caller, Refusal> {
    let ancestors = pid.map(|pid| identity::ancestors(pid.cast_unsigned())).unwrap_or_default();
    let (answer, told) = oneshot::channel();
    let _ = house.desk.send(News::Identify { ancestors, claimed, answer }).await;
    told.await.unwrap_or(Err(Refusal::ShuttingDown))
}

/// A client that is known.
struct Client {
    outbox: Outbox,
    doors: Doors,
    subscription: Subscription,
    caller: Caller,
    house: House,
    places: Arc<Semaphore>,
    unwritten: Arc<Unwritten>,
    withdrawals: Withdrawals,
    watching: Watching,
}

impl Client {
    /// Reads requests until the client is done or makes no sense; the refusal then is its last word.
    async fn read(&mut self, incoming: &mut Incoming) -> Option<Refusal> {
        loop {
            let taken = match incoming.next().await {
                Ok(Some(Said::Words(frame))) => self.request(&frame).await,
                Ok(Some(Said::Keys(pane, bytes))) if bytes.is_empty() => {
                    self.doors.expect(pane);
                    Ok(())
                }
                Ok(Some(Said::Keys(..))) if self.watching.only => {
                    self.outbox.notice(&Refusal::OnlyWatches);
                    Ok(())
                }
                Ok(Some(Said::Keys(pane, bytes))) => {
                    self.doors.type_in(pane, bytes).await;
                    Ok(())
                }
                Ok(None) => return None,
                Err(refusal) => Err(refusal),
            };
            if let Err(refusal) = taken {
                return Some(refusal);
            }
        }
    }

    /// Takes one message. What has an id gets an answer; what has none cannot be answered and ends the connection.
    async fn request(&mut self, frame: &[u8]) -> Result<(), Refusal> {
        let message: ClientMessage<'_> =
            serde_json::from_slice(frame).map_err(|why| Refusal::BadMessage { why: why.to_string() })?;
        if let Some(id) = message.cancel {
            self.withdrawals.withdraw(id);
            return Ok(());
        }
        let id = message.id.ok_or_else(|| Refusal::BadMessage { why: "a request has an id".into() })?;
        self.unwritten.room().await;
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
            return Err(Refusal::ShuttingDown);
        };
        let reply = Reply::new(self.outbox.clone(), id, place);
        let Some(verb) = message.verb else {
            reply.refuse(Refusal::BadMessage { why: "a request names a verb".into() });
            return Ok(());
        };
        match Verb::read(&verb, message.args.map_or("{}", |args| args.get())) {
            Ok(verb) if !self.watching.allows(&verb) => reply.refuse(Refusal::OnlyWatches),
            Ok(verb) => {
                let reply = self.withdrawals.may_withdraw(&verb, id, reply);
                self.pass_on(reply, verb).await;
            }
            Err(refusal) => reply.refuse(refusal),
        }
        Ok(())
    }

    async fn pass_on(&self, reply: Reply, verb: Verb) {
        let (caller, subscription, verb) = (self.caller, self.subscription.clone(), Box::new(verb));
        let _ = self.house.desk.send(News::Request { reply, verb, caller, subscription }).await;
    }
}

/// A refusal that belongs to no request.
fn last_frame(id: Option<u64>, refusal: &Refusal) -> Vec<u8> {
    messages::refusal(id, &Refused::from(refusal))
}
