//! A subscriber of a pane's screen: one client's view of it. The pane notifies it and moves on; the client's writer then
//! asks for the changes. A change that someone who typed waits for is prepared at once, so it need not be asked for.
//!
//! A subscriber is shared between a pane's task and a client's writer. Both run on the daemon's one thread, so it needs
//! neither locks nor atomics.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use fugue_screen::{ImageData, Screen};
use tokio::sync::Notify;

/// One client's subscription to one pane.
pub(crate) struct Subscriber {
    changed: Cell<bool>,
    /// Someone typed into the pane: the next change that is not part of a flood is the one they wait for.
    expects_echo: Cell<bool>,
    echoed: Cell<bool>,
    notify: Rc<Notify>,
    /// Notified instead for a change that someone waits for.
    notify_echo: Rc<Notify>,
    /// The revision that the client has.
    known: Cell<u64>,
    /// The newest change, if someone waits for it.
    prepared: Cell<Option<ScreenUpdate>>,
}

impl Subscriber {
    /// A subscriber that has not seen anything yet.
    pub(crate) fn new(notify: Rc<Notify>, notify_echo: Rc<Notify>) -> Rc<Self> {
        Rc::new(Self {
            changed: Cell::new(true),
            expects_echo: Cell::default(),
            echoed: Cell::default(),
            notify,
            notify_echo,
            known: Cell::default(),
            prepared: Cell::default(),
        })
    }

    /// Notifies the subscriber of a change. If someone waits for it and it may be an echo, the update since the revision
    /// that the client has is prepared; an older prepared update is dropped.
    fn notify(&self, may_be_echo: bool, update: impl FnOnce(u64) -> Option<ScreenUpdate>) {
        let is_first = !self.changed.replace(true);
        let is_echo = may_be_echo && self.expects_echo.replace(false);
        self.prepared.set(is_echo.then(|| update(self.known.get())).flatten());
        if is_echo {
            self.echoed.set(true);
            self.notify_echo.notify_one();
        } else if is_first {
            self.notify.notify_one();
        }
    }

    /// Returns the prepared update since this revision, if there is one.
    pub(crate) fn take_prepared(&self, since: u64) -> Option<ScreenUpdate> {
        self.prepared.take().filter(|update| update.since == since)
    }

    /// Sets the revision that the client has.
    pub(crate) fn set_known(&self, revision: u64) {
        self.known.set(revision);
    }

    /// Whether a change that someone waits for has come since the last call.
    pub(crate) fn take_echo(&self) -> bool {
        self.echoed.replace(false) && self.take_changed()
    }

    /// Notifies the subscriber again, because there is more than it has read.
    pub(crate) fn notify_again(&self) {
        self.notify(true, |_| None);
    }

    /// Whether something changed since the last call.
    pub(crate) fn take_changed(&self) -> bool {
        self.changed.replace(false)
    }
}

/// All subscribers of one kind.
#[derive(Default)]
pub(super) struct SubscriberList(Vec<Rc<Subscriber>>);

impl SubscriberList {
    pub(crate) fn add(&mut self, subscriber: Rc<Subscriber>) {
        self.remove_gone();
        self.0.push(subscriber);
    }

    /// Takes note that someone typed: the next change that is not part of a flood is sent without waiting for the next
    /// frame.
    pub(crate) fn expect_echo(&self) {
        self.0.iter().for_each(|subscriber| subscriber.expects_echo.set(true));
    }

    /// Notifies all subscribers, without preparing an update.
    pub(super) fn notify(&mut self) {
        self.notify_with(true, |_| None);
    }

    /// Notifies all subscribers. Returns whether someone waited for the change.
    pub(super) fn notify_with(
        &mut self,
        may_be_echo: bool,
        update: impl Fn(u64) -> Option<ScreenUpdate>,
    ) -> bool {
        self.remove_gone();
        let is_echo = may_be_echo && self.0.iter().any(|subscriber| subscriber.expects_echo.get());
        self.0.iter().for_each(|subscriber| subscriber.notify(may_be_echo, &update));
        is_echo
    }

    pub(crate) fn is_empty(&mut self) -> bool {
        self.remove_gone();
        self.0.is_empty()
    }

    /// Removes the subscribers that no client holds any more.
    fn remove_gone(&mut self) {
        self.0.retain(|subscriber| Rc::strong_count(subscriber) > 1);
    }
}

/// The text that a pane's program last put on the clipboard. Only one is kept, of the length that the screen accepts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clipboard {
    /// How often the program set the clipboard.
    pub(crate) count: u64,
    pub(crate) text: Rc<str>,
}

/// A change of a pane's screen.
#[derive(Debug)]
pub(crate) struct ScreenUpdate {
    /// The revision before the change.
    since: u64,
    /// The revision after the change.
    pub(crate) revision: u64,
    pub(crate) encoded: Vec<u8>,
    pub(crate) clipboard: Clipboard,
    /// The images that are visible, if that changed.
    pub(crate) images: Option<Vec<Arc<ImageData>>>,
}

impl ScreenUpdate {
    /// Returns what changed on a screen since a revision.
    pub(crate) fn new(screen: &Screen, since: u64, clipboard: &Clipboard) -> Self {
        Self {
            since,
            revision: screen.revision(),
            encoded: screen.encode_update_since(since),
            clipboard: clipboard.clone(),
            images: screen.images_changed_since(since).then(|| screen.visible_images()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_screen::{Limits, Size};

    #[test]
    fn a_prepared_update_is_used_only_if_it_is_the_newest_and_begins_where_the_client_is() {
        let notify = Rc::new(Notify::new());
        let subscriber = Subscriber::new(Rc::clone(&notify), notify);
        let mut list = SubscriberList::default();
        list.add(Rc::clone(&subscriber));
        let mut screen = Screen::new(Size { cols: 10, rows: 2 }, Limits::default());
        let mut write = |list: &mut SubscriberList, text: &[u8]| {
            screen.feed(text);
            list.notify_with(true, |since| Some(ScreenUpdate::new(&screen, since, &Clipboard::default())));
            screen.revision()
        };
        write(&mut list, b"a");
        assert!(subscriber.take_prepared(0).is_none(), "nobody waits for it");
        list.expect_echo();
        let revision = write(&mut list, b"b");
        assert_eq!(subscriber.take_prepared(0).expect("prepared").revision, revision);
        subscriber.set_known(revision);
        list.expect_echo();
        write(&mut list, b"c");
        assert!(subscriber.take_prepared(0).is_none(), "it begins where the client is");
        list.expect_echo();
        write(&mut list, b"d");
        write(&mut list, b"e");
        assert!(subscriber.take_prepared(revision).is_none(), "there is a newer one");
        assert!(subscriber.take_echo(), "which is sent at once, too");
    }
}
