//! The order in which calls arrived. rmcp runs each call in a task of its own and in no particular order; here each call
//! gets a number when its line is read, and is sent to the daemon once all earlier ones have been.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The queue of calls that have not been sent yet. It issues the tickets.
#[derive(Debug, Clone, Default)]
pub(super) struct CallOrder(Arc<Mutex<TicketQueue>>);

#[derive(Debug, Default)]
struct TicketQueue {
    last: u64,
    /// The numbers whose turn has not passed, each with the sender that wakes its holder.
    pending: BTreeMap<u64, Option<oneshot::Sender<()>>>,
}

/// A call's place in the queue. The turn passes to the next call when the last copy is dropped, used or not.
#[derive(Debug, Clone)]
pub(super) struct CallTicket {
    slot: Arc<TicketSlot>,
}

#[derive(Debug)]
struct TicketSlot {
    order: CallOrder,
    number: u64,
}

impl CallOrder {
    /// Issues the next ticket.
    pub(super) fn ticket(&self) -> CallTicket {
        let mut queue = self.queue();
        queue.last += 1;
        let number = queue.last;
        queue.pending.insert(number, None);
        CallTicket { slot: Arc::new(TicketSlot { order: self.clone(), number }) }
    }

    fn queue(&self) -> MutexGuard<'_, TicketQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallTicket {
    /// Waits until all earlier calls have been sent.
    pub(super) async fn turn(&self) {
        let turn = {
            let mut queue = self.slot.order.queue();
            let first = queue.pending.keys().next().copied();
            match queue.pending.get_mut(&self.slot.number) {
                Some(waker) if first < Some(self.slot.number) => {
                    let (sender, turn) = oneshot::channel();
                    *waker = Some(sender);
                    turn
                }
                _ => return,
            }
        };
        let _ = turn.await;
    }
}

impl Drop for TicketSlot {
    fn drop(&mut self) {
        let mut queue = self.order.queue();
        queue.pending.remove(&self.number);
        if let Some(mut first) = queue.pending.first_entry()
            && let Some(waker) = first.get_mut().take()
        {
            let _ = waker.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn calls_are_sent_in_order_of_arrival_however_their_tasks_start() {
        let order = CallOrder::default();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let tickets: Vec<_> = (0..50).map(|number| (number, order.ticket())).collect();
        let tasks = tickets.into_iter().rev().map(|(number, ticket)| {
            let sent = Arc::clone(&sent);
            tokio::spawn(async move {
                ticket.turn().await;
                sent.lock().unwrap().push(number);
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
        assert_eq!(*sent.lock().unwrap(), (0..50).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_call_that_gives_up_lets_no_later_one_overtake() {
        let order = CallOrder::default();
        let (first, second, third) = (order.ticket(), order.ticket(), order.ticket());
        drop(second);
        let early = tokio::time::timeout(Duration::from_millis(20), third.turn());
        assert!(early.await.is_err(), "the first has not been sent");
        drop(first);
        third.turn().await;
    }
}
