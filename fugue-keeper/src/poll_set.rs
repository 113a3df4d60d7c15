//! The descriptors that the keeper polls. The set is rebuilt each time: a keeper wakes rarely while a daemon is running,
//! and a descriptor that other processes hold too cannot be left behind in it, as it could in an epoll set.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::keeper::Keeper;
use crate::link::messages::PaneId;
use crate::log;

/// The source of an event.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    Sigterm,
    /// The reaper is dead.
    Reaper,
    /// An orphan may have exited.
    Orphan,
    Link,
    Writable,
    Daemon,
    /// A client connected while no daemon is running.
    Client,
    Report(PaneId),
    Exit(PaneId),
    Output(PaneId),
    Termination,
}

type PollEntry<'a> = (Source, BorrowedFd<'a>, PollFlags);

impl Keeper {
    /// Sleeps until an event comes or work is due, and returns the events.
    pub(crate) fn wait(&self) -> Vec<Source> {
        let entries = self.poll_entries();
        let mut fds: Vec<_> =
            entries.iter().map(|(_, fd, flags)| PollFd::from_borrowed_fd(*fd, *flags)).collect();
        let timeout = self.wake_at(Instant::now()).map(time_until);
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => {
                // Out of memory, most likely. Whatever the reason, the keeper must not exit over it.
                log::write(format_args!("Cannot poll: {errno}"));
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        let happened = fds.iter().zip(&entries).filter(|(fd, _)| !fd.revents().is_empty());
        happened.map(|(_, (source, ..))| *source).collect()
    }

    /// The order matters: a report comes before the exit of the same child, and the daemon's exit before the output of
    /// panes.
    fn poll_entries(&self) -> Vec<PollEntry<'_>> {
        let mut entries = self.daemon_entries();
        entries.push(readable(Source::Sigterm, self.sigterm.as_fd()));
        entries.extend(self.reaper.as_ref().map(|reaper| readable(Source::Reaper, reaper.exit_fd())));
        entries.extend(self.orphans.as_ref().map(|orphans| readable(Source::Orphan, orphans.exit_fd())));
        entries.extend(
            self.terminations
                .iter()
                .filter_map(|termination| Some(readable(Source::Termination, termination.exit_fd()?))),
        );
        for (&id, pane) in &self.panes {
            let report = pane.report.as_ref().map(|report| readable(Source::Report(id), report.as_fd()));
            let exit = pane.exit_fd().map(|pidfd| readable(Source::Exit(id), pidfd));
            let output = pane.output_fd().filter(|_| self.pumps());
            let output = output.map(|master| readable(Source::Output(id), master));
            entries.extend(report.into_iter().chain(exit).chain(output));
        }
        entries
    }

    fn daemon_entries(&self) -> Vec<PollEntry<'_>> {
        let Some(daemon) = &self.daemon else {
            return self
                .awaits_clients()
                .then(|| readable(Source::Client, self.config.listener.as_fd()))
                .into_iter()
                .collect();
        };
        let mut entries = Vec::from_iter(daemon.child.exit_fd().map(|pidfd| readable(Source::Daemon, pidfd)));
        if let Some(link) = &daemon.link {
            if self.accepts_requests() {
                entries.push(readable(Source::Link, link.as_fd()));
            }
            if !self.outbox.is_empty() && self.send_again_at.is_none() {
                entries.push((Source::Writable, link.as_fd(), PollFlags::OUT));
            }
        }
        entries
    }
}

fn readable(source: Source, fd: BorrowedFd<'_>) -> PollEntry<'_> {
    (source, fd, PollFlags::IN)
}

fn time_until(at: Instant) -> Timespec {
    let left = at.saturating_duration_since(Instant::now());
    Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() }
}
