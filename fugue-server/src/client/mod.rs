//! A client connection: one task reads its requests, another writes to it. No other task ever waits for its socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fugue_core::{Caller, KeySpace};
use fugue_protocol::messages::{self, ClientMessage, Hello, PaneClaim, Role, Welcome};
use fugue_protocol::upgrade::{StableGreeting, StableHello, UpgradeRequest};
use fugue_protocol::{PROTOCOL, PaneId, Refusal, Verb, limits};
use tokio::net::unix::UCred;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::input_ledger::InputLedger;
use crate::processes::own_executable;
use crate::replies::reply::{FrameQueue, Reply};
use crate::replies::unwritten_replies::UnwrittenBytes;
use crate::session::{CallerEvidence, ManagerInput};

mod cancellations;
mod connection_table;
mod context;
mod event_feed;
mod feed;
mod final_frame;
mod frame_source;
mod image_queue;
mod open_files;
mod pane_routes;
mod peer_process;
mod read_only;
mod recordings;
mod unfinished_frames;
mod update_timer;
mod upgrade;
mod watched_screen;
mod writer;

use crate::replies::read_gate::ReadGate;
use crate::tasks;
use cancellations::Cancellations;
pub(crate) use connection_table::{ConnectionSlot, ConnectionTable};
pub(crate) use context::ServerContext;
pub(crate) use feed::ClientFeed;
use frame_source::{ClientFrame, FrameSource};
use open_files::SpareFile;
use pane_routes::PaneRoutes;
use peer_process::PeerProcess;
use read_only::ReadOnly;
pub(crate) use unfinished_frames::UnfinishedFrames;

/// Requests that one client may have in progress; beyond that it is not read from.
const MAX_REQUESTS: usize = 1_024;

/// How often a client that has as many requests in progress as it may is checked for having gone.
const HANG_UP_INTERVAL: Duration = Duration::from_secs(1);

/// How long a peer may take to send its greeting.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of the next connection.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

