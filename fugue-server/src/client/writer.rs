//! Writing to a client: replies first, each after the events that preceded it, then other events, then screens. Each
//! frame is written before the next is made, so a slow client holds back one unfinished frame and gets the newest state
//! after it, never a queue of old ones.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use fugue_protocol::events::EventRecord;
use fugue_protocol::refusal::{Quota, Refused};
use fugue_protocol::views::{Done, Subscribed};
use fugue_protocol::{Event, PaneId, Refusal, Timestamp, messages};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::{broadcast, mpsc};

use super::context::ServerContext;
use super::event_feed::{EventFeed, ReceivedEvent};
use super::feed::FeedRequest;
use super::image_queue::ImageQueue;
use super::recordings::Recordings;
use super::update_timer::UpdateTimer;
use super::watched_screen::WatchedScreen;
use crate::channels::local_queue::LocalSender;
use crate::clock;
use crate::pane::{PaneOrder, Subscriber};
use crate::replies::reply::{OutgoingFrame, Reply};
use crate::replies::unwritten_replies::{UnwrittenBytes, WriterGuard};
use crate::session::ManagerInput;

/// Screens that one client may watch: more than anyone sees at once.
const MAX_SCREENS: usize = 256;

/// The least time between two screen updates: one frame of a fast display.
const FRAME_INTERVAL: Duration = Duration::from_millis(8);

/// The same after a large update: one frame of an ordinary display. A flood in many colors at twice the rate would
/// spend a sixth of its CPU time on frames that few displays can show.
const LARGE_FRAME_INTERVAL: Duration = Duration::from_millis(16);

/// An update of this size is large. Plain text that fills a terminal of 200x50 takes ten kilobytes.
const LARGE_UPDATE_BYTES: usize = 16 << 10;

/// The least time between two echoes: faster than anyone types, slower than a paste.
const ECHO_INTERVAL: Duration = Duration::from_millis(1);

/// Events read from the journal at once.
const PAGE_EVENTS: usize = 256;

/// The bytes of a reply written at once: after each piece it is known that the client reads.
const PIECE_BYTES: usize = 64 << 10;

/// How long the welcome waits for the reply to a request that came with the greeting.
const FIRST_REPLY_TIMEOUT: Duration = Duration::from_millis(1);

type Written = std::io::Result<()>;

struct Writer {
    socket: OwnedWriteHalf,
    context: ServerContext,
    events: EventFeed,
    screens: Vec<WatchedScreen>,
    recordings: Recordings,
    images: ImageQueue,
    frame: UpdateTimer,
    /// The same for changes that someone who typed waits for.
    echo: UpdateTimer,
}

/// Writes until the client is gone or its reader has ended. Returns the socket. The welcome comes with whether a request
/// has arrived already.
pub(super) async fn write(
    socket: OwnedWriteHalf,
    welcome: (Vec<u8>, bool),
    (mut frames, unwritten): (mpsc::Receiver<OutgoingFrame>, Arc<UnwrittenBytes>),
    mut requests: mpsc::Receiver<FeedRequest>,
    context: ServerContext,
) -> OwnedWriteHalf {
    let _ends_with_this_task = WriterGuard(Arc::clone(&unwritten));
    let mut writer = Writer {
        socket,
        context,
        events: EventFeed::default(),
        screens: Vec::new(),
        recordings: Recordings::default(),
        images: ImageQueue::default(),
        frame: UpdateTimer::new(),
        echo: UpdateTimer::new(),
    };
    tokio::select! {
        biased;
        // It may be in the middle of a frame that the client does not read.
        () = unwritten.disconnected() => {}
        _ = writer.run(welcome, (&mut frames, &unwritten), &mut requests) => {}
    }
    writer.socket
}

impl Writer {
    /// Writes until an error, or until nobody has anything to write any more.
    async fn run(
        &mut self,
        welcome: (Vec<u8>, bool),
        (frames, unwritten): (&mut mpsc::Receiver<OutgoingFrame>, &UnwrittenBytes),
        requests: &mut mpsc::Receiver<FeedRequest>,
    ) -> Written {
        self.welcome(welcome, frames, unwritten).await?;
        loop {
            tokio::select! {
                biased;
                frame = frames.recv() => match frame {
                    Some(frame) => self.send_reply(&frame.bytes, unwritten).await,
                    None => return Ok(()),
                },
                request = requests.recv() => match request {
                    Some(request) => self.change_feed(request).await,
                    None => return Ok(()),
                },
                () = self.echo.due() => self.send_echo().await,
                () = std::future::ready(()), if self.events.is_behind => self.catch_up().await,
                event = self.events.next() => self.send_event(event).await,
                () = self.frame.due() => self.send_screens().await,
                () = std::future::ready(()), if !self.images.is_empty() => self.send_image().await,
            }?;
        }
    }

