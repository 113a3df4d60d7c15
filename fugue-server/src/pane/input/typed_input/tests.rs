use std::sync::Arc;
use std::time::Duration;

use fugue_core::agents::AgentSummary;
use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, Confidence};
use fugue_screen::{Limits, Screen, Size};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};

use super::*;
use crate::pane::input::typing_request::REQUEST_BYTES;
use crate::replies::reply::{FrameQueue, OutgoingFrame};
use crate::replies::unwritten_replies::UnwrittenBytes;

/// A terminal into which an agent and a person type.
struct TypingTest {
    input: TypedInput,
    screen: Screen,
    outbox: FrameQueue,
    replies: mpsc::Receiver<OutgoingFrame>,
    started: Instant,
    last_output: Instant,
    /// The agent that reads the terminal, and how many turns it has begun.
    agent: Option<AgentSummary>,
    turns: u64,
    reader: TerminalReader,
}

impl TypingTest {
    fn new() -> Self {
        let (outbox, replies) = FrameQueue::new(64, UnwrittenBytes::of_person());
        let screen = Screen::new(Size { cols: 40, rows: 5 }, Limits::default());
        let input = TypedInput::for_test(PaneId::from_bytes([0; 16]));
        let (started, agent, turns, reader) = (Instant::now(), None, 0, TerminalReader::Other);
        Self { input, screen, outbox, replies, started, last_output: started, agent, turns, reader }
    }

    /// A terminal with Claude Code at rest.
    fn with_claude() -> Self {
        let agent = Some(claude(AgentState::Idle));
        let mut this = Self { agent, reader: TerminalReader::Agent, ..Self::new() };
        this.shows(0, &field(""));
        this
    }

    /// The program draws this after so many milliseconds.
    fn shows(&mut self, after: u64, text: &str) {
        self.screen.feed(format!("\x1b[2J\x1b[H{text}").as_bytes());
        self.last_output = self.started + Duration::from_millis(after);
        self.at(after);
    }

    /// Lets time pass until so many milliseconds after the start.
    fn at(&mut self, after: u64) {
        self.wait(Duration::from_millis(after), None);
    }

    /// What the next reply says of the text.
    fn verdict(&mut self) -> Option<(String, String)> {
        let reply = self.next_reply()?.to_string();
        let value = |name: &str| {
            let rest = reply.split(&format!("\"{name}\":\"")).nth(1)?;
            rest.split('"').next().map(str::to_owned)
        };
        Some((value("submit").or_else(|| value("code"))?, value("evidence").unwrap_or_default()))
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
        let (agent, reader) = (self.agent, self.reader);
        let facts = PaneFacts { agent, ..PaneFacts::for_test(&self.screen, self.started) };
        self.input.type_text(request, facts, reader)
    }

