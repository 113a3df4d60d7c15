//! Messages to the daemon, sent as fast as it reads them.

use std::io;

use super::messages::{Holding, Message, PaneId};
use crate::handover::succession;
use crate::keeper::{Keeper, QueuedMessage};
use crate::program::kept_pane::KeptPane;
use crate::program::spawn::SpawnFailure;

impl Keeper {
    /// Queues a message about a pane, if the daemon has the lease. Otherwise it learns of the pane when it takes it.
    pub(crate) fn queue_for_holder(&mut self, queued: QueuedMessage) {
        if !self.pumps() {
            self.outbox.push_back(queued);
        }
    }

    /// Sends as much as the link takes now.
    pub(crate) fn flush_outbox(&mut self) {
        while let Some(queued) = self.outbox.front() {
            match self.send_queued(queued) {
                Ok(()) => drop(self.outbox.pop_front()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if is_temporary(&error) => return self.delay_sending(),
                // It is exiting. Its last requests can still be read, and its exit will be noticed.
                Err(error) if is_closed(&error) => self.outbox.clear(),
                // The link cannot be repaired; the next daemon gets everything again.
                Err(error) => return self.link_lost(&error),
            }
        }
    }

    fn send_queued(&self, queued: &QueuedMessage) -> io::Result<()> {
        let Some(link) = self.daemon.as_ref().and_then(|daemon| daemon.link.as_ref()) else {
            return Ok(());
        };
        match queued {
            QueuedMessage::Message(message) => link.send(message, &[]),
            QueuedMessage::Successor => succession::introduce_successor(link),
            QueuedMessage::Holding(id) => self
                .panes
                .get(id)
                .map_or(Ok(()), |pane| link.send(&Message::Holding(self.holding(*id, pane)), &pane.fds())),
            QueuedMessage::Spawned(id) => self.panes.get(id).map_or(Ok(()), |pane| {
                let pid = pane.child.pid.as_raw_nonzero().get();
                link.send(&Message::Spawned { pane: *id, pid }, &pane.fds())
            }),
        }
    }

    fn holding(&self, id: PaneId, pane: &KeptPane) -> Holding {
        let holding = pane.holding(id);
        Holding { exit: holding.exit.filter(|_| !self.held_exits.panes.contains(&id)), ..holding }
    }

    pub(crate) fn spawn_failed(&mut self, pane: PaneId, (stage, errno): SpawnFailure) {
        let failed = Message::SpawnFailed { pane, stage, errno: errno.raw_os_error() };
        if self.daemon.is_some() {
            self.outbox.push_back(QueuedMessage::Message(failed));
        }
    }
}

/// Whether the daemon has closed its end, after reading everything or not.
fn is_closed(error: &io::Error) -> bool {
    [io::ErrorKind::BrokenPipe, io::ErrorKind::ConnectionReset].contains(&error.kind())
}

/// Whether a send error goes away by itself. Descriptors are needed for a successor to introduce itself.
fn is_temporary(error: &io::Error) -> bool {
    let temporary =
        [libc::ETOOMANYREFS, libc::ENOBUFS, libc::ENOMEM, libc::EMFILE, libc::ENFILE, libc::EINTR];
    temporary.map(Some).contains(&error.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_of_descriptors_or_memory_is_no_broken_link() {
        let error = io::Error::from_raw_os_error;
        for errno in [libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::ENOMEM, libc::ETOOMANYREFS] {
            assert!(is_temporary(&error(errno)) && !is_closed(&error(errno)), "{errno}");
        }
        assert!(is_closed(&error(libc::EPIPE)) && !is_temporary(&error(libc::EPIPE)));
        assert!(!is_temporary(&error(libc::EBADF)));
    }
}
