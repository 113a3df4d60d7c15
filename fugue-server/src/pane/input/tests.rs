use std::sync::Arc;
use std::time::Duration;

use fugue_screen::{Limits, Screen, Size};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};

use super::*;
use crate::reply::{Outbox, Outgoing};

/// A terminal with somebody who types into it.
struct Desk {
    input: Input,
    screen: Screen,
    outbox: Outbox,
    answers: mpsc::Receiver<Outgoing>,
    begun: Instant,
}

impl Desk {
    fn new() -> Self {
        let (outbox, answers, _) = Outbox::new(64);
        let screen = Screen::new(Size { cols: 40, rows: 5 }, Limits::default());
        let input = Input::new(PaneId::from_bytes([0; 16]));
        Self { input, screen, outbox, answers, begun: Instant::now() }
    }

    fn later(&self, text: &str, submit: bool) -> Later {
        let place = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("a place");
        let typing = TypeRequest { text: text.to_owned(), keys: Vec::new(), submit, by_agent: true };
        Later { typing, cursor: String::new(), reply: Reply::new(self.outbox.clone(), 1, place) }
    }

    /// An agent types.
    fn types(&mut self, text: &str, submit: bool) {
        let later = self.later(text, submit);
        let (pane, now) = (self.input.pane, self.begun);
        let sight = Sight { pane, screen: &self.screen, mood: None, held: None, written: now, now };
        self.input.type_in(later, sight, false);
    }

    /// So much time passes; a person may have the keyboard.
    fn passes(&mut self, after: Duration, held: Option<u64>) {
        let (pane, written, now) = (self.input.pane, self.begun, self.begun + after);
        let sight = Sight { pane, screen: &self.screen, mood: None, held, written, now };
        self.input.press(sight, false);
    }

    /// The next answer.
    fn told(&mut self) -> Option<Value> {
        let frame = self.answers.try_recv().ok()?.bytes;
        let words = frame.iter().position(|byte| *byte == b'{').map(|begin| &frame[begin..]);
        words.and_then(|words| serde_json::from_slice(words).ok())
    }

    fn typed(&mut self) -> String {
        String::from_utf8_lossy(self.input.unread.text()).into_owned()
    }
}

#[test]
fn enter_is_pressed_when_the_screen_is_quiet_and_not_while_a_person_types() {
    let quiet = Duration::from_millis(200);
    let mut desk = Desk::new();
    desk.types("agent's", true);
    desk.passes(quiet, None);
    assert_eq!(desk.typed(), "agent's\r");
    let mut desk = Desk::new();
    desk.types("agent's", true);
    desk.input.typed(b"person's", None).expect("there is room");
    desk.passes(quiet, Some(2_800));
    assert_eq!(desk.typed(), "agent'sperson's", "what the person has begun is not sent off");
    let told = desk.told().expect("an answer");
    assert!(told.to_string().contains("\"submit\":\"pending\""), "{told}");
}

#[test]
fn what_waits_behind_a_submit_is_bounded() {
    let mut desk = Desk::new();
    desk.types("x", true);
    let most = UNREAD - 1 - BESIDES;
    desk.types(&"y".repeat(most), false);
    assert_eq!(desk.told(), None, "it fits, and waits");
    desk.types("", false);
    let told = desk.told().expect("an answer");
    assert!(told.to_string().contains("input_full"), "{told}");
}

#[test]
fn what_a_person_types_ends_where_there_is_no_room_and_has_no_holes() {
    let mut input = Desk::new().input;
    input.typed(&vec![b'a'; UNREAD - 1], None).expect("there is room");
    input.typed(b"bc", None).expect_err("a byte too much");
    input.typed(b"d", None).expect_err("it would fit, but something is missing before it");
    input.discard();
    input.typed(b"e", None).expect("all was read");
    assert_eq!(input.unread.text(), b"e");
    input.typed(&vec![b'f'; UNREAD - 1], None).expect("as much as may wait");
    input.typed(b"g", None).expect_err("no more");
}
