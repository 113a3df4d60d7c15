//! A model of a person, an agent, requests and messages that share one keyboard: whatever happens in whatever order, fugue
//! submits whole notifications and whole requests, never with anything else, no dialog gets a key that is not the
//! person's, and a text that is said to be submitted is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fugue_core::agents::AgentSummary;
use fugue_core::edge_request::TypeRequest;
use fugue_core::effect::Notification;
use fugue_protocol::agents::{AgentState, Confidence};
use fugue_protocol::{PaneId, SessionId, Timestamp};
use fugue_screen::{Limits, Screen, Size};
use proptest::prelude::*;
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};

use super::keyboard::Keyboard;
use super::typed_input::TypedInput;
use super::typing_request::TypingRequest;
use crate::pane::agent::turns::Turns;
use crate::pane::current_state::PaneFacts;
use crate::pane::shell::foreground_process::TerminalReader;
use crate::replies::reply::{FrameQueue, OutgoingFrame, Reply};
use crate::replies::unwritten_replies::UnwrittenBytes;

const NOTICE: &str = "[fugue] You have 1 unread message";

/// What happens next.
#[derive(Debug, Clone, Copy)]
enum Happening {
    /// The person types this many letters.
    Letters(usize),
    /// The person presses Enter, which is LF here, so that it differs from fugue's CR.
    Enter,
    /// A message arrives.
    Message,
    /// Another agent submits a text.
    Request,
    /// The agent takes the first Enter of fugue after a text for a line break.
    LoseEnter,
    /// The agent reads its input, without showing that yet.
    Read,
    /// The agent draws its screen.
    Draw,
    /// The agent begins a turn by itself.
    BeginTurn,
    EndTurn,
    OpenDialog,
    /// The manager publishes the state that was reported last.
    Publish,
    /// Milliseconds pass.
    Pass(u64),
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    use Happening::*;
    let one = prop_oneof![
        4 => (1..4_usize).prop_map(Letters),
        2 => Just(Enter),
        2 => Just(Message),
        3 => Just(Request),
        1 => Just(LoseEnter),
        3 => Just(Read),
        4 => Just(Draw),
        1 => Just(BeginTurn),
        3 => Just(EndTurn),
        1 => Just(OpenDialog),
        3 => Just(Publish),
        4 => prop_oneof![Just(20), Just(160), Just(400), Just(3_100)].prop_map(Pass),
    ];
    prop::collection::vec(one, 1..60)
}

/// An agent that looks and behaves like Claude Code.
#[derive(Default)]
struct ModelAgent {
    composer: String,
    is_working: bool,
    has_dialog: bool,
    /// States since the agent last drew.
    unreported: Vec<&'static str>,
    /// The lines that were submitted, and whether fugue pressed Enter.
    submitted: Vec<(String, bool)>,
    /// How many times it takes fugue's Enter for a line break: the first one after a text.
    line_breaks: usize,
    /// Keys of fugue that a dialog got.
    stray_keys: usize,
}

impl ModelAgent {
    fn read(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).into_owned();
        for c in text.replace("\x1b[200~", "").replace("\x1b[201~", "").chars() {
            match c {
                'p' | '\n' if self.has_dialog => self.close_dialog(),
                _ if self.has_dialog => self.stray_keys += 1,
                '\r' if self.line_breaks > 0 && !self.composer.contains('\n') => {
                    self.line_breaks -= 1;
                    self.composer.push('\n');
                }
                '\r' | '\n' => self.submit(c == '\r'),
                c => self.composer.push(c),
            }
        }
    }

    fn submit(&mut self, by_fugue: bool) {
        let line = std::mem::take(&mut self.composer).trim().to_owned();
        if !line.is_empty() {
            self.submitted.push((line, by_fugue));
            self.begin_turn();
        }
    }

    fn begin_turn(&mut self) {
        if !self.is_working {
            self.is_working = true;
            self.unreported.push("working");
        }
    }

    fn end_turn(&mut self) {
        if self.is_working && !self.has_dialog {
            self.is_working = false;
            self.unreported.push("idle");
        }
    }

    fn open_dialog(&mut self) {
        self.has_dialog = true;
        self.unreported.push("blocked:kind=permission");
    }

    fn close_dialog(&mut self) {
        self.has_dialog = false;
        self.unreported.push(if self.is_working { "working" } else { "idle" });
    }

    fn drawing(&mut self) -> String {
        let reports =
            self.unreported.drain(..).map(|state| format!("\x1b]7501;state={state}:app=claude-code\x07"));
        let rule = "─".repeat(80);
        let below = match self.has_dialog {
            true => "Bash command\r\n touch it\r\nDo you want to proceed?\r\n❯ 1. Yes\r\n  2. No\r\n\r\nEsc to cancel".into(),
            false => format!("❯ {}\r\n{rule}\r\n  ? for shortcuts", self.composer.replace('\n', "\r\n  ")),
        };
        format!("{}\x1b[2J\x1b[H\r\n{rule}\r\n{below}", reports.collect::<String>())
    }
}

