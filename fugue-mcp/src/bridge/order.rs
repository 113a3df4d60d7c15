//! The order in which calls arrived. The library begins them at once and in any order; here each gets a number when its
//! line is read, and goes on its way to the daemon when all before it have gone.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Gives out tickets.
#[derive(Debug, Clone, Default)]
pub(super) struct Order(Arc<Mutex<Queue>>);

#[derive(Debug, Default)]
struct Queue {
    last: u64,
    /// Whose turn has not passed, and how to tell those who wait for it.
    before: BTreeMap<u64, Option<oneshot::Sender<()>>>,
}

/// A place in the order. It passes to the next when the last copy is dropped, used or not.
#[derive(Debug, Clone)]
pub(super) struct Ticket {
    place: Arc<Place>,
}

#[derive(Debug)]
struct Place {
    order: Order,
    number: u64,
}

impl Order {
    /// The next place.
    pub(super) fn ticket(&self) -> Ticket {
        let mut queue = self.queue();
        queue.last += 1;
        let number = queue.last;
        queue.before.insert(number, None);
        Ticket { place: Arc::new(Place { order: self.clone(), number }) }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// Waits until everything that arrived earlier has gone.
    pub(super) async fn turn(&self) {
        let turn = {
            let mut queue = self.place.order.queue();
            let first = queue.before.keys().next().copied();
            match queue.before.get_mut(&self.place.number) {
                Some(bell) if first < Some(self.place.number) => {
                    let (ring, turn) = oneshot::channel();
                    *bell = Some(ring);
                    turn
                }
                _ => return,
            }
        };
        let _ = turn.await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut queue = self.order.queue();
        queue.before.remove(&self.number);
        if let Some(mut first) = queue.before.first_entry()
            && let Some(bell) = first.get_mut().take()
        {
            let _ = bell.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn calls_go_as_they_came_however_their_tasks_are_begun() {
        let order = Order::default();
        let gone = Arc::new(Mutex::new(Vec::new()));
        let tickets: Vec<_> = (0..50).map(|number| (number, order.ticket())).collect();
        let tasks = tickets.into_iter().rev().map(|(number, ticket)| {
            let gone = Arc::clone(&gone);
            tokio::spawn(async move {
                ticket.turn().await;
                gone.lock().unwrap().push(number);
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
        assert_eq!(*gone.lock().unwrap(), (0..50).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn one_that_gives_up_lets_nobody_overtake() {
        let order = Order::default();
        let (first, second, third) = (order.ticket(), order.ticket(), order.ticket());
        drop(second);
        let early = tokio::time::timeout(Duration::from_millis(20), third.turn());
        assert!(early.await.is_err(), "the first has not gone");
        drop(first);
        third.turn().await;
    }
}
