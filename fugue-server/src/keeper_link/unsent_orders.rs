//! The orders that the link to the keeper has not taken yet, and how they are sent.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use fugue_keeper::{Link, Message};
use fugue_protocol::RunId;

use super::held_programs::HeldPrograms;

/// An order that the link has not taken yet. Its content is in `HeldPrograms`, so that the newest is sent.
pub(super) enum UnsentOrder {
    Adopt(RunId),
    Terminate(RunId),
    AdoptionEnd,
    Spawn(RunId),
    Stored(RunId),
    Forget(RunId),
    Listen,
    Serving,
    /// The command line of the new keeper.
    Upgrade(Vec<PathBuf>),
    Shutdown,
    /// The question whether it responds.
    Ping,
}

impl UnsentOrder {
    /// Whether it may be given up: somebody is told, or another one follows.
    fn may_fail(&self) -> bool {
        matches!(self, Self::Spawn(_) | Self::Stored(_) | Self::Ping)
    }
}

/// How far the sending of unsent orders got.
pub(super) enum SendProgress {
    Done,
    Blocked,
    /// The kernel lacks something now, or the order must not be given up.
    TryLater,
    /// This order cannot be sent.
    Failed(UnsentOrder, io::Error),
}

/// Sends unsent orders, oldest first, until the link accepts no more.
pub(super) fn send_all(
    link: &Link,
    held: &mut HeldPrograms,
    listener: &OwnedFd,
    unsent: &mut VecDeque<UnsentOrder>,
) -> SendProgress {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, WouldBlock};
    while let Some(order) = unsent.pop_front() {
        let Err(error) = send(link, held, listener, &order) else { continue };
        let progress = match error.kind() {
            // A keeper that was killed resets the link if it had not read everything; its successor gets the order.
            WouldBlock | BrokenPipe | ConnectionReset => SendProgress::Blocked,
            _ if is_temporary(&error) || !order.may_fail() => SendProgress::TryLater,
            _ => return SendProgress::Failed(order, error),
        };
        unsent.push_front(order);
        return progress;
    }
    SendProgress::Done
}

fn send(link: &Link, held: &mut HeldPrograms, listener: &OwnedFd, order: &UnsentOrder) -> io::Result<()> {
    match order {
        UnsentOrder::Adopt(run) => held.send_adoption(link, *run),
        UnsentOrder::Terminate(run) => held.send_termination(link, *run),
        UnsentOrder::AdoptionEnd => link.send(&Message::AdoptionEnd, &[]),
        UnsentOrder::Spawn(run) => held.send_spawn(link, *run),
        UnsentOrder::Stored(run) => held.send_snapshot(link, *run),
        UnsentOrder::Forget(run) => link.send(&Message::Forget { pane: *run.as_bytes() }, &[]),
        UnsentOrder::Listen => link.send(&Message::Listen, &[listener.as_fd()]),
        UnsentOrder::Serving => link.send(&Message::Serving, &[]),
        UnsentOrder::Upgrade(command) => {
            link.request_upgrade(&command.iter().map(PathBuf::as_path).collect::<Vec<_>>())
        }
        UnsentOrder::Shutdown => link.send(&Message::Shutdown, &[]),
        UnsentOrder::Ping => link.send(&Message::Ping, &[]),
    }
}

/// Whether a send error goes away by itself.
fn is_temporary(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let temporary = [Errno::TOOMANYREFS, Errno::NOBUFS, Errno::NOMEM, Errno::INTR];
    temporary.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}
