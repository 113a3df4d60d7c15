//! Text that a program wants on the clipboard, until a person allows it.

use std::time::{Duration, Instant};

/// A person who presses the key this soon after another text took the place of the one that was shown has not read that.
const UNREAD: Duration = Duration::from_millis(500);

/// The text that a program wants on the clipboard.
#[derive(Debug)]
pub(crate) struct CopyOffer {
    pub(crate) text: String,
    /// The program, in words.
    pub(crate) program: String,
    /// When it took the place of another one.
    replaced_at: Option<Instant>,
}

impl CopyOffer {
    /// An offer in the place of the former one.
    pub(crate) fn new(text: String, program: String, former: Option<&Self>, now: Instant) -> Self {
        let is_same = former.is_some_and(|former| former.text == text && former.program == program);
        let replaced_at = if is_same { former.and_then(|former| former.replaced_at) } else { Some(now) };
        Self { text, program, replaced_at: replaced_at.filter(|_| former.is_some()) }
    }

    /// Whether a key that was pressed then is meant for this text.
    pub(crate) fn is_meant(&self, typed_at: Instant) -> bool {
        self.replaced_at.is_none_or(|at| typed_at >= at + UNREAD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_replaced_another_one_just_before_the_key_is_not_copied() {
        let now = Instant::now();
        let first = CopyOffer::new("ls".into(), "sh".into(), None, now);
        assert!(first.is_meant(now), "the only one");
        let second = CopyOffer::new("rm -r".into(), "other".into(), Some(&first), now);
        assert!(!second.is_meant(now) && second.is_meant(now + UNREAD));
        let again = CopyOffer::new("rm -r".into(), "other".into(), Some(&second), now + UNREAD);
        assert!(again.is_meant(now + UNREAD), "the same text was shown before");
    }
}
