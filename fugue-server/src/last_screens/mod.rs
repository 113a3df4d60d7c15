//! The last screens of panes, as files in the state directory, so that a pane whose program was lost in a reboot still
//! shows what it showed. One thread writes them, since a disk may be slow.

mod directory;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use fugue_protocol::PaneId;
use fugue_screen::Screen;
use tokio::sync::oneshot;

use directory::ScreenDirectory;
pub(crate) use directory::load;

/// The most bytes of one screen: a screen of usual size and some thousand lines of history.
pub(crate) const SCREEN_BYTES: usize = 256 << 10;

/// Orders that may be queued; with a screen each, 16 MiB. When the queue is full, the disk is slow: screens are saved
/// again later, and files that could not be removed are removed by the next daemon.
const QUEUE: usize = 64;

/// How long the daemon waits at its end for the files to be written or removed.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// An order to the thread.
enum ScreenOrder {
    Save {
        pane: PaneId,
        screen: Vec<u8>,
    },
    Remove(PaneId),
    /// Remove all files but those of these panes.
    Retain(BTreeSet<PaneId>),
    /// Report that all orders before this one are carried out.
    Report(oneshot::Sender<()>),
}

/// A handle with which screens are saved and removed.
#[derive(Clone)]
pub(crate) struct LastScreens {
    orders: SyncSender<ScreenOrder>,
    is_on: Arc<AtomicBool>,
    /// Whether all files are to be removed. Not an order, since the queue may be full.
    is_cleared: Arc<AtomicBool>,
}

impl LastScreens {
    /// Starts the thread for the files in the state directory.
    pub(crate) fn start(state: &Path, is_on: bool) -> Result<Self, String> {
        let (orders, receiver) = sync_channel(QUEUE);
        let directory = ScreenDirectory::open(state);
        let (is_on, is_cleared) = (Arc::new(AtomicBool::new(is_on)), Arc::new(AtomicBool::new(false)));
        let screens = Self { orders, is_on: Arc::clone(&is_on), is_cleared: Arc::clone(&is_cleared) };
        let serve = move || serve(directory, &receiver, &is_on, &is_cleared);
        std::thread::Builder::new().name("screens".into()).spawn(serve).map_err(|why| why.to_string())?;
        Ok(screens)
    }

    /// Saves a pane's screen. Returns whether the thread took it; a screen that is not to be saved counts as taken.
    pub(crate) fn save(&self, pane: PaneId, screen: &Screen) -> bool {
        if !self.is_on.load(Ordering::Relaxed) {
            return true;
        }
        let Some(screen) = screen.snapshot_tail(SCREEN_BYTES) else { return true };
        self.orders.try_send(ScreenOrder::Save { pane, screen }).is_ok()
    }

    /// Removes the file of a pane that is gone.
    pub(crate) fn remove(&self, pane: PaneId) {
        let _ = self.orders.try_send(ScreenOrder::Remove(pane));
    }

    /// Removes the files of all panes but these.
    pub(crate) fn retain(&self, panes: BTreeSet<PaneId>) {
        let _ = self.orders.try_send(ScreenOrder::Retain(panes));
    }

    /// Turns saving on or off. When it is turned off, all files are removed.
    pub(crate) fn set_on(&self, is_on: bool) {
        if self.is_on.swap(is_on, Ordering::SeqCst) && !is_on {
            self.clear();
        }
    }

    /// Removes all files for good: the sessions end.
    pub(crate) async fn remove_all(&self) {
        self.set_on(false);
        self.clear();
        self.drained().await;
    }

    /// Removes all files, after the order that is being carried out.
    fn clear(&self) {
        self.is_cleared.store(true, Ordering::SeqCst);
        // If the queue is full, the thread does it after the next order.
        let _ = self.orders.try_send(ScreenOrder::Retain(BTreeSet::new()));
    }

    /// Waits until all orders so far are carried out, unless the disk takes too long.
    pub(crate) async fn drained(&self) {
        let (done, is_done) = oneshot::channel();
        let orders = self.orders.clone();
        let report = tokio::task::spawn_blocking(move || orders.send(ScreenOrder::Report(done)));
        let _ = tokio::time::timeout(END_TIMEOUT, async { (report.await, is_done.await) }).await;
    }
}

fn serve(
    mut directory: ScreenDirectory,
    orders: &Receiver<ScreenOrder>,
    is_on: &AtomicBool,
    is_cleared: &AtomicBool,
) {
    for order in orders {
        if is_cleared.swap(false, Ordering::SeqCst) {
            directory.retain(&BTreeSet::new());
        }
        match order {
            // It was queued before saving was turned off.
            ScreenOrder::Save { .. } if !is_on.load(Ordering::SeqCst) => {}
            ScreenOrder::Save { pane, screen } => {
                if let Err(why) = directory.save(pane, &screen) {
                    tracing::warn!("Cannot save the screen of pane {pane}: {why}");
                }
            }
            ScreenOrder::Remove(pane) => directory.remove(pane),
            ScreenOrder::Retain(panes) => directory.retain(&panes),
            ScreenOrder::Report(done) => drop(done.send(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_takes_no_screen_and_nothing_waits() {
        let (orders, receiver) = sync_channel(1);
        let (is_on, is_cleared) = (Arc::new(AtomicBool::new(true)), Arc::default());
        let screens = LastScreens { orders, is_on, is_cleared };
        let screen = Screen::new(fugue_screen::Size { cols: 10, rows: 3 }, fugue_screen::Limits::default());
        let pane = PaneId::from_bytes([1; 16]);
        assert!(screens.save(pane, &screen));
        assert!(!screens.save(pane, &screen), "the queue is full");
        assert!(receiver.try_recv().is_ok());
        assert!(screens.save(pane, &screen));
        screens.set_on(false);
        assert!(screens.save(pane, &screen), "nothing to do");
        assert!(matches!(receiver.try_recv(), Ok(ScreenOrder::Save { .. })));
        assert!(receiver.try_recv().is_err());
    }

    #[test]
    fn no_screen_is_left_when_saving_is_turned_off_while_the_queue_is_full() {
        let state = tempfile::tempdir().expect("a directory");
        let mut directory = ScreenDirectory::open(state.path());
        let [saved, queued] = [1, 2].map(|number| PaneId::from_bytes([number; 16]));
        directory.save(saved, b"screen").expect("saved");
        let (orders, receiver) = sync_channel(1);
        let (is_on, is_cleared) = (Arc::new(AtomicBool::new(true)), Arc::default());
        let screens = LastScreens { orders, is_on: Arc::clone(&is_on), is_cleared: Arc::clone(&is_cleared) };
        screens.orders.send(ScreenOrder::Save { pane: queued, screen: b"screen".to_vec() }).expect("room");
        screens.set_on(false);
        drop(screens);
        serve(directory, &receiver, &is_on, &is_cleared);
        assert!(!state.path().join("screens").exists());
    }
}
