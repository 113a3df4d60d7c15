//! Writing to a client: answers first, each behind the events that were told before it, then other events, then
//! screens. Each frame is finished before the next is made, so a client that lags holds one unfinished frame and gets the
//! newest state after it, never a queue.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fugue_protocol::events::EventRecord;
use fugue_protocol::views::{Done, Subscribed};
use fugue_protocol::{PaneId, Refusal, Timestamp, messages};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::{Notify, broadcast, mpsc};
use tokio::task::JoinHandle;

use super::recording::Recordings;
use super::screen::Screen;
use super::subscription::Wish;
use super::{House, last_frame};
use crate::pane::{Order, Watcher};
use crate::reply::{Outgoing, Unwritten};
use crate::session::Heard;

/// Screens of one client: more than anybody sees at once.
const SCREENS: usize = 256;

/// After a screen was sent, the next one waits so long: what a display shows.
const FRAME: Duration = Duration::from_millis(8);

/// After an echo was sent, the next one waits so long: faster than anybody types, slower than a paste.
const ECHO: Duration = Duration::from_millis(1);

/// Events read from the journal at once.
const PAGE: usize = 256;

/// The last word may take so long; a peer that does not read it misses it.
const LAST_WORD: Duration = Duration::from_secs(2);

type Written = std::io::Result<()>;

struct Writer {
    socket: OwnedWriteHalf,
    house: House,
    /// Events after this one are not sent yet; none while nobody wants them.
    after: Option<u64>,
    heard: Option<broadcast::Receiver<Arc<Heard>>>,
    /// The journal has events that this client has not seen. They are sent after the answers that wait.
    behind: bool,
    screens: Vec<Screen>,
    recordings: Recordings,
    bell: Arc<Notify>,
    /// The bell was heard and nothing shown since: other things came between, and it does not ring twice.
    rung: bool,
    next_frame: Instant,
    /// The same for changes that somebody waits for.
    echo: Arc<Notify>,
    echo_rung: bool,
    next_echo: Instant,
}

/// Writes until the client is gone or nobody has anything more to say to it.
pub(super) async fn write(
    socket: OwnedWriteHalf,
    welcome: Vec<u8>,
    (mut frames, unwritten): (mpsc::Receiver<Outgoing>, Arc<Unwritten>),
    mut wishes: mpsc::Receiver<Wish>,
    house: House,
) -> OwnedWriteHalf {
    let bell = Arc::new(Notify::new());
    let mut writer = Writer {
        socket,
        house,
        after: None,
        heard: None,
        behind: false,
        screens: Vec::new(),
        recordings: Recordings::default(),
        bell,
        rung: false,
        next_frame: Instant::now(),
        echo: Arc::new(Notify::new()),
        echo_rung: false,
        next_echo: Instant::now(),
    };
    let mut written = writer.send(&welcome).await;
    while written.is_ok() {
        written = tokio::select! {
            biased;
            frame = frames.recv() => match frame {
                Some(frame) => {
                    let written = writer.answer(&frame.bytes).await;
                    unwritten.written(frame.bytes.len());
                    written
                }
                None => break,
            },
            wish = wishes.recv() => match wish {
                Some(wish) => writer.grant(wish).await,
                None => break,
            },
            () = ring(&writer.echo, &mut writer.echo_rung, writer.next_echo) => writer.show_echo().await,
            () = std::future::ready(()), if writer.behind => writer.catch_up().await,
            heard = hear(&mut writer.heard) => writer.pass_on(heard).await,
            () = ring(&writer.bell, &mut writer.rung, writer.next_frame) => writer.show().await,
        };
    }
    writer.socket
}

async fn hear(
    heard: &mut Option<broadcast::Receiver<Arc<Heard>>>,
) -> Result<Arc<Heard>, broadcast::error::RecvError> {
    match heard {
        Some(heard) => heard.recv().await,
        None => std::future::pending().await,
    }
}

/// The next event that was told by now.
fn next_of(
    heard: &mut broadcast::Receiver<Arc<Heard>>,
) -> Option<Result<Arc<Heard>, broadcast::error::RecvError>> {
    use broadcast::error::{RecvError, TryRecvError};
    match heard.try_recv() {
        Ok(heard) => Some(Ok(heard)),
        Err(TryRecvError::Empty) => None,
        Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
        Err(TryRecvError::Lagged(count)) => Some(Err(RecvError::Lagged(count))),
    }
}

/// A screen changed, and it is time for another frame.
async fn ring(bell: &Notify, rung: &mut bool, next_frame: Instant) {
    if !*rung {
        bell.notified().await;
        *rung = true;
    }
    if next_frame > Instant::now() {
        tokio::time::sleep_until(next_frame.into()).await;
    }
}

impl Writer {
    async fn send(&mut self, frame: &[u8]) -> Written {
        self.socket.write_all(frame).await
    }

    /// What an answer speaks of has happened: whoever listens is told that first. Who lags is answered first, since
    /// reading the journal takes its time.
    async fn answer(&mut self, frame: &[u8]) -> Written {
        // As many as there are now: an answer does not wait for what goes on happening.
        for _ in 0..self.heard.as_ref().map_or(0, broadcast::Receiver::len) {
            let Some(heard) = self.heard.as_mut().filter(|_| !self.behind).and_then(next_of) else { break };
            self.pass_on(heard).await?;
        }
        self.send(frame).await
    }

