//! Packing a pane's history more tightly once it has been quiet for a while. A quiet pane costs no wake-up after that.

use std::time::{Duration, Instant};

use fugue_screen::Screen;

/// Quiet for so long: whoever wrote is probably done.
const QUIET: Duration = Duration::from_secs(2);

/// Less new output than this is not worth a wake-up.
const WORTH: u64 = 64 << 10;

/// How far the history is packed.
#[derive(Default)]
pub(super) struct Tidying {
    packed: u64,
}

impl Tidying {
    /// When there is something to pack, if the pane was last written to at `written`, up to `offset`.
    pub(super) fn due(&self, written: Instant, offset: u64) -> Option<Instant> {
        (offset.saturating_sub(self.packed) >= WORTH).then(|| written + QUIET)
    }

    /// Packs, if it is time, and says whether it did.
    pub(super) fn tidy(&mut self, screen: &mut Screen, written: Instant, offset: u64, now: Instant) -> bool {
        let is_due = self.due(written, offset).is_some_and(|due| due <= now);
        if is_due {
            screen.compact();
            self.packed = offset;
        }
        is_due
    }
}