    /// Sends the welcome, with the reply to the request that came with the greeting if that is short and made at once:
    /// a command is then woken once, not twice.
    async fn welcome(
        &mut self,
        (mut welcome, is_asked): (Vec<u8>, bool),
        frames: &mut mpsc::Receiver<OutgoingFrame>,
        unwritten: &UnwrittenBytes,
    ) -> Written {
        let first = match is_asked {
            true => tokio::time::timeout(FIRST_REPLY_TIMEOUT, frames.recv()).await.ok().flatten(),
            false => None,
        };
        match first {
            Some(reply) if reply.bytes.len() <= PIECE_BYTES => {
                welcome.extend_from_slice(&reply.bytes);
                self.send(&welcome).await?;
                unwritten.subtract(reply.bytes.len());
                Ok(())
            }
            Some(reply) => {
                self.send(&welcome).await?;
                self.send_reply(&reply.bytes, unwritten).await
            }
            None => self.send(&welcome).await,
        }
    }

    async fn send(&mut self, frame: &[u8]) -> Written {
        self.socket.write_all(frame).await
    }

    /// Sends a reply after the events that preceded it. A client that lags behind gets the reply first, since reading
    /// the journal takes time.
    async fn send_reply(&mut self, frame: &[u8], unwritten: &UnwrittenBytes) -> Written {
        // Only the events queued by now: a reply does not wait for those that keep happening.
        for _ in 0..self.events.queued() {
            let Some(event) = self.events.try_next() else { break };
            self.send_event(event).await?;
        }
        for piece in frame.chunks(PIECE_BYTES) {
            self.send(piece).await?;
            unwritten.subtract(piece.len());
        }
        Ok(())
    }

    async fn change_feed(&mut self, request: FeedRequest) -> Written {
        match request {
            FeedRequest::Events { after, reply } => self.start_events(after, reply).await,
            FeedRequest::Screen { pane, orders, reply } => self.watch(pane, orders, reply),
            FeedRequest::Recording { view, orders, reply } => {
                self.recordings.start(&view, orders, reply, &self.frame.changed);
            }
            FeedRequest::Images { wanted } => self.images.set_wanted(wanted, &mut self.screens),
            FeedRequest::StopScreen { pane, reply } => {
                self.screens.retain(|screen| screen.pane() != pane);
                self.images.drop_pane(pane);
                reply.done(&Done {});
            }
        }
        Ok(())
    }

    async fn start_events(&mut self, after: u64, reply: Reply) {
        self.events = EventFeed { after: Some(after), ..self.subscribed() };
        match self.out_of_range(after).await {
            Some(refusal) => {
                self.events = EventFeed::default();
                reply.refuse(refusal);
            }
            None => {
                self.events.is_behind = true;
                reply.done(&Subscribed { after });
            }
        }
    }

    /// A feed of the events from now on.
    fn subscribed(&self) -> EventFeed {
        let seen = self.context.stream.last();
        EventFeed { receiver: Some(self.context.stream.subscribe()), seen, ..EventFeed::default() }
    }

    /// Returns a refusal if events after this number are no longer kept, or if the number is not one of an event.
    async fn out_of_range(&self, after: u64) -> Option<Refusal> {
        match self.context.journal.since(after, 1).await {
            Ok(page) => page.refuses(after),
            Err(why) => Some(Refusal::StorageFull { why }),
        }
    }

    /// Sends a page of events from the journal that this client has not seen. If they cannot be read, or are no longer
    /// kept, the connection ends: a client that went on would not know what it missed.
    async fn catch_up(&mut self) -> Written {
        let after = self.events.after.unwrap_or_default();
        let page = self.context.journal.since(after, PAGE_EVENTS).await.map_err(|why| {
            tracing::error!("Cannot read events for a client: {why}");
            std::io::Error::other(why)
        })?;
        if let Some(refusal) = page.refuses(after) {
            self.send(&messages::refusal(None, &Refused::from(&refusal))).await?;
            return Err(std::io::Error::other(refusal.to_string()));
        }
        self.events.is_behind = page.events.len() == PAGE_EVENTS;
        for (id, at, body) in page.events {
            if let Ok(event) = serde_json::from_str::<Event>(&body) {
                let event = event.without_secrets().into_owned();
                let record = EventRecord { id: Some(id), at: Timestamp::from_millis(at), by: None, event };
                self.send(&messages::event(&record)).await?;
            }
            self.events.after = Some(id);
        }
        match self.events.missed {
            Some(missed) if !self.events.is_behind => self.resync(missed).await,
            _ => Ok(()),
        }
    }