/// The pane between them.
struct ModelPane {
    keyboard: Keyboard,
    screen: Screen,
    turns: Turns,
    published: Option<AgentState>,
    reported: Option<AgentState>,
    now: Instant,
    last_output: Instant,
    agent: ModelAgent,
    messages: usize,
    requests: usize,
    outbox: FrameQueue,
    replies: mpsc::Receiver<OutgoingFrame>,
}

impl ModelPane {
    fn new() -> Self {
        let pane = PaneId::from_bytes([0; 16]);
        let now = Instant::now();
        let mut screen = Screen::new(Size { cols: 100, rows: 20 }, Limits::default());
        screen.feed(b"\x1b[?2004h");
        // Replies are read after each happening.
        let (outbox, replies) = FrameQueue::new(64, UnwrittenBytes::of_person());
        let mut this = Self {
            keyboard: Keyboard::new(TypedInput::for_test(pane), false),
            screen,
            turns: Turns::default(),
            published: None,
            reported: None,
            now,
            last_output: now,
            agent: ModelAgent { unreported: vec!["idle"], ..ModelAgent::default() },
            messages: 0,
            requests: 0,
            outbox,
            replies,
        };
        this.draw();
        this
    }

    fn act<T>(&mut self, act: impl FnOnce(&mut Keyboard, PaneFacts<'_>) -> T) -> T {
        let (pane, screen, now) = (PaneId::from_bytes([0; 16]), &self.screen, self.now);
        let (turns, locked_ms, last_output) =
            (self.turns.begun(), self.keyboard.locked_ms(now), self.last_output);
        let (agent, is_in_turn) = (summary(self.published), self.turns.is_working());
        let is_direct = true;
        let facts = PaneFacts {
            pane,
            screen,
            agent,
            is_direct,
            begun: None,
            turns,
            is_in_turn,
            locked_ms,
            last_output,
            now,
        };
        act(&mut self.keyboard, facts)
    }

    fn keys(&mut self, bytes: &[u8]) {
        self.act(|keyboard, facts| {
            keyboard.keys(bytes, None, facts).expect("there is room");
            keyboard.person_typed(bytes, facts);
        });
    }

    fn read(&mut self) {
        let bytes = self.keyboard.input().text().to_vec();
        self.keyboard.input().discard();
        self.agent.read(&bytes);
    }

    fn draw(&mut self) {
        self.screen.feed(self.agent.drawing().as_bytes());
        for event in self.screen.take_events() {
            self.turns.report(&event, summary(self.published));
        }
        let last = self.screen.statuses().last().map(|status| status.state);
        self.reported = last.map(|state| match state {
            fugue_screen::ProgramState::Working => AgentState::Working,
            fugue_screen::ProgramState::Blocked => AgentState::Blocked,
            _ => AgentState::Idle,
        });
        self.last_output = self.now;
        self.advance();
    }

    fn advance(&mut self) {
        self.act(|keyboard, facts| keyboard.advance(facts, TerminalReader::Agent));
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Letters(count) => self.keys(&vec![b'p'; count]),
            Happening::Enter => self.keys(b"\n"),
            Happening::Message => self.message(),
            Happening::Request => self.request(),
            Happening::LoseEnter => self.agent.line_breaks += 1,
            Happening::Read => self.read(),
            Happening::Draw => self.draw(),
            Happening::BeginTurn => self.change(ModelAgent::begin_turn),
            Happening::EndTurn => self.change(ModelAgent::end_turn),
            Happening::OpenDialog => {
                // What was typed before was typed into the input field.
                self.read();
                self.change(ModelAgent::open_dialog);
            }
            Happening::Publish => self.publish(),
            Happening::Pass(millis) => self.pass(millis),
        }
    }

    fn message(&mut self) {
        let (session, messages, text) = (SessionId::from_bytes([0; 16]), Vec::new(), NOTICE.into());
        self.keyboard.set_notification(Some(Notification { session, messages, text }));
        self.messages += 1;
        self.advance();
    }

