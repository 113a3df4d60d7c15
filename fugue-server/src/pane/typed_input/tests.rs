use std::sync::Arc;
use std::time::Duration;

use fugue_screen::{Limits, Screen, Size};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};

use super::*;
use crate::pane::typing_request::REQUEST_BYTES;
use crate::reply::{Outbox, OutgoingFrame};
use crate::unwritten_replies::UnwrittenBytes;

/// A terminal into which an agent and a person type.
struct TypingTest {
    input: TypedInput,
    screen: Screen,
    outbox: Outbox,
    replies: mpsc::Receiver<OutgoingFrame>,
    started: Instant,
}

impl TypingTest {
    fn new() -> Self {
        let (outbox, replies) = Outbox::new(64, UnwrittenBytes::of_person());
        let screen = Screen::new(Size { cols: 40, rows: 5 }, Limits::default());
        let input = TypedInput::for_test(PaneId::from_bytes([0; 16]));
        Self { input, screen, outbox, replies, started: Instant::now() }
    }

    fn request(&self, text: &str, submit: bool) -> TypingRequest {
        let slot = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("a slot");
        let typing = TypeRequest {
            text: text.to_owned(),
            keys: Vec::new(),
            submit,
            by_agent: true,
            may_answer: false,
            key: None,
        };
        TypingRequest { typing, cursor: String::new(), reply: Reply::new(self.outbox.clone(), 1, slot) }
    }

    fn agent_types(&mut self, text: &str, submit: bool) -> bool {
        let request = self.request(text, submit);
        self.type_text(request)
    }

    fn type_text(&mut self, request: TypingRequest) -> bool {
        let facts = PaneFacts::for_test(&self.screen, self.started);
        self.input.type_text(request, facts, false)
    }

    /// Lets this much time pass, while a person may have the keyboard.
    fn wait(&mut self, after: Duration, locked_ms: Option<u64>) {
        let facts = PaneFacts {
            locked_ms,
            now: self.started + after,
            ..PaneFacts::for_test(&self.screen, self.started)
        };
        self.input.advance(facts, false);
    }

    /// A person types. Returns whether there was room.
    fn person_types(&mut self, keys: &[u8]) -> Result<(), Refusal> {
        let facts = PaneFacts::for_test(&self.screen, self.started);
        self.input.keys(keys, None, facts)
    }

    fn next_reply(&mut self) -> Option<Value> {
        let frame = self.replies.try_recv().ok()?.bytes;
        let json = frame.iter().position(|byte| *byte == b'{').map(|begin| &frame[begin..]);
        json.and_then(|json| serde_json::from_slice(json).ok())
    }

    fn typed(&mut self) -> String {
        String::from_utf8_lossy(self.input.text()).into_owned()
    }
}

#[test]
fn enter_is_pressed_when_the_screen_is_quiet_but_not_while_a_person_types() {
    let quiet = Duration::from_millis(200);
    let mut terminal = TypingTest::new();
    terminal.agent_types("agent's", true);
    terminal.wait(quiet, None);
    assert_eq!(terminal.typed(), "agent's\r");
    let mut terminal = TypingTest::new();
    terminal.agent_types("agent's", true);
    terminal.person_types(b"person's").expect("there is room");
    terminal.wait(quiet, Some(2_800));
    assert_eq!(terminal.typed(), "agent'sperson's", "the person's text is not submitted");
    let reply = terminal.next_reply().expect("a reply");
    assert!(reply.to_string().contains("\"submit\":\"pending\""), "{reply}");
}

#[test]
fn requests_that_wait_behind_a_submitted_text_are_bounded() {
    let mut terminal = TypingTest::new();
    terminal.agent_types("x", true);
    let most = MAX_UNREAD - 1 - REQUEST_BYTES;
    terminal.agent_types(&"y".repeat(most), false);
    assert_eq!(terminal.next_reply(), None, "it fits, and waits");
    terminal.agent_types("", false);
    let reply = terminal.next_reply().expect("a reply");
    assert!(reply.to_string().contains("input_full"), "{reply}");
}

#[test]
fn a_request_whose_key_is_unknown_is_refused_at_once_and_does_not_count_as_typed() {
    for is_behind in [false, true] {
        let mut terminal = TypingTest::new();
        if is_behind {
            assert!(terminal.agent_types("x", true), "it is being submitted");
        }
        let mut request = terminal.request("", false);
        request.typing.keys = vec!["Foo".into()];
        assert!(!terminal.type_text(request));
        let reply = terminal.next_reply().expect("a reply");
        assert!(reply.to_string().contains("bad_key"), "{reply}");
    }
}

#[test]
fn a_request_that_waits_behind_a_notification_is_refused_when_the_program_ends() {
    let mut terminal = TypingTest::new();
    let facts = PaneFacts::for_test(&terminal.screen, terminal.started);
    assert!(terminal.input.type_notification("news", facts));
    assert!(terminal.agent_types("x", false), "it waits");
    terminal.input.end_submits(ExitStatus::Code(0));
    let reply = terminal.next_reply().expect("a reply");
    assert!(reply.to_string().contains("pane_ended"), "{reply}");
}

#[test]
fn user_input_stops_when_the_queue_is_full_and_has_no_gaps() {
    let mut terminal = TypingTest::new();
    terminal.person_types(&vec![b'a'; MAX_UNREAD - 1]).expect("there is room");
    terminal.person_types(b"bc").expect_err("one byte too many");
    terminal.person_types(b"d").expect_err("it would fit, but would leave a gap");
    terminal.input.discard();
    terminal.person_types(b"e").expect("everything was read");
    assert_eq!(terminal.input.text(), b"e");
    terminal.person_types(&vec![b'f'; MAX_UNREAD - 1]).expect("it fits exactly");
    terminal.person_types(b"g").expect_err("there is no room");
}

#[test]
fn a_command_for_a_program_that_reads_nothing_is_refused_and_not_typed() {
    let mut terminal = TypingTest::new();
    terminal.person_types(&vec![b'a'; MAX_UNREAD - 1]).expect("there is room");
    let typed = terminal.input.type_command(b"ls\r", InputIntent::default());
    let refused = typed.err().expect("no room");
    assert!(matches!(refused, Refusal::InputFull { waiting, .. } if waiting == MAX_UNREAD - 1), "{refused}");
    assert_eq!(terminal.input.text().len(), MAX_UNREAD - 1);
}