/// Accepts clients.
pub(crate) async fn accept(listener: UnixListener, table: ConnectionTable, context: ServerContext) {
    let mut spare = SpareFile::open();
    loop {
        match listener.accept().await {
            Ok((socket, _)) => {
                let peer = socket.peer_cred();
                let slot = table.admit(peer.as_ref().ok().and_then(UCred::pid), open_files::are_short());
                if let Ok(peer) = peer {
                    tasks::spawn_local(serve((socket, peer), slot, context.clone()));
                }
            }
            Err(why) => {
                tracing::warn!("Cannot accept a client: {why}");
                spare.refuse_next(&why, &listener, &table).await;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn serve((socket, peer): (UnixStream, UCred), mut slot: ConnectionSlot, context: ServerContext) {
    let process = PeerProcess::new(&socket, peer.pid());
    let (mut incoming, outgoing) = {
        let (read, write) = socket.into_split();
        (FrameSource::new(read, context.unfinished.clone()), write)
    };
    if peer.uid() != rustix::process::geteuid().as_raw() {
        return final_frame::send_refusal(outgoing, &Refusal::WrongUser { uid: peer.uid() }).await;
    }
    let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
    let greeted = tokio::select! {
        greeted = greet(&mut incoming, &process, &context) => greeted,
        refusal = slot.closed() => Err(Some(refusal)),
    };
    let admitted =
        greeted.and_then(|(caller, peer)| slot.greeted(caller).map(|()| (caller, peer)).map_err(Some));
    let (caller, role, ledger) = match admitted {
        Ok((caller, Greeted::Client(role, ledger))) => (caller, role, ledger),
        Ok((caller, Greeted::Upgrade(request))) => {
            return upgrade::serve(outgoing, (caller, process.pid), request, context).await;
        }
        Err(Some(refusal)) => return final_frame::send_refusal(outgoing, &refusal).await,
        Err(None) => return,
    };
    let unwritten = context.unwritten_of(caller);
    let (outbox, frames) = FrameQueue::new(MAX_REQUESTS, Arc::clone(&unwritten));
    let (feed, feed_requests) = ClientFeed::new(number, process.pid, role == Role::Terminal);
    let _ = context.manager.send(ManagerInput::Connected).await;
    let mut welcome = messages::welcome(&welcome(caller, number));
    if cfg!(fugue_next) {
        welcome.extend(messages::marks());
    }
    let welcome = (welcome, incoming.has_more());
    let frames = (frames, Arc::clone(&unwritten));
    let write = writer::write(outgoing, welcome, frames, feed_requests, context.clone());
    let write_task = tasks::spawn_local(write);
    let mut client = Client {
        routes: PaneRoutes::new(context.manager.clone(), outbox.clone(), ledger, (caller, process.pid)),
        outbox,
        feed,
        caller,
        context: context.clone(),
        slots: Arc::new(Semaphore::new(MAX_REQUESTS)),
        unwritten: Arc::clone(&unwritten),
        reads: ReadGate::new(caller, &context.agents_reads),
        cancellations: Cancellations::default(),
        read_only: ReadOnly::default(),
    };
    let refusal = tokio::select! {
        refusal = client.read(&mut incoming) => refusal,
        () = unwritten.disconnected() => None,
    };
    client.routes.close();
    drop(client);
    final_frame::finish(write_task, refusal).await;
    let _ = context.manager.send(ManagerInput::Disconnected { client: number }).await;
}

fn welcome(caller: Caller, client: u64) -> Welcome {
    let version = env!("CARGO_PKG_VERSION").into();
    Welcome { protocol: PROTOCOL, version, pane: caller.pane(), client, upgrade: None }
}

/// What a client greeted for.
enum Greeted {
    Client(Role, Option<InputLedger>),
    Upgrade(UpgradeRequest),
}

/// Reads the greeting and identifies the caller. The error is `None` when the peer left without a greeting.
async fn greet(
    incoming: &mut FrameSource,
    process: &PeerProcess,
    context: &ServerContext,
) -> Result<(Caller, Greeted), Option<Refusal>> {
    let greeting = tokio::time::timeout(GREETING_TIMEOUT, incoming.next());
    let frame = match greeting.await {
        Ok(Ok(Some(ClientFrame::Message(frame)))) => frame,
        Ok(Ok(Some(ClientFrame::Keys(..)) | None)) | Err(_) => return Err(None),
        Ok(Err(refusal)) => return Err(Some(refusal)),
    };
    let StableHello { protocol, version, pane, key, upgrade } = read_stable(&frame)?;
    let (mut in_pane_elsewhere, mut keys) = (false, KeySpace::default());
    let greeted = match upgrade {
        Some(request) => Greeted::Upgrade(request),
        None => {
            check_protocol(protocol, version)?;
            let ledger = incoming.greeted(limits::REQUEST_BYTES).and_then(InputLedger::open);
            let hello = read_hello(&frame)?;
            in_pane_elsewhere = hello.in_pane_elsewhere;
            keys = hello.key_space.as_deref().map(KeySpace::of).unwrap_or_default();
            Greeted::Client(hello.role, ledger)
        }
    };
    let claim = pane.map(|pane| PaneClaim { pane, key });
    let ancestry = process.ancestry(&mut context.known.borrow_mut());
    let evidence = CallerEvidence { pid: process.pid, ancestry, claim };
    let caller = identify(evidence, context).await.map_err(Some)?;
    let caller = if in_pane_elsewhere { caller.in_pane_elsewhere(keys) } else { caller };
    let is_bridge = matches!(greeted, Greeted::Client(Role::Bridge, _));
    Ok((if is_bridge { caller.of_bridge(keys) } else { caller }, greeted))
}

/// Reads the part of a greeting that does not depend on the protocol.
fn read_stable(frame: &[u8]) -> Result<StableHello, Option<Refusal>> {
    let bad = |why: String| Some(Refusal::BadMessage { why });
    let greeting: StableGreeting = serde_json::from_slice(frame).map_err(|why| bad(why.to_string()))?;
    greeting.hello.ok_or_else(|| bad("a connection must begin with a `hello` message".into()))
}

fn check_protocol(theirs: u32, version: String) -> Result<(), Option<Refusal>> {
    if theirs == PROTOCOL {
        return Ok(());
    }
    let (client, executable) = (client_version(version), own_executable::path());
    let version = env!("CARGO_PKG_VERSION").into();
    Err(Some(Refusal::VersionMismatch { ours: PROTOCOL, theirs, version, client, executable }))
}

fn read_hello(frame: &[u8]) -> Result<Hello, Option<Refusal>> {
    let bad = |why: String| Some(Refusal::BadMessage { why });
    let message: ClientMessage<'_> = serde_json::from_slice(frame).map_err(|why| bad(why.to_string()))?;
    message.hello.ok_or_else(|| bad("a connection must begin with a `hello` message".into()))
}

/// The version that a client of another protocol claims to have. Nothing about it is known to be valid.
fn client_version(claimed: String) -> String {
    /// Longer than any version.
    const MAX_CHARS: usize = 32;
    if claimed.is_empty() { "unknown".into() } else { claimed.chars().take(MAX_CHARS).collect() }
}

async fn identify(evidence: CallerEvidence, context: &ServerContext) -> Result<Caller, Refusal> {
    let (answer, caller) = oneshot::channel();
    let evidence = Box::new(evidence);
    let _ = context.manager.send(ManagerInput::Identify { evidence, answer }).await;
    caller.await.unwrap_or(Err(Refusal::ShuttingDown))
}

/// A client that has been identified.
struct Client {
    outbox: FrameQueue,
    routes: PaneRoutes,
    feed: ClientFeed,
    caller: Caller,
    context: ServerContext,
    slots: Arc<Semaphore>,
    unwritten: Arc<UnwrittenBytes>,
    reads: ReadGate,
    cancellations: Cancellations,
    read_only: ReadOnly,
}

impl Client {
    /// Reads requests until the connection ends. Returns the refusal with which an invalid frame ends it.
    async fn read(&mut self, incoming: &mut FrameSource) -> Option<Refusal> {
        loop {
            match incoming.next().await {
                Ok(Some(ClientFrame::Message(frame))) => {
                    if let Err(ended) = self.request(&frame, incoming).await {
                        return ended;
                    }
                }
                Ok(Some(ClientFrame::Keys(pane, bytes))) => self.keys(pane, bytes).await,
                Ok(None) => return None,
                Err(refusal) => return Some(refusal),
            }
        }
    }

    async fn keys(&mut self, pane: PaneId, bytes: Vec<u8>) {
        if bytes.is_empty() {
            self.routes.announce_keys(pane);
        } else if self.read_only.is_set {
            self.outbox.notice(&Refusal::OnlyWatches);
        } else {
            self.routes.send_keys(pane, bytes).await;
        }
    }

    /// Handles one message. One with an id gets a reply; one without cannot be answered and ends the connection. The
    /// error is `None` when the peer is gone.
    async fn request(&mut self, frame: &[u8], incoming: &FrameSource) -> Result<(), Option<Refusal>> {
        let bad = |why: String| Some(Refusal::BadMessage { why });
        let message: ClientMessage<'_> = serde_json::from_slice(frame).map_err(|why| bad(why.to_string()))?;
        if let Some(id) = message.cancel {
            self.cancellations.cancel(id);
            return Ok(());
        }
        let id = message.id.ok_or_else(|| bad("a request must have an id".into()))?;
        self.unwritten.has_room().await;
        let slot = self.slot(incoming).await.ok_or(None)?;
        let mut reply = Reply::new(self.outbox.clone(), id, slot);
        reply.set_separate_text(message.separate_text);
        let Some(verb) = message.verb else {
            reply.refuse(Refusal::BadMessage { why: "a request must name a verb".into() });
            return Ok(());
        };
        match Verb::read(&verb, message.args.map_or("{}", |args| args.get())) {
            Ok(verb) if !self.read_only.allows(&verb) => reply.refuse(Refusal::OnlyWatches),
            Ok(verb) => {
                let mut reply = self.cancellations.register(&verb, id, reply);
                reply.set_read(self.reads.admit(&verb, &self.unwritten).await);
                self.forward(reply, verb).await;
            }
            Err(refusal) => reply.refuse(refusal),
        }
        Ok(())
    }

    /// Waits until the client has fewer requests in progress. Returns `None` if it is gone, since nobody else would
    /// notice that while this task does not read.
    async fn slot(&self, incoming: &FrameSource) -> Option<OwnedSemaphorePermit> {
        let mut slot = std::pin::pin!(Arc::clone(&self.slots).acquire_owned());
        loop {
            match tokio::time::timeout(HANG_UP_INTERVAL, &mut slot).await {
                Ok(slot) => return slot.ok(),
                Err(_) if incoming.is_hung_up() => return None,
                Err(_) => {}
            }
        }
    }

    async fn forward(&self, reply: Reply, verb: Verb) {
        let (caller, feed, verb) = (self.caller, self.feed.clone(), Box::new(verb));
        let _ = self.context.manager.send(ManagerInput::Request { reply, verb, caller, feed }).await;
    }
}
