//! Synchronized updates (mode 2026): what belongs to an update that is not over is held back from the screen, so that
//! whoever reads it, and however, never sees half of one. The bytes are safe in the segment meanwhile.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use memchr::memmem::Finder;

/// An update that takes longer is shown as it is: a program that is stuck cannot freeze its pane.
pub(super) const LIMIT: Duration = Duration::from_millis(150);

/// `CSI ? 2026`, before `h` or `l`.
const MODE: &[u8] = b"\x1b[?2026";

/// Looks for it; making one takes longer than to search what a key echoes.
static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(MODE));

/// An update that is held back.
#[derive(Default)]
pub(super) struct Held {
    since: Option<Instant>,
    /// Nothing more will come.
    over: bool,
}

impl Held {
    /// How much of what has come may be shown; all of it when the update takes too long or is too large to be held.
    pub(super) fn part(&mut self, bytes: &[u8], room: usize, now: Instant) -> usize {
        let whole = before_open_update(bytes);
        if self.over || whole == bytes.len() {
            self.since = None;
            return bytes.len();
        }
        if whole > 0 {
            self.since = Some(now);
            return whole;
        }
        let since = *self.since.get_or_insert(now);
        if bytes.len() < room && now < since + LIMIT {
            return 0;
        }
        self.since = None;
        bytes.len()
    }

    /// The program has ended: what it left unfinished is shown as it is.
    pub(super) fn end(&mut self) {
        self.over = true;
    }

    /// When what is held must be shown though nothing more has come.
    pub(super) fn due(&self) -> Option<Instant> {
        self.since.map(|since| since + LIMIT)
    }
}

/// The length of what comes before an update that begins in these bytes and does not end in them.
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
    fn what_comes_before_an_open_update_is_whole() {
        for (bytes, whole) in [
            (&b"plain"[..], 5),
            (b"", 0),
            (b"a\x1b[?2026hb", 1),
            (b"a\x1b[?2026hb\x1b[?2026lc", 19),
            (b"a\x1b[?2026hb\x1b[?2026l\x1b[?2026hc", 18),
            (b"\x1b[?2026l", 8),
            (b"\x1b[?2026h\x1b[?2026h", 0),
            (b"a\x1b[?2026", 8),
        ] {
            assert_eq!(before_open_update(bytes), whole, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn an_update_is_held_until_it_ends_or_takes_too_long_or_is_too_large() {
        let (mut held, begin) = (Held::default(), Instant::now());
        assert_eq!(held.part(b"a\x1b[?2026hb", 100, begin), 1);
        assert_eq!((held.part(b"\x1b[?2026hb", 100, begin), held.due()), (0, Some(begin + LIMIT)));
        assert_eq!(held.part(b"\x1b[?2026hb", 100, begin + LIMIT), 9);
        assert_eq!(held.due(), None);
        assert_eq!(held.part(b"\x1b[?2026hb", 9, begin), 9);
        held.end();
        assert_eq!(held.part(b"\x1b[?2026hb", 100, begin), 9);
    }
}
