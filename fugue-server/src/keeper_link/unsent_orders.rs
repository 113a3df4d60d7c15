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
    while let Some(order) = unsent.pop_front() {
        let Err(error) = send(link, held, listener, &order) else { continue };
        match fate(&error, &order) {
            OrderFate::Failed => return SendProgress::Failed(order, error),
            OrderFate::Kept(progress) => {
                unsent.push_front(order);
                return progress;
            }
        }
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

/// What becomes of an order that could not be sent.
enum OrderFate {
    /// It is sent later.
    Kept(SendProgress),
    Failed,
}

fn fate(error: &io::Error, order: &UnsentOrder) -> OrderFate {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, WouldBlock};
    match error.kind() {
        // A keeper that was killed resets the link if it had not read everything; its successor gets the order.
        WouldBlock | BrokenPipe | ConnectionReset => OrderFate::Kept(SendProgress::Blocked),
        _ if is_temporary(error) || !order.may_fail() => OrderFate::Kept(SendProgress::TryLater),
        _ => OrderFate::Failed,
    }
}

/// Whether a send error goes away by itself.
fn is_temporary(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let temporary = [Errno::TOOMANYREFS, Errno::NOBUFS, Errno::NOMEM, Errno::INTR];
    temporary.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn an_order_is_sent_later_if_the_kernel_lacks_something_or_if_nobody_would_notice_its_loss() {
        let run = RunId::from_bytes([1; 16]);
        let fate = |errno: Errno, order: &UnsentOrder| fate(&io::Error::from(errno), order);
        for order in [
            UnsentOrder::Adopt(run),
            UnsentOrder::Forget(run),
            UnsentOrder::Shutdown,
            UnsentOrder::Spawn(run),
        ] {
            for errno in [Errno::NOBUFS, Errno::NOMEM, Errno::TOOMANYREFS] {
                assert!(matches!(fate(errno, &order), OrderFate::Kept(SendProgress::TryLater)), "{errno}");
            }
            assert!(matches!(fate(Errno::CONNRESET, &order), OrderFate::Kept(SendProgress::Blocked)));
        }
        assert!(matches!(
            fate(Errno::INVAL, &UnsentOrder::Forget(run)),
            OrderFate::Kept(SendProgress::TryLater)
        ));
        assert!(
            matches!(fate(Errno::INVAL, &UnsentOrder::Spawn(run)), OrderFate::Failed),
            "its caller is told"
        );
    }
}
