//! Requests from the daemon. Messages to it are in `outbox`.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::keeper::{Keeper, QueuedMessage};
use crate::link::messages::{Malformed, Message, PaneId, SpawnRequest, SpawnStage, VERSION};
use crate::log;
use crate::program::kept_pane::KeptPane;
use crate::program::spawn::{SpawnFailure, spawn};
use crate::program::termination::Termination;

/// The number of requests handled in a row, before exits and output get their turn.
const REQUESTS_PER_TURN: usize = 64;

/// With this many unsent messages no more requests are read, so that a daemon that never reads cannot fill the memory.
const MAX_OUTBOX: usize = 1024;

/// Longer than the grace period of programs, so that the exits of all of them can be reported.
const SHUTDOWN_TIME: Duration = Duration::from_secs(5);

impl Keeper {
    /// Whether requests are read at present.
    pub(crate) fn accepts_requests(&self) -> bool {
        self.outbox.len() < MAX_OUTBOX
    }

    /// Handles requests of the daemon.
    pub(crate) fn read_requests(&mut self) {
        for _ in 0..REQUESTS_PER_TURN {
            if !self.accepts_requests() || !self.read_request() {
                return;
            }
        }
    }

    /// Handles everything that a daemon sent before it exited.
    pub(crate) fn read_all_requests(&mut self) {
        while self.read_request() {}
    }

    /// Handles one request. Returns `false` if there is none.
    fn read_request(&mut self) -> bool {
        let Some(link) = self.daemon.as_ref().and_then(|daemon| daemon.link.as_ref()) else {
            return false;
        };
        match link.try_recv() {
            Ok(None) => return false,
            Ok(Some((message, fds))) => self.handle_request(message, fds),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => self.skip_malformed(&error),
            Err(error) => {
                self.link_lost(&error);
                return false;
            }
        }
        true
    }

    fn handle_request(&mut self, message: Message, fds: Vec<OwnedFd>) {
        self.hold_terminals();
        match message {
            Message::Take => self.grant_lease(),
            Message::Spawn(request) => self.spawn(&request, &fds),
            Message::Stored { pane, offset } => self.stored(pane, offset, fds),
            Message::Forget { pane } => self.forget(pane),
            Message::Shutdown => self.shut_down(),
            Message::Listen => self.replace_listener(fds),
            Message::Serving => self.daemon_serves(Instant::now()),
            Message::Failed => self.daemon_failed(fds),
            Message::Adopt(holding) => self.adopt(&holding, fds),
            Message::AdoptionEnd => self.adoption_ended(),
            Message::Upgrade => self.request_upgrade(&fds),
            Message::Ping => self.outbox.push_back(QueuedMessage::Message(Message::Pong)),
            Message::Terminate { pane, pid } => self.restart_termination(pane, pid, fds),
            // These are sent by keepers only, or to a successor as its first message.
            _ => self.skip_malformed(&io::ErrorKind::InvalidData.into()),
        }
    }

    /// Gives the lease to the daemon and sends it every pane. A daemon that asks again gets all of them again.
    fn grant_lease(&mut self) {
        let Some(daemon) = &mut self.daemon else { return };
        daemon.has_lease = true;
        let held: Vec<_> =
            self.panes.iter().filter(|(_, pane)| pane.report.is_none()).map(|(&id, _)| id).collect();
        let panes = u32::try_from(held.len()).unwrap_or(u32::MAX);
        #[cfg(fugue_next)]
        self.outbox.push_back(QueuedMessage::Message(Message::Marked));
        self.outbox.extend(held.into_iter().map(QueuedMessage::Holding));
        self.outbox.push_back(QueuedMessage::Message(Message::Ready { version: VERSION, panes }));
    }

    fn spawn(&mut self, request: &SpawnRequest, fds: &[OwnedFd]) {
        let id = request.pane;
        let body = fds.last().map(AsFd::as_fd);
        match self.may_spawn(id).and_then(|()| spawn(request, body, &self.settings)) {
            Ok(spawned) => drop(self.panes.insert(id, KeptPane::new(spawned))),
            Err(failure) => self.spawn_failed(id, failure),
        }
    }

    fn may_spawn(&self, id: PaneId) -> Result<(), SpawnFailure> {
        match self.panes.len() + self.terminations.len() {
            _ if self.shutdown_deadline.is_some() => Err((SpawnStage::Request, Errno::CANCELED)),
            _ if self.panes.contains_key(&id) => Err((SpawnStage::Request, Errno::EXIST)),
            count if count >= self.settings.max_panes() => Err((SpawnStage::Limit, Errno::MFILE)),
            _ => Ok(()),
        }
    }

    fn stored(&mut self, id: PaneId, offset: u64, fds: Vec<OwnedFd>) {
        let (Some(pane), Some(snapshot)) = (self.panes.get_mut(&id), fds.into_iter().next()) else {
            return;
        };
        match pane.store(offset, snapshot) {
            Ok(true) => {}
            Ok(false) => self.skip_malformed(&io::Error::other("the snapshot is ahead of the output")),
            Err(error) => {
                log::write(format_args!("Pane {}: cannot free stored output: {error}", log::pane_id(&id)));
            }
        }
    }

    fn forget(&mut self, id: PaneId) {
        if let Some(pane) = self.panes.remove(&id)
            && pane.exit.is_none()
        {
            self.terminations.push(Termination::start(id, pane, false, Instant::now()));
        }
    }

    /// Replaces the client socket, if the new one listens: a daemon that cannot accept clients would be of no use.
    fn replace_listener(&mut self, fds: Vec<OwnedFd>) {
        let listens = |fd: &OwnedFd| rustix::net::sockopt::socket_acceptconn(fd).unwrap_or(false);
        match fds.into_iter().next().filter(listens) {
            Some(listener) => self.config.listener = listener,
            None => self.skip_malformed(&Malformed::Descriptors.into()),
        }
    }

    /// Terminates every program. The event loop ends after the last of them has exited.
    pub(crate) fn shut_down(&mut self) {
        self.shutdown_deadline = Some(Instant::now() + SHUTDOWN_TIME);
        let panes = std::mem::take(&mut self.panes).into_iter();
        let living = panes.filter(|(_, pane)| pane.exit.is_none());
        self.terminations.extend(living.map(|(id, pane)| Termination::start(id, pane, true, Instant::now())));
    }

    /// Skips a malformed frame. If it was a spawn request, the spawn fails.
    pub(crate) fn skip_malformed(&mut self, error: &io::Error) {
        let Some(daemon) = &mut self.daemon else { return };
        if !std::mem::replace(&mut daemon.malformed_logged, true) {
            log::write(format_args!("Skipped a malformed message from the daemon: {error}"));
        }
        if let Some(Malformed::Body(pane)) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
            self.spawn_failed(*pane, (SpawnStage::Request, Errno::BADMSG));
        }
    }

    /// Handles a link that the daemon closed or that broke.
    pub(crate) fn link_lost(&mut self, error: &io::Error) {
        let Some(daemon) = &mut self.daemon else { return };
        if error.kind() != io::ErrorKind::UnexpectedEof {
            log::write(format_args!("Lost the connection to the daemon: {error}"));
        }
        daemon.drop_link(Instant::now());
        self.outbox.clear();
    }
}
