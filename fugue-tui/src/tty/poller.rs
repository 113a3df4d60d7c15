//! Waits for everything at once: the terminal's keys and its room for output, the daemon, signals, the configuration
//! file.
//!
//! Polling a terminal waits until the kernel's worker that delivered the last key has finished, and on a busy machine
//! that takes milliseconds, in which the reply could have been drawn. So the terminal is watched edge-triggered: it is
//! read when something came, and not polled at every turn.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::stdio::stdin;

const TERMINAL: u64 = 0;
const DAEMON: u64 = 1;
const SIGNAL: u64 = 2;
const WRITABLE: u64 = 3;
const CONFIG: u64 = 4;
const JOBS: u64 = 5;

/// The sockets of other daemons have the numbers after the first one's.
const OTHER_DAEMONS: u64 = 6;

/// The sources that are ready.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ReadySources {
    /// Keys, which must all be read now: they are not reported again.
    pub(crate) terminal: bool,
    pub(crate) daemon: bool,
    pub(crate) signal: bool,
    /// The terminal accepts more output.
    pub(crate) writable: bool,
    pub(crate) config: bool,
    /// A program in the background has ended.
    pub(crate) jobs: bool,
    /// The daemons of other hosts: one bit for each, in the order in which they are watched.
    pub(crate) hosts: u128,
}

impl ReadySources {
    pub(crate) fn any(self) -> bool {
        self != Self::default()
    }
}

/// The sources that are watched.
pub(crate) struct Poller {
    epoll: OwnedFd,
    /// The connection that is shown, and those to other hosts.
    daemons: Vec<Option<WatchedSocket>>,
    /// The terminal is watched for room.
    watches_output: bool,
    /// The configuration file is watched.
    watches_config: bool,
    /// Keys came that were not read yet.
    keys: bool,
}

/// The connection that is watched.
struct WatchedSocket {
    number: u64,
    socket: OwnedFd,
    writes: bool,
}

impl Poller {
    pub(crate) fn new(
        signals: BorrowedFd<'_>,
        config: Option<BorrowedFd<'_>>,
        jobs: BorrowedFd<'_>,
    ) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, stdin(), EventData::new_u64(TERMINAL), EventFlags::IN | EventFlags::ET)?;
        epoll::add(&epoll, signals, EventData::new_u64(SIGNAL), EventFlags::IN)?;
        epoll::add(&epoll, jobs, EventData::new_u64(JOBS), EventFlags::IN)?;
        let mut poller =
            Self { epoll, daemons: Vec::new(), watches_output: false, watches_config: false, keys: false };
        poller.watch_config(config)?;
        Ok(poller)
    }

    /// Watches the configuration file, once it can be watched.
    pub(crate) fn watch_config(&mut self, config: Option<BorrowedFd<'_>>) -> io::Result<()> {
        if let Some(config) = config.filter(|_| !self.watches_config) {
            epoll::add(&self.epoll, config, EventData::new_u64(CONFIG), EventFlags::IN)?;
            self.watches_config = true;
        }
        Ok(())
    }

    /// Watches these connections and no others; those with more to write for room as well.
    pub(crate) fn watch_daemons<'a>(
        &mut self,
        daemons: impl Iterator<Item = (Option<(u64, BorrowedFd<'a>)>, bool)>,
    ) -> io::Result<()> {
        let mut count = 0;
        for (daemon, writes) in daemons {
            self.watch_daemon(count, daemon, writes)?;
            count += 1;
        }
        for former in self.daemons.drain(count..).flatten() {
            epoll::delete(&self.epoll, &former.socket)?;
        }
        Ok(())
    }

    /// Watches this connection at a place, and no other there.
    fn watch_daemon(
        &mut self,
        at: usize,
        daemon: Option<(u64, BorrowedFd<'_>)>,
        writes: bool,
    ) -> io::Result<()> {
        if self.daemons.len() == at {
            self.daemons.push(None);
        }
        let watched = &mut self.daemons[at];
        let number = daemon.map(|(number, _)| number);
        if let Some(former) = watched.take_if(|followed| Some(followed.number) != number) {
            epoll::delete(&self.epoll, &former.socket)?;
        }
        let flags = if writes { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        let data = EventData::new_u64(if at == 0 { DAEMON } else { OTHER_DAEMONS + at as u64 - 1 });
        match (&mut *watched, daemon) {
            (Some(followed), _) if followed.writes != writes => {
                followed.writes = writes;
                epoll::modify(&self.epoll, &followed.socket, data, flags)?;
            }
            (None, Some((number, socket))) => {
                let socket = socket.try_clone_to_owned()?;
                epoll::add(&self.epoll, &socket, data, flags)?;
                *watched = Some(WatchedSocket { number, socket, writes });
            }
            _ => {}
        }
        Ok(())
    }

    /// Watches the terminal for room while there is output.
    pub(crate) fn watch_output(&mut self, terminal: impl AsFd, unwritten: bool) -> io::Result<()> {
        match (unwritten, std::mem::replace(&mut self.watches_output, unwritten)) {
            (true, false) => {
                Ok(epoll::add(&self.epoll, terminal, EventData::new_u64(WRITABLE), EventFlags::OUT)?)
            }
            (false, true) => Ok(epoll::delete(&self.epoll, terminal)?),
            _ => Ok(()),
        }
    }

    /// Waits until a source is ready; keys that are not accepted now are reported when they are.
    pub(crate) fn wait(
        &mut self,
        accepts_keys: bool,
        timeout: Option<&Timespec>,
    ) -> io::Result<ReadySources> {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let timeout = if accepts_keys && self.keys { Some(&at_once) } else { timeout };
        let mut events = Vec::with_capacity(8);
        let mut ready = ReadySources::default();
        match epoll::wait(&self.epoll, spare_capacity(&mut events), timeout) {
            Ok(_) => {}
            // An interrupted wait means a signal.
            Err(rustix::io::Errno::INTR) => ready.signal = true,
            Err(why) => return Err(why.into()),
        }
        for event in events {
            match event.data.u64() {
                TERMINAL => self.keys = true,
                DAEMON => ready.daemon = true,
                SIGNAL => ready.signal = true,
                WRITABLE => ready.writable = true,
                CONFIG => ready.config = true,
                JOBS => ready.jobs = true,
                other => ready.hosts |= 1_u128.checked_shl((other - OTHER_DAEMONS) as u32).unwrap_or(0),
            }
        }
        ready.terminal = accepts_keys && std::mem::take(&mut self.keys);
        Ok(ready)
    }
}
