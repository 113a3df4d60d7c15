//! A value whose newest state tasks of the daemon's thread wait for. tokio's channel works between threads: it takes half a
//! KiB, and what waits for a change takes more.

use std::cell::{Cell, Ref, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

struct WatchState<T> {
    value: RefCell<T>,
    version: Cell<u64>,
    is_closed: Cell<bool>,
    receivers: RefCell<Receivers>,
}

/// The receivers' wakers. Each receiver has a slot, so that waiting costs the same however many there are.
#[derive(Default)]
struct Receivers {
    wakers: Vec<Option<Waker>>,
    free: Vec<usize>,
}

/// The owner of the value. When it is dropped, receivers are told.
pub(crate) struct WatchSender<T>(Rc<WatchState<T>>);

/// Someone who reads the value, and who knows one version of it.
pub(crate) struct WatchReceiver<T> {
    shared: Rc<WatchState<T>>,
    known: u64,
    slot: usize,
}

impl<T> WatchSender<T> {
    /// A value, and no receiver yet.
    pub(crate) fn new(value: T) -> Self {
        let (version, is_closed) = (Cell::new(0), Cell::new(false));
        Self(Rc::new(WatchState {
            value: RefCell::new(value),
            version,
            is_closed,
            receivers: RefCell::default(),
        }))
    }

    /// A receiver that knows the value as it is now.
    pub(crate) fn subscribe(&self) -> WatchReceiver<T> {
        WatchReceiver::new(&self.0, self.0.version.get())
    }

    /// The value.
    pub(crate) fn borrow(&self) -> Ref<'_, T> {
        self.0.value.borrow()
    }

    /// Sets the value. Receivers are told even if it is the same.
    pub(crate) fn send(&self, value: T) {
        self.0.value.replace(value);
        self.0.version.set(self.0.version.get() + 1);
        self.0.wake();
    }
}

impl<T: Copy + PartialEq> WatchSender<T> {
    /// Changes the value. Receivers are told if it is another one then.
    pub(crate) fn modify(&self, change: impl FnOnce(&mut T)) {
        let mut value = *self.borrow();
        change(&mut value);
        if *self.borrow() != value {
            self.send(value);
        }
    }
}

impl<T> WatchReceiver<T> {
    fn new(shared: &Rc<WatchState<T>>, known: u64) -> Self {
        let slot = shared.receivers.borrow_mut().add();
        Self { shared: Rc::clone(shared), known, slot }
    }

    /// The newest value.
    pub(crate) fn borrow(&self) -> Ref<'_, T> {
        self.shared.value.borrow()
    }

    /// Makes the value as it is now count as a change.
    pub(crate) fn mark_changed(&mut self) {
        self.known = self.known.wrapping_sub(1);
    }

    /// Waits for another value. Returns whether there is one; if not, the sender was dropped.
    pub(crate) async fn changed(&mut self) -> bool {
        poll_fn(|context| self.poll_changed(context)).await
    }

    /// The same, for a task that waits for more than this.
    pub(crate) fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        let version = self.shared.version.get();
        if std::mem::replace(&mut self.known, version) != version {
            return Poll::Ready(true);
        }
        if self.shared.is_closed.get() {
            return Poll::Ready(false);
        }
        let waker = &mut self.shared.receivers.borrow_mut().wakers[self.slot];
        if waker.as_ref().is_none_or(|waker| !waker.will_wake(context.waker())) {
            *waker = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

impl<T> WatchState<T> {
    fn wake(&self) {
        self.receivers.borrow_mut().wakers.iter_mut().filter_map(Option::take).for_each(Waker::wake);
    }
}

impl Receivers {
    fn add(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.wakers.push(None);
            self.wakers.len() - 1
        })
    }
}

impl<T> Clone for WatchReceiver<T> {
    fn clone(&self) -> Self {
        Self::new(&self.shared, self.known)
    }
}

impl<T> Drop for WatchSender<T> {
    fn drop(&mut self) {
        self.0.is_closed.set(true);
        self.0.wake();
    }
}

impl<T> Drop for WatchReceiver<T> {
    fn drop(&mut self) {
        let mut receivers = self.shared.receivers.borrow_mut();
        receivers.wakers[self.slot] = None;
        receivers.free.push(self.slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "local")]
    async fn every_receiver_learns_of_a_change_once() {
        let sender = WatchSender::new(1);
        let mut receivers = [sender.subscribe(), sender.subscribe()];
        sender.modify(|value| *value = 1);
        let waits = receivers.clone().map(|mut receiver| {
            tokio::task::spawn_local(async move { (receiver.changed().await, *receiver.borrow()) })
        });
        tokio::task::yield_now().await;
        assert!(waits.iter().all(|wait| !wait.is_finished()), "the value is the same");
        sender.modify(|value| *value = 2);
        for wait in waits {
            assert_eq!(wait.await.ok(), Some((true, 2)));
        }
        assert!(receivers[0].changed().await);
        receivers[0].mark_changed();
        assert!(receivers[0].changed().await);
        drop(sender);
        assert!(!receivers[0].changed().await);
    }

    #[test]
    fn the_slot_of_a_dropped_receiver_is_used_again() {
        let sender = WatchSender::new(());
        (0..100).for_each(|_| drop(sender.subscribe()));
        assert_eq!(sender.0.receivers.borrow().wakers.len(), 1);
    }
}
