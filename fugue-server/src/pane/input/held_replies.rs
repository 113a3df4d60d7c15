//! Replies to graphics queries that wait for the program. `kitten icat` and others ask before they turn off echo, which
//! discards the input that came before: a reply that comes at once is echoed as text and lost. kitty itself needs some
//! milliseconds for a reply; here it waits until the terminal has no echo.

use std::time::{Duration, Instant};

/// How often the terminal's modes are looked at, since nothing announces their change. As long as kitty's own delay.
const LOOK: Duration = Duration::from_millis(3);

/// The longest wait: a program that takes longer than this does not expect replies without echo.
const LONGEST: Duration = Duration::from_millis(500);

/// The most bytes that wait, as many as one turn of output may ask for. With more, all are sent.
const MOST: usize = 16 << 10;

/// How the replies to the graphics protocol begin.
const GRAPHICS: &[u8] = b"\x1b_G";

/// Replies that wait. Few panes have any at a time, so they are boxed.
#[derive(Default)]
pub(crate) struct HeldReplies(Option<Box<Held>>);

struct Held {
    bytes: Vec<u8>,
    until: Instant,
    look_at: Instant,
}

impl HeldReplies {
    /// Returns the replies that are to be sent now: these and those that wait, in their order, or none while the terminal
    /// echoes what is sent to it.
    pub(crate) fn pass(&mut self, replies: Vec<u8>, now: Instant, echoes: impl FnOnce() -> bool) -> Vec<u8> {
        let Some(held) = &mut self.0 else {
            let asks_for_graphics = replies.windows(GRAPHICS.len()).any(|part| part == GRAPHICS);
            if !asks_for_graphics || !echoes() {
                return replies;
            }
            self.0 = Some(Box::new(Held { bytes: replies, until: now + LONGEST, look_at: now + LOOK }));
            return Vec::new();
        };
        held.bytes.extend(replies);
        if now < held.look_at && held.bytes.len() <= MOST {
            return Vec::new();
        }
        if now < held.until && held.bytes.len() <= MOST && echoes() {
            held.look_at = (now + LOOK).min(held.until);
            return Vec::new();
        }
        self.0.take().map(|held| held.bytes).unwrap_or_default()
    }

    /// When to look at the terminal again.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.0.as_ref().map(|held| held.look_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: &[u8] = b"\x1b_Gi=1;OK\x1b\\";

    #[test]
    fn a_graphics_reply_waits_until_the_terminal_has_no_echo() {
        let (mut held, now) = (HeldReplies::default(), Instant::now());
        assert!(held.pass(REPLY.to_vec(), now, || true).is_empty());
        assert_eq!(held.due(), Some(now + LOOK));
        assert!(
            held.pass(b"\x1b[?62c".to_vec(), now, || panic!("not yet")).is_empty(),
            "replies keep their order"
        );
        assert!(held.pass(Vec::new(), now + LOOK, || true).is_empty());
        assert_eq!(held.pass(Vec::new(), now + 2 * LOOK, || false), [REPLY, b"\x1b[?62c"].concat());
        assert_eq!(held.due(), None);
    }

    #[test]
    fn other_replies_and_those_without_echo_are_sent_at_once() {
        let (mut held, now) = (HeldReplies::default(), Instant::now());
        assert_eq!(held.pass(b"\x1b[1;1R".to_vec(), now, || panic!("it does not matter")), b"\x1b[1;1R");
        assert_eq!(held.pass(REPLY.to_vec(), now, || false), REPLY);
        assert!(held.pass(Vec::new(), now, || panic!("nothing waits")).is_empty());
    }

    #[test]
    fn replies_wait_for_a_limited_time_and_up_to_a_limited_size() {
        let (mut held, now) = (HeldReplies::default(), Instant::now());
        held.pass(REPLY.to_vec(), now, || true);
        assert!(held.pass(Vec::new(), now + LONGEST - LOOK, || true).is_empty());
        assert_eq!(held.pass(Vec::new(), now + LONGEST, || true), REPLY);
        held.pass(REPLY.to_vec(), now, || true);
        assert!(held.pass(vec![b'x'; MOST - REPLY.len()], now, || true).is_empty());
        assert_eq!(held.pass(vec![b'x'], now, || true).len(), MOST + 1);
    }
}
