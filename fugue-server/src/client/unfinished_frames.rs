//! Frames of which only a part has arrived: each must make progress, and together they are bounded.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use fugue_protocol::Refusal;
use fugue_protocol::refusal::Quota;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// The memory for unfinished frames of all connections: sixteen of the largest requests at once. Beyond it the frame
/// that was begun first is refused: an honest one takes milliseconds, so the oldest is the one that is stuck.
const MAX_BYTES: usize = 64 << 20;

/// Frames up to this size are not counted: they arrive in one read or two, and all connections together hold less of
/// them than `MAX_BYTES`.
const UNCOUNTED_BYTES: usize = 16 << 10;

/// The time in which more of a frame must arrive. A client writes a frame at once, but its line may stall: ssh gives up one
/// that is silent for twenty seconds (`ServerAliveInterval`), and what comes later is from a client that is stopped or
/// hostile.
const STALL_TIMEOUT: Duration = Duration::from_secs(25);

/// The unfinished frames of all connections.
#[derive(Clone, Default)]
pub(crate) struct UnfinishedFrames(Rc<RefCell<Frames>>);

#[derive(Default)]
struct Frames {
    next: u64,
    bytes: usize,
    /// By number, the one that was begun first comes first.
    counted: BTreeMap<u64, CountedFrame>,
}

struct CountedFrame {
    bytes: usize,
    refuse: oneshot::Sender<()>,
}

/// A frame of which a part has arrived.
pub(super) struct UnfinishedFrame {
    frames: UnfinishedFrames,
    /// When its last part arrived.
    progress: Instant,
    /// Its number and the receiver of a refusal, once it is large enough to be counted.
    counted: Option<(u64, oneshot::Receiver<()>)>,
}

impl UnfinishedFrames {
    /// Begins a frame.
    pub(super) fn begin(&self) -> UnfinishedFrame {
        UnfinishedFrame { frames: self.clone(), progress: Instant::now(), counted: None }
    }
}

impl Frames {
    fn add(&mut self) -> (u64, oneshot::Receiver<()>) {
        let (refuse, refused) = oneshot::channel();
        self.next += 1;
        self.counted.insert(self.next, CountedFrame { bytes: 0, refuse });
        (self.next, refused)
    }

    fn set(&mut self, number: u64, bytes: usize) {
        let Some(frame) = self.counted.get_mut(&number) else { return };
        self.bytes = self.bytes - frame.bytes + bytes;
        frame.bytes = bytes;
        while self.bytes > MAX_BYTES
            && let Some((_, oldest)) = self.counted.pop_first()
        {
            self.bytes -= oldest.bytes;
            let _ = oldest.refuse.send(());
        }
    }

    fn remove(&mut self, number: u64) {
        if let Some(frame) = self.counted.remove(&number) {
            self.bytes -= frame.bytes;
        }
    }
}

impl UnfinishedFrame {
    /// Records that a part of it arrived, and how many bytes have by now.
    pub(super) fn arrived(&mut self, bytes: usize) {
        self.progress = Instant::now();
        if bytes > UNCOUNTED_BYTES {
            let mut frames = self.frames.0.borrow_mut();
            let (number, _) = self.counted.get_or_insert_with(|| frames.add());
            frames.set(*number, bytes);
        }
    }

    fn deadline(&self) -> Instant {
        self.progress + STALL_TIMEOUT
    }

    /// Resolves with a refusal when no more of the frame arrives or its memory is needed. `announced` is its whole size.
    pub(super) async fn refused(&mut self, arrived: usize, announced: usize) -> Refusal {
        let deadline = self.deadline();
        match &mut self.counted {
            None => tokio::time::sleep_until(deadline).await,
            Some((_, refused)) => tokio::select! {
                () = tokio::time::sleep_until(deadline) => {}
                _ = refused => return Refusal::TooMany { what: Quota::UnfinishedBytes, limit: MAX_BYTES },
            },
        }
        Refusal::RequestIncomplete { arrived, announced }
    }
}

impl Drop for UnfinishedFrame {
    fn drop(&mut self) {
        if let Some((number, _)) = self.counted {
            self.frames.0.borrow_mut().remove(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_bound_the_frame_that_was_begun_first_is_refused() {
        let frames = UnfinishedFrames::default();
        let mut begun: Vec<_> = (0..17).map(|_| frames.begin()).collect();
        begun[..16].iter_mut().for_each(|frame| frame.arrived(4 << 20));
        let is_refused = |frame: &mut UnfinishedFrame| {
            frame.counted.as_mut().is_some_and(|(_, refused)| refused.try_recv().is_ok())
        };
        assert!(!begun.iter_mut().any(is_refused), "all of them fit exactly");
        begun[16].arrived(UNCOUNTED_BYTES + 1);
        assert_eq!(begun.iter_mut().position(is_refused), Some(0));
        assert_eq!(frames.0.borrow().bytes, 15 * (4 << 20) + UNCOUNTED_BYTES + 1);
        drop(begun);
        assert_eq!((frames.0.borrow().bytes, frames.0.borrow().counted.len()), (0, 0));
    }

    #[test]
    fn a_small_frame_is_not_counted() {
        let frames = UnfinishedFrames::default();
        let mut small = frames.begin();
        small.arrived(UNCOUNTED_BYTES);
        assert!(frames.0.borrow().counted.is_empty());
    }

    #[test]
    fn a_frame_has_time_as_long_as_more_of_it_arrives() {
        let mut frame = UnfinishedFrames::default().begin();
        for arrived in 1..=10 {
            let before = frame.deadline();
            while frame.progress == Instant::now() {}
            frame.arrived(arrived);
            assert!(frame.deadline() > before, "{arrived}");
        }
    }
}