    /// Sends what the events led to that this client missed and that are not stored, and the commands among them.
    async fn resync(&mut self, missed: u64) -> Written {
        let (answer, events) = tokio::sync::oneshot::channel();
        let _ = self.context.manager.send(ManagerInput::Resync { answer }).await;
        for event in events.await.unwrap_or_default() {
            let event = event.without_secrets().into_owned();
            let record = EventRecord { id: None, at: clock::now(), by: None, event };
            self.send(&messages::event(&record)).await?;
        }
        for command in self.context.stream.commands(self.events.seen, missed) {
            self.send(&command.frame).await?;
        }
        self.events.missed = None;
        self.events.seen = self.events.seen.max(missed);
        Ok(())
    }

    /// Sends an event. A client that lagged behind starts again with the events from now on, reads what it missed from the
    /// journal, and gets what the others led to.
    async fn send_event(&mut self, event: ReceivedEvent) -> Written {
        match event {
            Ok(event) if event.id.is_some() && event.id <= self.events.after => {
                self.events.seen = event.number;
            }
            Ok(event) => {
                self.events.seen = event.number;
                self.events.after = event.id.or(self.events.after);
                return self.send(&event.frame).await;
            }
            Err(broadcast::error::RecvError::Lagged(_)) => {
                let (after, seen, subscribed) = (self.events.after, self.events.seen, self.subscribed());
                let missed = Some(subscribed.seen);
                self.events = EventFeed { after, seen, missed, is_behind: true, ..subscribed };
            }
            Err(broadcast::error::RecvError::Closed) => self.events.receiver = None,
        }
        Ok(())
    }

    fn watch(&mut self, pane: PaneId, orders: LocalSender<PaneOrder>, reply: Reply) {
        self.screens.retain(|screen| screen.pane() != pane);
        self.images.drop_pane(pane);
        if self.screens.len() >= MAX_SCREENS {
            return reply.refuse(Refusal::TooMany { what: Quota::WatchedPanes, limit: MAX_SCREENS });
        }
        let subscriber = Subscriber::new(Rc::clone(&self.frame.changed), Rc::clone(&self.echo.changed));
        if orders.try_send(PaneOrder::Watch(Rc::clone(&subscriber))).is_err() {
            return reply.refuse(Refusal::Busy { pane });
        }
        self.screens.push(WatchedScreen::new(pane, orders, subscriber));
        self.frame.changed.notify_one();
        reply.done(&Done {});
    }

    /// Sends the next image. Everything else comes first, so that keys are echoed between two images.
    async fn send_image(&mut self) -> Written {
        match self.images.next_frame() {
            Some(frame) => self.send(&frame).await,
            None => Ok(()),
        }
    }

    /// Sends the changes of all watched screens.
    async fn send_screens(&mut self) -> Written {
        self.frame.restart(FRAME_INTERVAL);
        if self.send_changed(Subscriber::take_changed).await? >= LARGE_UPDATE_BYTES {
            self.frame.delay(LARGE_FRAME_INTERVAL - FRAME_INTERVAL);
        }
        Ok(())
    }

    /// Sends the changes that someone who typed waits for, without waiting for the next frame.
    async fn send_echo(&mut self) -> Written {
        self.echo.restart(ECHO_INTERVAL);
        self.send_changed(Subscriber::take_echo).await?;
        Ok(())
    }

    /// Sends the screens that changed. Returns the number of bytes.
    async fn send_changed(&mut self, is_changed: fn(&Subscriber) -> bool) -> std::io::Result<usize> {
        let mut bytes = 0;
        let mut screens = std::mem::take(&mut self.screens);
        let mut written = Ok(());
        for screen in screens.iter_mut().filter(|screen| is_changed(screen.subscriber())) {
            if let Some(frame) = screen.update().await {
                self.images.screen_sent(screen);
                bytes += frame.len();
                written = self.send(&frame).await;
            }
            if written.is_err() {
                break;
            }
        }
        screens.retain(|screen| !screen.is_closed());
        self.screens = screens;
        written?;
        self.recordings.send(&mut self.socket).await?;
        Ok(bytes)
    }
}