    async fn grant(&mut self, wish: Wish) -> Written {
        match wish {
            Wish::Events { after, reply } => {
                self.heard = Some(self.house.stream.listen());
                self.after = Some(after);
                match self.too_old(after).await {
                    Some(refusal) => reply.refuse(refusal),
                    None => {
                        self.behind = true;
                        reply.done(&Subscribed { after });
                    }
                }
                Ok(())
            }
            Wish::Screen { pane, orders, reply } => {
                self.watch(pane, orders, reply);
                Ok(())
            }
            Wish::Recording { view, orders, reply } => {
                self.recordings.begin(&view, orders, reply, &self.bell);
                Ok(())
            }
            Wish::NoScreen { pane, reply } => {
                self.screens.retain(|screen| screen.pane() != pane);
                reply.done(&Done {});
                Ok(())
            }
        }
    }

    /// Whether events that were asked for are no longer kept.
    async fn too_old(&mut self, after: u64) -> Option<Refusal> {
        let page = self.house.journal.since(after, 1).await.ok()?;
        let gone = page.oldest > after + 1;
        if gone {
            self.after = None;
            self.heard = None;
        }
        gone.then_some(Refusal::EventsGone { since: after, oldest: page.oldest })
    }

    /// Sends a page of what the journal has and this client has not seen.
    async fn catch_up(&mut self) -> Written {
        let after = self.after.unwrap_or_default();
        let page = self.house.journal.since(after, PAGE).await.unwrap_or_default();
        self.behind = page.events.len() == PAGE;
        for (id, at, body) in page.events {
            if let Ok(event) = serde_json::from_str(&body) {
                let told = EventRecord { id: Some(id), at: Timestamp::from_millis(at), by: None, event };
                self.send(&messages::event(&told)).await?;
            }
            self.after = Some(id);
        }
        Ok(())
    }

    /// An event, or the news that this client lagged behind and must read the journal.
    async fn pass_on(&mut self, heard: Result<Arc<Heard>, broadcast::error::RecvError>) -> Written {
        match heard {
            Ok(heard) if heard.id.is_some() && heard.id <= self.after => Ok(()),
            Ok(heard) => {
                self.after = heard.id.or(self.after);
                self.send(&heard.frame).await
            }
            Err(broadcast::error::RecvError::Lagged(_)) => {
                self.behind = true;
                Ok(())
            }
            Err(broadcast::error::RecvError::Closed) => {
                self.heard = None;
                Ok(())
            }
        }
    }

    fn watch(&mut self, pane: PaneId, orders: mpsc::Sender<Order>, reply: crate::reply::Reply) {
        self.screens.retain(|screen| screen.pane() != pane);
        if self.screens.len() >= SCREENS {
            return reply.refuse(Refusal::TooMany {
                what: fugue_protocol::refusal::Quota::WatchedPanes,
                limit: SCREENS,
            });
        }
        let watcher = Watcher::new(Arc::clone(&self.bell), Arc::clone(&self.echo));
        if orders.try_send(Order::Watch(Arc::clone(&watcher))).is_err() {
            return reply.refuse(Refusal::Busy { pane });
        }
        self.screens.push(Screen::new(pane, orders, watcher));
        self.bell.notify_one();
        reply.done(&Done {});
    }

    /// Sends what changed on the watched screens.
    async fn show(&mut self) -> Written {
        self.rung = false;
        self.next_frame = Instant::now() + FRAME;
        self.show_those(Watcher::take).await
    }

    /// Sends what somebody who typed waits for, before the next frame.
    async fn show_echo(&mut self) -> Written {
        self.echo_rung = false;
        self.next_echo = Instant::now() + ECHO;
        self.show_those(Watcher::take_echo).await
    }

    async fn show_those(&mut self, changed: fn(&Watcher) -> bool) -> Written {
        let mut screens = std::mem::take(&mut self.screens);
        let mut written = Ok(());
        for screen in screens.iter_mut().filter(|screen| changed(screen.watcher())) {
            if let Some(frame) = screen.update().await {
                written = self.send(&frame).await;
            }
            if written.is_err() {
                break;
            }
        }
        screens.retain(|screen| !screen.is_gone());
        self.screens = screens;
        written?;
        self.recordings.send(&mut self.socket).await
    }
}

/// A refusal that ends a connection, written if the peer reads it.
pub(super) async fn last_word(mut socket: OwnedWriteHalf, id: Option<u64>, refusal: &Refusal) {
    let frame = last_frame(id, refusal);
    let _ = tokio::time::timeout(LAST_WORD, socket.write_all(&frame)).await;
}

/// Lets the writer finish what is under way, and says why the connection ends.
pub(super) async fn end(mut writing: JoinHandle<OwnedWriteHalf>, refusal: Option<Refusal>) {
    match (tokio::time::timeout(LAST_WORD, &mut writing).await, refusal) {
        (Ok(Ok(socket)), Some(refusal)) => last_word(socket, None, &refusal).await,
        (Ok(_), _) => {}
        (Err(_), _) => writing.abort(),
    }
}
