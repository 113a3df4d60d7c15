//! What the daemon is told, as far as it reads.

use std::io;

use crate::keeper::{Keeper, Note};
use crate::spawn::Failure;
use crate::wire::{Message, PaneId};

impl Keeper {
    /// A daemon that has not taken over hears of panes when it does.
    pub fn tell_of_pane(&mut self, note: Note) {
        if !self.pumps() {
            self.outbox.push_back(note);
        }
    }

    /// Tells the daemon as much as the link takes now.
    pub fn say(&mut self) {
        while let Some(note) = self.outbox.front() {
            match self.send(note) {
                Ok(()) => drop(self.outbox.pop_front()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if passing(&error) => return self.crowded(),
                // It is going. Its last words are still to be read, and its end is on its way to us.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.outbox.clear(),
                // Wrong beyond repair; the next one hears everything anew.
                Err(error) => return self.link_lost(&error),
            }
        }
    }

    fn send(&self, note: &Note) -> io::Result<()> {
        let Some(link) = self.daemon.as_ref().and_then(|daemon| daemon.link.as_ref()) else {
            return Ok(());
        };
        match note {
            Note::Plain(message) => link.send(message, &[]),
            Note::Holding(id) => self
                .panes
                .get(id)
                .map_or(Ok(()), |pane| link.send(&Message::Holding(pane.holding(*id)), &pane.fds())),
            Note::Spawned(id) => self.panes.get(id).map_or(Ok(()), |pane| {
                let pid = pane.child.pid.as_raw_nonzero().get();
                link.send(&Message::Spawned { pane: *id, pid }, &pane.fds())
            }),
        }
    }

    pub fn spawn_failed(&mut self, pane: PaneId, (stage, errno): Failure) {
        let failed = Message::SpawnFailed { pane, stage, errno: errno.raw_os_error() };
        if self.daemon.is_some() {
            self.outbox.push_back(Note::Plain(failed));
        }
    }
}

/// Whether an error of sending goes away by itself.
fn passing(error: &io::Error) -> bool {
    [libc::ETOOMANYREFS, libc::ENOBUFS, libc::ENOMEM].map(Some).contains(&error.raw_os_error())
}
