//! The bytes of images, counted over all screens of a process, so that many panes together stay bounded.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes of the images of all screens: room for the images of many panes, and less than two panes' history.
const TOTAL_BYTES: usize = 64 << 20;

/// The bytes that are in use.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Bytes that count toward the total until they are dropped.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CountedBytes(Vec<u8>);

impl CountedBytes {
    /// Appends bytes. Returns whether there was room for them.
    pub(crate) fn extend(&mut self, bytes: &[u8]) -> bool {
        let reserve = |used: usize| used.checked_add(bytes.len()).filter(|used| *used <= TOTAL_BYTES);
        let reserved = USED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, reserve).is_ok();
        if reserved {
            self.0.extend_from_slice(bytes);
        }
        reserved
    }

    /// Frees what the buffer has grown to beyond its content.
    pub(crate) fn complete(mut self) -> Self {
        self.0.shrink_to_fit();
        self
    }
}

impl Deref for CountedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A copy without room is empty.
impl Clone for CountedBytes {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.extend(&self.0);
        copy
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        USED.fetch_sub(self.0.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_beyond_the_total_are_refused_until_others_are_dropped() {
        let half = vec![0; TOTAL_BYTES / 2];
        let (mut first, mut second) = (CountedBytes::default(), CountedBytes::default());
        assert!(first.extend(&half) && second.extend(&half[..half.len() - (1 << 20)]));
        assert!(!second.extend(&half), "there is no room");
        assert_eq!(second.len(), half.len() - (1 << 20), "nothing was added");
        drop(first);
        assert!(second.extend(&half));
    }
}
