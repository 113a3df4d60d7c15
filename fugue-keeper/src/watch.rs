//! What the keeper waits for. The list is made anew each time: a keeper wakes seldom while a daemon lives, and a
//! descriptor that others hold too cannot be left behind in it.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::keeper::Keeper;
use crate::log;
use crate::wire::PaneId;

/// Something that happened.
#[derive(Clone, Copy)]
pub enum Source {
    Link,
    Writable,
    Daemon,
    Report(PaneId),
    Exit(PaneId),
    Output(PaneId),
    Ending,
}

type Watch<'a> = (Source, BorrowedFd<'a>, PollFlags);

impl Keeper {
    /// Sleeps until something happens or is due.
    pub fn wait(&self) -> Vec<Source> {
        let watches = self.watches();
        let mut fds: Vec<_> =
            watches.iter().map(|(_, fd, flags)| PollFd::from_borrowed_fd(*fd, *flags)).collect();
        let timeout = self.wake_at().map(from_now);
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => {
                // Out of memory, most likely. Whatever it is, the children must not lose their keeper over it.
                log::say(format_args!("cannot wait: {errno}"));
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        let happened = fds.iter().zip(&watches).filter(|(fd, _)| !fd.revents().is_empty());
        happened.map(|(_, (source, ..))| *source).collect()
    }

    /// A report comes before the exit of the same child, and the end of the daemon before its panes' output.
    fn watches(&self) -> Vec<Watch<'_>> {
        let mut watches = self.daemon_watches();
        watches.extend(
            self.endings.iter().filter_map(|ending| Some(readable(Source::Ending, ending.awaited()?))),
        );
        for (&id, pane) in &self.panes {
            let report = pane.report.as_ref().map(|report| readable(Source::Report(id), report.as_fd()));
            let exit = pane.awaited().map(|end| readable(Source::Exit(id), end));
            let output = pane.flowing().filter(|_| self.pumps());
            let output = output.map(|master| readable(Source::Output(id), master));
            watches.extend(report.into_iter().chain(exit).chain(output));
        }
        watches
    }

    fn daemon_watches(&self) -> Vec<Watch<'_>> {
        let Some(daemon) = &self.daemon else {
            return Vec::new();
        };
        let mut watches = Vec::from_iter(daemon.child.awaited().map(|end| readable(Source::Daemon, end)));
        if let Some(link) = &daemon.link {
            if self.listens() {
                watches.push(readable(Source::Link, link.as_fd()));
            }
            if !self.outbox.is_empty() && self.crowded_until.is_none() {
                watches.push((Source::Writable, link.as_fd(), PollFlags::OUT));
            }
        }
        watches
    }
}

fn readable(source: Source, fd: BorrowedFd<'_>) -> Watch<'_> {
    (source, fd, PollFlags::IN)
}

fn from_now(at: Instant) -> Timespec {
    let left = at.saturating_duration_since(Instant::now());
    Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() }
}
