//! A bounded queue between tasks of the daemon's thread. tokio's channel works between threads, and takes 1.5 KiB for each
//! pane even if it is empty; this one takes what is in it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use tokio::sync::mpsc::error::TrySendError;
use tokio::task::coop::cooperative;

/// An empty queue keeps room for this many items. What a burst needed beyond that is freed.
const KEPT: usize = 16;

struct QueueState<T> {
    items: RefCell<VecDeque<T>>,
    most: usize,
    senders: Cell<usize>,
    is_closed: Cell<bool>,
    receiver: Cell<Option<Waker>>,
    /// Senders that wait for room.
    waiting: RefCell<Vec<Waker>>,
}

/// The end of a queue that items are put into.
pub(crate) struct LocalSender<T>(Rc<QueueState<T>>);

/// The end of a queue that items are taken from. When it is dropped, the queue is closed.
pub(crate) struct LocalReceiver<T>(Rc<QueueState<T>>);

/// Creates a queue for at most `most` items.
pub(crate) fn local_queue<T>(most: usize) -> (LocalSender<T>, LocalReceiver<T>) {
    let shared = Rc::new(QueueState {
        items: RefCell::default(),
        most,
        senders: Cell::new(1),
        is_closed: Cell::new(false),
        receiver: Cell::new(None),
        waiting: RefCell::default(),
    });
    (LocalSender(Rc::clone(&shared)), LocalReceiver(shared))
}

impl<T> LocalSender<T> {
    /// Puts an item into the queue, unless it is full or closed.
    pub(crate) fn try_send(&self, item: T) -> Result<(), TrySendError<T>> {
        if self.0.is_closed.get() {
            return Err(TrySendError::Closed(item));
        }
        let mut items = self.0.items.borrow_mut();
        if items.len() >= self.0.most {
            return Err(TrySendError::Full(item));
        }
        items.push_back(item);
        drop(items);
        self.0.wake_receiver();
        Ok(())
    }

    /// Puts an item into the queue, and waits for room. Returns the item if the queue is closed.
    pub(crate) async fn send(&self, item: T) -> Result<(), T> {
        let mut item = Some(item);
        poll_fn(|context| match item.take().map(|item| self.try_send(item)) {
            Some(Err(TrySendError::Full(full))) => {
                item = Some(full);
                self.0.wait_for_room(context.waker());
                Poll::Pending
            }
            Some(Err(TrySendError::Closed(item))) => Poll::Ready(Err(item)),
            Some(Ok(())) | None => Poll::Ready(Ok(())),
        })
        .await
    }

    /// Whether the receiver was dropped.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed.get()
    }
}

impl<T> LocalReceiver<T> {
    /// Takes the next item. Returns nothing once the queue is empty and all senders are dropped.
    pub(crate) async fn recv(&mut self) -> Option<T> {
        cooperative(poll_fn(|context| self.poll_recv(context))).await
    }

    /// Takes the next item if there is one now.
    pub(crate) fn try_recv(&mut self) -> Option<T> {
        let mut items = self.0.items.borrow_mut();
        let item = items.pop_front();
        if items.is_empty() && items.capacity() > KEPT {
            *items = VecDeque::new();
        }
        drop(items);
        if item.is_some() {
            self.0.wake_waiting();
        }
        item
    }

    fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
        let item = self.try_recv();
        if item.is_some() {
            return Poll::Ready(item);
        }
        if self.0.senders.get() == 0 {
            return Poll::Ready(None);
        }
        let waker = self.0.receiver.take().filter(|waker| waker.will_wake(context.waker()));
        self.0.receiver.set(waker.or_else(|| Some(context.waker().clone())));
        Poll::Pending
    }
}

impl<T> QueueState<T> {
    /// Notes who waits for room. One that is polled again for other reasons is noted once.
    fn wait_for_room(&self, waker: &Waker) {
        let mut waiting = self.waiting.borrow_mut();
        if !waiting.iter().any(|noted| noted.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }

    fn wake_receiver(&self) {
        if let Some(waker) = self.receiver.take() {
            waker.wake();
        }
    }

    fn wake_waiting(&self) {
        let waiting = std::mem::take(&mut *self.waiting.borrow_mut());
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl<T> Clone for LocalSender<T> {
    fn clone(&self) -> Self {
        self.0.senders.set(self.0.senders.get() + 1);
        Self(Rc::clone(&self.0))
    }
}

impl<T> Drop for LocalSender<T> {
    fn drop(&mut self) {
        self.0.senders.set(self.0.senders.get() - 1);
        if self.0.senders.get() == 0 {
            self.0.wake_receiver();
        }
    }
}

impl<T> Drop for LocalReceiver<T> {
    fn drop(&mut self) {
        self.0.is_closed.set(true);
        // Dropped after the borrow, since an item may hold a sender.
        let items = std::mem::take(&mut *self.0.items.borrow_mut());
        drop(items);
        self.0.wake_waiting();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "local")]
    async fn items_come_in_order_and_a_full_queue_makes_senders_wait() {
        let (sender, mut receiver) = local_queue(2);
        let other = sender.clone();
        assert!(sender.try_send(1).is_ok() && sender.try_send(2).is_ok());
        assert!(matches!(sender.try_send(9), Err(TrySendError::Full(9))));
        let waits = tokio::task::spawn_local(async move { other.send(3).await });
        tokio::task::yield_now().await;
        assert!(!waits.is_finished());
        assert_eq!(receiver.recv().await, Some(1));
        assert_eq!(waits.await.ok(), Some(Ok(())));
        drop(sender);
        assert_eq!((receiver.recv().await, receiver.recv().await), (Some(2), Some(3)));
        assert_eq!(receiver.recv().await, None);
    }

    #[tokio::test(flavor = "local")]
    async fn a_sender_that_is_polled_often_while_the_queue_is_full_is_noted_once() {
        let (sender, _receiver) = local_queue(1);
        assert!(sender.try_send(1).is_ok());
        let mut send = std::pin::pin!(sender.send(2));
        poll_fn(|context| {
            assert!((0..100).all(|_| send.as_mut().poll(context).is_pending()));
            Poll::Ready(())
        })
        .await;
        assert_eq!(sender.0.waiting.borrow().len(), 1);
    }

    #[tokio::test(flavor = "local")]
    async fn a_receiver_wakes_up_for_an_item_and_for_the_end() {
        let (sender, mut receiver) = local_queue(1);
        let received =
            tokio::task::spawn_local(async move { (receiver.recv().await, receiver.recv().await) });
        tokio::task::yield_now().await;
        assert!(sender.try_send('a').is_ok());
        tokio::task::yield_now().await;
        drop(sender);
        assert_eq!(received.await.ok(), Some((Some('a'), None)));
    }

    #[tokio::test(flavor = "local")]
    async fn a_closed_queue_takes_nothing() {
        let (sender, receiver) = local_queue(1);
        assert!(sender.try_send(1).is_ok());
        let other = sender.clone();
        let waits = tokio::task::spawn_local(async move { other.send(2).await });
        tokio::task::yield_now().await;
        drop(receiver);
        assert_eq!(waits.await.ok(), Some(Err(2)));
        assert!(matches!(sender.try_send(3), Err(TrySendError::Closed(3))));
    }

    #[tokio::test(flavor = "local")]
    async fn the_room_of_a_burst_is_freed() {
        let (sender, mut receiver) = local_queue(1_000);
        (0..1_000).for_each(|n| sender.try_send(n).expect("room"));
        for n in 0..1_000 {
            assert_eq!(receiver.recv().await, Some(n));
        }
        assert_eq!(receiver.0.items.borrow().capacity(), 0);
    }
}
