//! A pane's keyboard: what people and agents type, the lock that keeps agents out while a person types, and the
//! notification that waits to be typed.

use std::time::Instant;

use fugue_core::effect::Notification;
use fugue_protocol::Refusal;
use fugue_screen::Modes;
use fugue_screen::keys::{Code, Key, Mods};

use super::current_state::PaneFacts;
use super::keyboard_lock::KeyboardLock;
use super::notification_line::NotificationLine;
use super::pty_write_queue::WriteReceipt;
use super::typed_input::{TypedInput, TypingRequest};
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
        now: Instant,
    ) -> Result<(), Refusal> {
        self.lock.touch(now);
        self.notification.someone_typed();
        self.input.keys(bytes, receipt.map(WriteReceipt::Person))
    }

    /// Types the text of a request.
    pub(super) fn type_text(&mut self, request: TypingRequest, facts: PaneFacts<'_>, in_shell: bool) {
        self.notification.someone_typed();
        self.input.type_text(request, facts, in_shell);
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
        let taken = self.notification.take_acknowledged(facts);
        if let Some(notice) = self.notification.take_if_free(facts) {
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
    pub(super) fn due(&self, last_output: Instant) -> Option<Instant> {
        let notification = self.notification.due(&self.lock);
        [self.input.due(last_output), notification].into_iter().flatten().min()
    }

    /// The input that waits to be written to the terminal.
    pub(super) fn input(&mut self) -> &mut TypedInput {
        &mut self.input
    }
}

#[cfg(test)]
mod tests {
    use fugue_core::agents::AgentSummary;
    use fugue_protocol::agents::AgentState;
    use fugue_protocol::{PaneId, SessionId, Timestamp};
    use fugue_screen::{Limits, Screen, Size};

    use super::*;

    #[test]
    fn a_notification_waits_until_the_person_has_stopped_typing_and_the_agent_has_worked() {
        let pane = PaneId::from_bytes([0; 16]);
        let screen = Screen::new(Size { cols: 40, rows: 5 }, Limits::default());
        let (mut keyboard, now) = (Keyboard::new(TypedInput::for_test(pane), false), Instant::now());
        let session = SessionId::from_bytes([0; 16]);
        keyboard.set_notification(Some(Notification { session, messages: Vec::new(), text: "news".into() }));
        keyboard.keys(b"x", None, now).expect("there is room");
        keyboard.input.discard();
        let mut advance = |state, now| {
            let agent = Some(AgentSummary { state, waits_for: None, since: Timestamp::from_millis(1) });
            let locked_ms = keyboard.locked_ms(now);
            let facts = PaneFacts { pane, screen: &screen, agent, locked_ms, last_output: now, now };
            keyboard.advance(facts, false);
            String::from_utf8_lossy(keyboard.input.text()).into_owned()
        };
        let later = now + std::time::Duration::from_secs(10);
        assert_eq!(advance(AgentState::Idle, now), "", "the keyboard is locked");
        assert_eq!(advance(AgentState::Idle, later), "", "the person's draft may still be there");
        assert_eq!(advance(AgentState::Working, later), "");
        assert_eq!(advance(AgentState::Idle, later), "news");
    }
}