    /// Another agent submits a text, once the manager knows of the agent in the pane.
    fn request(&mut self) {
        if self.published.is_none() {
            return;
        }
        self.requests += 1;
        let text = request_text(self.requests);
        let (keys, key) = (Vec::new(), None);
        let typing = TypeRequest { text, keys, submit: true, by_agent: true, may_answer: false, key };
        let slot = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("a slot");
        let reply = Reply::new(self.outbox.clone(), 1, slot);
        let request = TypingRequest { typing, cursor: self.requests.to_string(), reply };
        self.act(|keyboard, facts| keyboard.type_text(request, facts, TerminalReader::Agent));
        self.advance();
    }

    /// The replies since the last call. What is said to be submitted is.
    fn replies(&mut self) -> Vec<Value> {
        let mut replies = Vec::new();
        while let Ok(frame) = self.replies.try_recv() {
            let begin = frame.bytes.iter().position(|byte| *byte == b'{').expect("JSON");
            replies.push(serde_json::from_slice::<Value>(&frame.bytes[begin..]).expect("JSON"));
        }
        for reply in replies.iter().filter(|reply| reply.to_string().contains("\"submit\":\"submitted\"")) {
            let text = (1..=self.requests).map(request_text);
            let said = reply.to_string();
            let number =
                said.split("\"cursor\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a cursor");
            let text =
                text.into_iter().nth(number.parse::<usize>().expect("a number") - 1).expect("a request");
            let is_submitted = self.agent.submitted.iter().any(|(line, _)| line.contains(&text));
            assert!(is_submitted, "{said}: {:?}", self.agent.submitted);
        }
        replies
    }

    /// An agent that changes by itself draws that at once.
    fn change(&mut self, change: impl FnOnce(&mut ModelAgent)) {
        change(&mut self.agent);
        self.draw();
    }

    fn publish(&mut self) {
        self.published = self.reported;
        self.turns.publish(summary(self.published));
        self.advance();
    }

    /// An agent takes less than a tenth of a second to read and draw.
    fn pass(&mut self, millis: u64) {
        for _ in 0..millis.div_ceil(100) {
            if millis >= 100 {
                self.read();
                self.draw();
            }
            self.now += Duration::from_millis(millis.min(100));
            self.advance();
        }
    }

    fn check(&mut self) {
        let is_whole = |(line, by_fugue): &(String, bool)| match *by_fugue {
            true => line == NOTICE || (1..=self.requests).any(|number| *line == request_text(number)),
            // The person sees what stands in the field.
            false => line == NOTICE || !line.contains(NOTICE),
        };
        assert!(self.agent.submitted.iter().all(is_whole), "{:?}", self.agent.submitted);
        assert_eq!(self.agent.stray_keys, 0, "fugue typed into a dialog");
        for text in (1..=self.requests).map(request_text) {
            let times = self.agent.submitted.iter().filter(|(line, _)| line.contains(&text)).count();
            assert!(times <= 1, "{text} was submitted {times} times");
        }
        self.replies();
    }
}

/// The text of a request.
fn request_text(number: usize) -> String {
    format!("<{number}>")
}

fn summary(state: Option<AgentState>) -> Option<AgentSummary> {
    let (since, sure) = (Timestamp::from_millis(1), Confidence::Certain);
    state.map(|state| AgentSummary { name: Some("claude"), state, waits_for: None, since, sure })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_lines_of_a_person_requests_and_notifications_never_mix_and_replies_are_true(happenings in happenings()) {
        let mut pane = ModelPane::new();
        for happening in happenings {
            pane.happen(happening);
            pane.check();
        }
        // The person answers, submits and leaves; the agent finishes. Then a message gets through.
        pane.pass(4_000);
        for keys in [b"\n".as_slice(), b"\n", b"p\n"] {
            pane.keys(keys);
            pane.pass(400);
            pane.happen(Happening::EndTurn);
            pane.publish();
        }
        let notices = |pane: &ModelPane| {
            pane.agent.submitted.iter().filter(|(line, _)| line == NOTICE).count()
        };
        let before = notices(&pane);
        pane.agent.line_breaks = 1;
        pane.message();
        pane.pass(8_000);
        pane.check();
        prop_assert!(notices(&pane) > before || pane.agent.is_working, "the message was not delivered");
        // So does a request.
        pane.happen(Happening::EndTurn);
        pane.publish();
        pane.pass(3_100);
        pane.agent.line_breaks = 1;
        pane.request();
        pane.pass(8_000);
        let replies = pane.replies();
        let said = replies.last().map(ToString::to_string).unwrap_or_default();
        prop_assert!(said.contains("\"submit\":\"submitted\""), "{said}");
        pane.check();
    }
}
