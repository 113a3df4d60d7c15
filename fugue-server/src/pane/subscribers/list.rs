//! The subscribers of a pane: clients that watch its screen and clients that record its output.

use std::rc::Rc;

use fugue_screen::Screen;

use super::recording_buffer::RecordingBuffer;
use super::subscriber::{Clipboard, ScreenUpdate, Subscriber, SubscriberList};

/// The subscribers of a pane.
#[derive(Default)]
pub(crate) struct Subscribers {
    screens: SubscriberList,
    pub(crate) recording: RecordingBuffer,
    clipboard: Clipboard,
    /// The revision of the screen that subscribers were last notified of.
    notified: u64,
}

impl Subscribers {
    /// Adds a subscriber of the screen.
    pub(crate) fn watch(&mut self, subscriber: Rc<Subscriber>) {
        self.screens.add(subscriber);
    }

    /// Takes note that someone typed and waits for an echo.
    pub(crate) fn expect_echo(&self) {
        self.screens.expect_echo();
    }

    /// Notifies subscribers if the screen changed. Output of a flood is not the echo that someone may wait for, but what
    /// comes after it is. Returns whether someone waited for the change.
    pub(crate) fn notify_changed(&mut self, screen: &Screen, is_flood: bool) -> bool {
        std::mem::replace(&mut self.notified, screen.revision()) != screen.revision()
            && self.notify(screen, !is_flood)
    }

    /// Sets the clipboard and notifies subscribers.
    pub(crate) fn set_clipboard(&mut self, text: &str, screen: &Screen) {
        self.clipboard = Clipboard { count: self.clipboard.count + 1, text: text.into() };
        self.notify(screen, true);
    }

    fn notify(&mut self, screen: &Screen, may_be_echo: bool) -> bool {
        let clipboard = &self.clipboard;
        self.screens.notify_with(may_be_echo, |since| Some(ScreenUpdate::new(screen, since, clipboard)))
    }

    /// Returns what changed on the screen since a revision.
    pub(crate) fn update(&self, screen: &Screen, since: u64) -> ScreenUpdate {
        ScreenUpdate::new(screen, since, &self.clipboard)
    }

    /// Makes an update and drops it, so that the memory it needs is in the CPU's caches when a key arrives.
    pub(crate) fn rehearse_update(&self, screen: &Screen) {
        drop(self.update(screen, screen.revision().saturating_sub(1)));
    }
}

#[cfg(test)]
mod tests {
    use fugue_screen::{Limits, Size};
    use tokio::sync::Notify;

    use super::*;

    /// A screen and its only subscriber, which has seen it.
    fn watched_screen() -> (Subscribers, Rc<Subscriber>, Screen) {
        let notify = Rc::new(Notify::new());
        let subscriber = Subscriber::new(Rc::clone(&notify), notify);
        subscriber.take_changed();
        let mut subscribers = Subscribers::default();
        subscribers.watch(Rc::clone(&subscriber));
        (subscribers, subscriber, Screen::new(Size { cols: 10, rows: 2 }, Limits::default()))
    }

    #[test]
    fn subscribers_are_notified_once_for_each_revision_and_for_the_clipboard() {
        let (mut subscribers, subscriber, mut screen) = watched_screen();
        screen.feed(b"a");
        subscribers.expect_echo();
        assert!(subscribers.notify_changed(&screen, false), "someone waits for it");
        assert!(subscriber.take_changed());
        assert!(!subscribers.notify_changed(&screen, false), "nothing changed");
        assert!(!subscriber.take_changed());
        subscribers.set_clipboard("copied", &screen);
        assert!(subscriber.take_changed());
        let clipboard = subscribers.update(&screen, 0).clipboard;
        assert_eq!((clipboard.count, &*clipboard.text), (1, "copied"));
    }

    #[test]
    fn a_flood_is_no_echo_but_what_comes_after_it_is() {
        let (mut subscribers, subscriber, mut screen) = watched_screen();
        subscribers.expect_echo();
        screen.feed(b"flood");
        assert!(!subscribers.notify_changed(&screen, true));
        assert!(!subscriber.take_echo());
        assert!(subscriber.take_changed(), "it is sent with the next frame");
        screen.feed(b"^C");
        assert!(subscribers.notify_changed(&screen, false));
        assert!(subscriber.take_echo());
    }
}