    /// Lets this much time pass, while a person may have the keyboard.
    fn wait(&mut self, after: Duration, locked_ms: Option<u64>) {
        let (now, agent, turns, last_output) =
            (self.started + after, self.agent, self.turns, self.last_output);
        let screen = &self.screen;
        let facts =
            PaneFacts { now, agent, turns, last_output, locked_ms, ..PaneFacts::for_test(screen, now) };
        self.input.advance(facts, self.reader);
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

fn claude(state: AgentState) -> AgentSummary {
    let (since, sure) = (Timestamp::from_millis(1), Confidence::Certain);
    AgentSummary { name: Some("claude"), state, waits_for: None, since, sure }
}

/// Claude Code's input field.
fn field(text: &str) -> String {
    let rule = "─".repeat(24);
    format!("{rule}\r\n❯ {text}\r\n{rule}\r\n  ? for shortcuts")
}

const DIALOG: &str = "Do you want to proceed?\r\n❯ 1. Yes\r\n  2. No\r\n\r\nEsc to cancel";

fn said(submit: &str, evidence: &str) -> Option<(String, String)> {
    Some((submit.to_owned(), evidence.to_owned()))
}

#[test]
fn enter_waits_until_an_agents_field_shows_the_text_and_is_pressed_again_while_it_does() {
    let mut terminal = TypingTest::with_claude();
    terminal.agent_types("fix it", true);
    terminal.at(2_000);
    assert_eq!(terminal.typed(), "fix it", "the agent has not read it");
    terminal.shows(2_100, &field("fix it"));
    terminal.at(2_300);
    assert_eq!(terminal.typed(), "fix it\r");
    terminal.shows(2_500, &field("fix it\r\n  "));
    terminal.at(3_200);
    assert_eq!(terminal.typed(), "fix it\r", "it may not have drawn yet what it did");
    terminal.at(3_300);
    assert_eq!(terminal.typed(), "fix it\r\r", "it took Enter for a line break");
    assert_eq!(terminal.next_reply(), None);
    terminal.shows(3_400, &field(""));
    terminal.at(3_560);
    assert_eq!(terminal.verdict(), said("submitted", "field_cleared"));
}

#[test]
fn a_long_prompt_is_pasted_in_parts_that_an_agent_takes_for_the_users_words() {
    let lines: Vec<_> = (1..=5).map(|line| format!("line {line}")).collect();
    let mut typing = TypingTest::with_claude();
    typing.screen.feed(b"\x1b[?2004h");
    assert!(typing.agent_types(&lines.join("\n"), true));
    let part = |text: &str| format!("\x1b[200~{text}\x1b[201~");
    let parts = [part("line 1\rline 2\r"), part("line 3\rline 4\r"), part("line 5")];
    assert_eq!(typing.typed(), parts.concat());
    let mut other = TypingTest::new();
    other.screen.feed(b"\x1b[?2004h");
    assert!(other.agent_types(&lines.join("\n"), true));
    assert_eq!(other.typed(), part(&lines.join("\r")), "a program of which nothing is known");
}

#[test]
fn enter_is_not_pressed_again_while_an_agent_draws_nothing() {
    let mut terminal = TypingTest::with_claude();
    terminal.agent_types("fix it", true);
    terminal.shows(100, &field("fix it"));
    terminal.at(300);
    for time in (500..=8_000).step_by(500) {
        terminal.at(time);
    }
    assert_eq!(terminal.typed(), "fix it\r", "it may not have read the first one");
    terminal.shows(8_100, &field("fix it"));
    terminal.at(8_800);
    assert_eq!(terminal.typed(), "fix it\r", "it reads now");
    terminal.shows(8_850, "thinking");
    terminal.turns = 1;
    terminal.at(9_100);
    assert_eq!(terminal.verdict(), said("submitted", "turn_began"));
}

#[test]
fn a_turn_that_begins_shows_that_an_agent_took_a_text_unless_the_text_is_still_there() {
    let mut terminal = TypingTest::with_claude();
    terminal.agent_types("fix it", true);
    terminal.shows(100, &field("fix it"));
    terminal.at(300);
    terminal.turns = 1;
    terminal.at(400);
    assert_eq!(terminal.next_reply(), None, "it is another turn");
    terminal.shows(500, "thinking");
    assert_eq!(terminal.next_reply(), None);
    terminal.turns = 2;
    terminal.at(600);
    assert_eq!(terminal.verdict(), said("submitted", "turn_began"));
}

#[test]
fn enter_is_not_pressed_again_in_a_dialog_or_after_a_person_typed() {
    let mut terminal = TypingTest::with_claude();
    terminal.agent_types("fix it", true);
    terminal.shows(100, &field("fix it"));
    terminal.at(300);
    terminal.shows(500, DIALOG);
    terminal.at(5_000);
    assert_eq!(terminal.typed(), "fix it\r");
    assert_eq!(terminal.verdict(), said("blocked", "dialog_opened"));
    for (typed_at, typed) in [(200, "fix itdraft"), (400, "fix it\rdraft")] {
        let mut terminal = TypingTest::with_claude();
        terminal.agent_types("fix it", true);
        terminal.shows(100, &field("fix it"));
        terminal.at(typed_at);
        terminal.at(typed_at + 1);
        terminal.person_types(b"draft").expect("there is room");
        terminal.shows(typed_at + 100, &field("fix itdraft"));
        terminal.at(5_000);
        terminal.at(15_000);
        assert_eq!(terminal.typed(), typed);
        assert_eq!(terminal.verdict(), said("pending", "person_typed"));
    }
}

#[test]
fn nothing_is_added_to_a_text_that_an_agent_did_not_take() {
    let mut terminal = TypingTest::with_claude();
    terminal.agent_types("fix it", true);
    terminal.shows(100, &field("fix it"));
    for after in (1..16).map(|second| second * 1_000) {
        terminal.at(after);
        terminal.shows(after + 10, &field("fix it"));
    }
    assert_eq!(terminal.typed(), format!("fix it{}", "\r".repeat(4)), "there is a limit");
    assert_eq!(terminal.verdict(), said("pending", "text_in_field"));
    terminal.agent_types("and that", true);
    assert_eq!(terminal.verdict().map(|(code, _)| code), Some("unsubmitted".into()));
    terminal.agent_types("", true);
    assert_eq!(terminal.typed().matches('\r').count(), 5, "keys are no text");
    terminal.next_reply();
    terminal.shows(20_000, &field(""));
    assert!(terminal.agent_types("and that", true));
    assert!(terminal.typed().ends_with("and that"));
}

#[test]
fn nothing_is_added_to_a_text_that_an_agent_has_not_read_until_it_was_seen_and_is_gone() {
    let mut terminal = TypingTest::with_claude();
    terminal.agent_types("fix it", true);
    for after in (1..17).map(|second| second * 1_000) {
        terminal.at(after);
    }
    assert_eq!(terminal.verdict(), said("pending", "no_reaction"));
    let refused = |terminal: &mut TypingTest| {
        assert!(!terminal.agent_types("and that", true));
        assert_eq!(terminal.verdict().map(|(code, _)| code), Some("unsubmitted".into()));
    };
    refused(&mut terminal);
    terminal.agent_types("", true);
    terminal.next_reply();
    refused(&mut terminal);
    terminal.shows(20_000, &field("fix it"));
    refused(&mut terminal);
    terminal.shows(21_000, &field(""));
    assert!(terminal.agent_types("and that", true));
}

#[test]
fn nothing_is_added_to_a_prompt_that_an_agent_put_back_into_its_field_and_pieces_are() {
    let mut terminal = TypingTest::with_claude();
    terminal.agent_types("fix it", true);
    terminal.shows(100, &field("fix it"));
    terminal.at(300);
    terminal.shows(400, &field(""));
    terminal.at(600);
    assert_eq!(terminal.verdict(), said("submitted", "field_cleared"));
    terminal.shows(2_000, &field("fix it"));
    terminal.agent_types("and that", true);
    assert_eq!(terminal.verdict().map(|(code, _)| code), Some("unsubmitted".into()));
    terminal.shows(3_000, &field("a piece "));
    assert!(terminal.agent_types("and another", true));
}

#[test]
fn a_program_in_a_script_is_asked_whether_it_took_a_text_and_a_shell_is_not() {
    for (reader, agent, typed) in [
        (TerminalReader::Shell, None, "ls\r"),
        (TerminalReader::Script, None, "ls\r"),
        (TerminalReader::Script, Some(claude(AgentState::Idle)), "ls"),
        (TerminalReader::Agent, None, "ls"),
    ] {
        let mut terminal = TypingTest { reader, agent, ..TypingTest::new() };
        terminal.agent_types("ls", true);
        assert_eq!(terminal.typed(), typed, "{reader:?}");
        let expected = typed.ends_with('\r').then(|| said("submitted", "shell")).flatten();
        assert_eq!(terminal.verdict(), expected);
    }
}

#[test]
fn an_agent_that_ends_has_not_taken_what_was_in_its_field() {
    let mut terminal = TypingTest::with_claude();
    terminal.agent_types("fix it", true);
    terminal.shows(100, &field("fix it"));
    terminal.at(300);
    terminal.input.end_submits(ExitStatus::Signal(9));
    assert_eq!(terminal.verdict(), said("pending", "program_ended"));
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
