//! Synchronized updates (mode 2026): output of an update that is not complete is held back from the screen, so that nobody
//! who reads the screen, in whatever way, sees half of one. The bytes stay safe in the segment meanwhile.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use fugue_screen::Screen;
use memchr::memmem::Finder;

/// How long an update may take; then it is shown as it is. A program that hangs cannot freeze its pane.
const LIMIT: Duration = Duration::from_millis(150);

/// `CSI ? 2026`, which is followed by `h` or `l`.
const MODE: &[u8] = b"\x1b[?2026";

/// Searches for `MODE`. Building a finder takes longer than searching what a key echoes.
static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MODE));

/// The synchronized update of a pane, if there is one.
#[derive(Default)]
pub(crate) struct SyncUpdates {
    /// Since when output is held back from the screen.
    held_since: Option<Instant>,
    /// Since when an update is open on the screen itself, because it was too long to be held back.
    open_since: Option<Instant>,
    /// Whether the program has ended, so that no update will be completed.
    is_ended: bool,
}

impl SyncUpdates {
    /// Returns how much of the output may be shown: all of it if an update takes too long or does not fit.
    pub(crate) fn complete_part(&mut self, bytes: &[u8], room: usize, now: Instant) -> usize {
        let complete = before_open_update(bytes);
        if self.is_ended || complete == bytes.len() {
            self.held_since = None;
            return bytes.len();
        }
        if complete > 0 {
            self.held_since = Some(now);
            return complete;
        }
        let since = *self.held_since.get_or_insert(now);
        if bytes.len() < room && now < since + LIMIT {
            return 0;
        }
        self.held_since = None;
        bytes.len()
    }

    /// The program has ended: an incomplete update is shown as it is.
    pub(crate) fn program_ended(&mut self) {
        self.is_ended = true;
    }

    /// Whether output has been held back for too long.
    pub(crate) fn is_held_due(&self, now: Instant) -> bool {
        self.held_since.is_some_and(|since| since + LIMIT <= now)
    }

    /// Ends an update that has been open on the screen for too long.
    pub(crate) fn expire(&mut self, screen: &mut Screen, now: Instant) {
        self.open_since = screen.sync_since().map(|_| self.open_since.unwrap_or(now));
        if self.open_since.is_some_and(|since| since + LIMIT <= now) {
            screen.end_sync();
            self.open_since = None;
        }
    }

    /// Whether an update is open on the screen, so that subscribers must not be notified.
    pub(crate) fn is_open(&self) -> bool {
        self.open_since.is_some()
    }

    /// Returns when an update must be shown though nothing more has come.
    pub(crate) fn due(&self) -> Option<Instant> {
        [self.held_since, self.open_since].into_iter().flatten().min().map(|since| since + LIMIT)
    }
}

/// Returns the length of the output before an update that begins in these bytes and does not end in them.
fn before_open_update(bytes: &[u8]) -> usize {
    let mut open = None;
    for at in FINDER.find_iter(bytes) {
        match bytes.get(at + MODE.len()) {
            Some(b'h') => open = open.or(Some(at)),
            Some(b'l') => open = None,
            _ => {}
        }
    }
    open.unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_before_an_open_update_is_complete() {
        for (bytes, complete) in [
            (&b"plain"[..], 5),
            (b"", 0),
            (b"a\x1b[?2026hb", 1),
            (b"a\x1b[?2026hb\x1b[?2026lc", 19),
            (b"a\x1b[?2026hb\x1b[?2026l\x1b[?2026hc", 18),
            (b"\x1b[?2026l", 8),
            (b"\x1b[?2026h\x1b[?2026h", 0),
            (b"a\x1b[?2026", 8),
        ] {
            assert_eq!(before_open_update(bytes), complete, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn an_update_is_held_back_until_it_ends_or_takes_too_long_or_is_too_large() {
        let (mut sync, begin) = (SyncUpdates::default(), Instant::now());
        assert_eq!(sync.complete_part(b"a\x1b[?2026hb", 100, begin), 1);
        assert_eq!((sync.complete_part(b"\x1b[?2026hb", 100, begin), sync.due()), (0, Some(begin + LIMIT)));
        assert!(!sync.is_held_due(begin));
        assert!(sync.is_held_due(begin + LIMIT));
        assert_eq!(sync.complete_part(b"\x1b[?2026hb", 100, begin + LIMIT), 9);
        assert_eq!(sync.due(), None);
        assert_eq!(sync.complete_part(b"\x1b[?2026hb", 9, begin), 9);
        sync.program_ended();
        assert_eq!(sync.complete_part(b"\x1b[?2026hb", 100, begin), 9);
    }
}
