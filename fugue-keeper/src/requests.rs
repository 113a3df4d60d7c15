//! What the daemon asks. What it is told is in `telling`.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::ending::Ending;
use crate::keeper::{Keeper, Note};
use crate::log;
use crate::pane::Pane;
use crate::spawn::{Failure, spawn};
use crate::wire::{Malformed, Message, PaneId, SpawnRequest, Stage, VERSION};

/// So many requests at one time, then exits and output have their turn.
const AT_ONCE: usize = 64;

/// With this much unsaid no more requests are read, so a daemon that only asks and never reads bounds itself.
const UNSAID: usize = 1024;

/// Longer than programs are given to end, so that a daemon that reads hears of all of them.
const LAST_WORDS: Duration = Duration::from_secs(5);

impl Keeper {
    /// Whether requests are read at present.
    pub fn listens(&self) -> bool {
        self.outbox.len() < UNSAID
    }

    /// Handles what the daemon has sent.
    pub fn hear(&mut self) {
        for _ in 0..AT_ONCE {
            if !self.listens() || !self.hear_one() {
                return;
            }
        }
    }

    /// Handles all that a daemon has sent before it ended.
    pub fn hear_out(&mut self) {
        while self.hear_one() {}
    }

    /// Handles one message; `false` when there is none to read.
    fn hear_one(&mut self) -> bool {
        let Some(link) = self.daemon.as_ref().and_then(|daemon| daemon.link.as_ref()) else {
            return false;
        };
        match link.try_recv() {
            Ok(None) => return false,
            Ok(Some((message, fds))) => self.obey(message, fds),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => self.garbled(&error),
            Err(error) => {
                self.link_lost(&error);
                return false;
            }
        }
        true
    }

    fn obey(&mut self, message: Message, fds: Vec<OwnedFd>) {
        match message {
            Message::Take => self.hand_over(),
            Message::Spawn(request) => self.spawn(&request),
            Message::Stored { pane, offset } => self.stored(pane, offset, fds),
            Message::Forget { pane } => self.forget(pane),
            Message::Shutdown => self.shut_down(),
            Message::Listen => self.listen(fds),
            // The keeper's own words, from the wrong side.
            _ => self.garbled(&io::ErrorKind::InvalidData.into()),
        }
    }

    /// The daemon pumps from here on, and hears of every pane. Asked again, it hears all again.
    fn hand_over(&mut self) {
        let Some(daemon) = &mut self.daemon else { return };
        daemon.taken = true;
        let held: Vec<_> =
            self.panes.iter().filter(|(_, pane)| pane.report.is_none()).map(|(&id, _)| id).collect();
        let panes = u32::try_from(held.len()).unwrap_or(u32::MAX);
        self.outbox.extend(held.into_iter().map(Note::Holding));
        self.outbox.push_back(Note::Plain(Message::Ready { version: VERSION, panes }));
    }

    fn spawn(&mut self, request: &SpawnRequest) {
        let id = request.pane;
        match self.may_spawn(id).and_then(|()| spawn(request, &self.origin)) {
            Ok(birth) => drop(self.panes.insert(id, Pane::new(birth))),
            Err(failure) => self.spawn_failed(id, failure),
        }
    }

    fn may_spawn(&self, id: PaneId) -> Result<(), Failure> {
        match self.panes.len() + self.endings.len() {
            _ if self.closing.is_some() => Err((Stage::Request, Errno::CANCELED)),
            _ if self.panes.contains_key(&id) => Err((Stage::Request, Errno::EXIST)),
            count if count >= self.origin.most_panes() => Err((Stage::Limit, Errno::MFILE)),
            _ => Ok(()),
        }
    }

    fn stored(&mut self, id: PaneId, offset: u64, fds: Vec<OwnedFd>) {
        let (Some(pane), Some(snapshot)) = (self.panes.get_mut(&id), fds.into_iter().next()) else {
            return;
        };
        match pane.store(offset, snapshot) {
            Ok(true) => {}
            Ok(false) => self.garbled(&io::Error::other("a snapshot of output that is not there")),
            Err(error) => log::say(format_args!("cannot trim the output of {}: {error}", log::name(&id))),
        }
    }

    fn forget(&mut self, id: PaneId) {
        if let Some(pane) = self.panes.remove(&id)
            && pane.exit.is_none()
        {
            self.endings.push(Ending::ask(id, pane, false, Instant::now()));
        }
    }

    /// Only a socket that listens: a daemon that cannot let anybody in would be of no use.
    fn listen(&mut self, fds: Vec<OwnedFd>) {
        let listens = |fd: &OwnedFd| rustix::net::sockopt::socket_acceptconn(fd).unwrap_or(false);
        match fds.into_iter().next().filter(listens) {
            Some(listener) => self.config.listener = listener,
            None => self.garbled(&Malformed::Descriptors.into()),
        }
    }

    /// Ends every program; the loop ends after the last of them.
    pub fn shut_down(&mut self) {
        self.closing = Some(Instant::now() + LAST_WORDS);
        let panes = std::mem::take(&mut self.panes).into_iter();
        let living = panes.filter(|(_, pane)| pane.exit.is_none());
        self.endings.extend(living.map(|(id, pane)| Ending::ask(id, pane, true, Instant::now())));
    }

    /// A frame that could not be read. If it was to start a program, whoever waits for that is told.
    fn garbled(&mut self, error: &io::Error) {
        let Some(daemon) = &mut self.daemon else { return };
        if !std::mem::replace(&mut daemon.garbled, true) {
            log::say(format_args!("skipped a message of the daemon: {error}"));
        }
        if let Some(Malformed::Body(pane)) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
            self.spawn_failed(*pane, (Stage::Request, Errno::BADMSG));
        }
    }

    /// It closed the link, or the link is of no more use.
    pub fn link_lost(&mut self, error: &io::Error) {
        let Some(daemon) = &mut self.daemon else { return };
        if error.kind() != io::ErrorKind::UnexpectedEof {
            log::say(format_args!("the link broke: {error}"));
        }
        daemon.unlink(Instant::now());
        self.outbox.clear();
    }
}
