//! A pane's keyboard: what people and agents type, the lock that keeps agents out while a person types, and the
//! notification that waits to be typed.

use std::time::Instant;

use fugue_core::edge_request::TypeRequest;
use fugue_core::effect::Notification;
use fugue_protocol::Refusal;
use fugue_screen::Modes;
use fugue_screen::keys::{Code, Key, Mods};

use super::current_state::PaneFacts;
use super::keyboard_lock::KeyboardLock;
use super::notification_line::NotificationLine;
use super::pty_write_queue::WriteReceipt;
use super::typed_input::TypedInput;
use super::typing_request::TypingRequest;
use crate::input_ledger::InputReceipt;

/// A pane's keyboard.
pub(super) struct Keyboard {
    input: TypedInput,
    lock: KeyboardLock,
    notification: NotificationLine,
}

impl Keyboard {
    /// The keyboard of a pane with its input. If the pane existed before this daemon, someone may have typed in it.
    pub(super) fn new(input: TypedInput, existed_before: bool) -> Self {
        Self { input, lock: KeyboardLock::default(), notification: NotificationLine::new(existed_before) }
    }

    /// Types a person's keys, and locks the keyboard for a moment.
    pub(super) fn keys(
        &mut self,
        bytes: &[u8],
        receipt: Option<InputReceipt>,
        facts: PaneFacts<'_>,
    ) -> Result<(), Refusal> {
        self.lock.touch(facts.now);
        self.input.keys(bytes, receipt.map(WriteReceipt::Person), facts)
    }

    /// Takes note of a person's keys after they were written. Reports of the mouse and of the focus are no text.
    pub(super) fn person_typed(&mut self, bytes: &[u8], facts: PaneFacts<'_>) {
        if !is_report(bytes) {
            self.notification.person_typed(bytes.ends_with(b"\r"), facts);
        }
    }

    /// Types the text of a request. An agent's text is refused where it would be submitted together with a person's draft
    /// or answer a dialog that only people may answer. Returns whether it is typed or queued: what is refused is no draft.
    pub(super) fn type_text(&mut self, request: TypingRequest, facts: PaneFacts<'_>, in_shell: bool) -> bool {
        if let Some(refusal) = self.refusal(&request, facts) {
            request.reply.refuse(refusal);
            return false;
        }
        let ends_line = ends_line(&request.typing);
        let is_typed = self.input.type_text(request, facts, in_shell);
        if is_typed {
            self.notification.request_typed(ends_line, facts);
        }
        is_typed
    }

    fn refusal(&self, request: &TypingRequest, facts: PaneFacts<'_>) -> Option<Refusal> {
        let (_, pane) = (facts.agent?.name?, facts.pane);
        if !request.typing.by_agent {
            return None;
        }
        let asks = permission_prompt(&request.typing, facts);
        asks.or_else(|| self.notification.has_persons_draft(facts).then_some(Refusal::Draft { pane }))
    }

    /// Sends bytes that the program waits for, such as the terminal's reply to a query.
    pub(super) fn send_reply(&mut self, bytes: &[u8]) {
        self.input.send_reply(bytes);
    }

    /// Interrupts the foreground program, as C-c does.
    pub(super) fn interrupt(&mut self, modes: &Modes) {
        let mods = Mods { ctrl: true, ..Mods::default() };
        self.input.send_reply(&Key { code: Code::Char('c'), mods }.encode(modes));
    }

    /// Sets the notification that is to be typed; `None` withdraws it.
    pub(super) fn set_notification(&mut self, notice: Option<Notification>) {
        self.notification.set(notice);
    }

    /// Presses Enter and types the notification when that is due. Returns a notification that the agent has taken.
    pub(super) fn advance(&mut self, facts: PaneFacts<'_>, in_shell: bool) -> Option<Notification> {
        self.input.advance(facts, in_shell);
        let was_taken = self.input.advance_notification(facts, in_shell);
        let taken = was_taken.and_then(|was_taken| self.notification.finished(was_taken, facts));
        if !self.input.holds_keys()
            && let Some(notice) = self.notification.take_if_free(facts)
        {
            match self.input.type_notification(&notice.text, facts) {
                true => self.notification.typed(notice),
                false => self.notification.set(Some(notice)),
            }
        }
        taken
    }

    /// Whether a text is waiting to be submitted.
    pub(super) fn is_submitting(&self) -> bool {
        self.input.is_submitting()
    }

    /// Returns for how many more milliseconds a person's typing locks the keyboard; `None` if it is free.
    pub(super) fn locked_ms(&self, now: Instant) -> Option<u64> {
        self.lock.remaining_ms(now)
    }

    /// Returns when something must be typed though nothing happens.
    pub(super) fn due(&self, last_output: Instant, now: Instant) -> Option<Instant> {
        let notification = self.notification.due(&self.lock);
        [self.input.due(last_output, now), notification].into_iter().flatten().min()
    }

    /// The input that waits to be written to the terminal.
    pub(super) fn input(&mut self) -> &mut TypedInput {
        &mut self.input
    }
}

/// The refusal of a text that would answer a dialog which only people may answer.
pub(super) fn permission_prompt(typing: &TypeRequest, facts: PaneFacts<'_>) -> Option<Refusal> {
    let agent = facts.agent.filter(|_| !typing.may_answer && facts.asks_person())?;
    let agent = agent.name.unwrap_or("the agent").to_owned();
    Some(Refusal::PermissionPrompt { pane: facts.pane, agent })
}

/// Whether a request ends with Enter.
fn ends_line(typing: &TypeRequest) -> bool {
    let last = typing.keys.last().map_or(typing.text.ends_with(['\r', '\n']), |key| key == "Enter");
    typing.submit || last
}

/// Whether the bytes report the mouse or the focus.
fn is_report(bytes: &[u8]) -> bool {
    matches!(bytes, b"\x1b[I" | b"\x1b[O") || bytes.starts_with(b"\x1b[<") || bytes.starts_with(b"\x1b[M")
}
