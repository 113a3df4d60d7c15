//! A pane's keyboard: what people and agents type, the lock that keeps agents out while a person types, and the
//! notification that waits to be typed.

use std::rc::Rc;
use std::time::Instant;

use fugue_core::edge_request::TypeRequest;
use fugue_core::effect::Notification;
use fugue_protocol::Refusal;
use fugue_screen::Modes;
use fugue_screen::keys::{Code, Key, Mods};

use super::input_record::{InputIntent, InputRecord};
use super::keyboard_lock::KeyboardLock;
use super::notification_line::NotificationLine;
use super::pty_write_queue::WriteReceipt;
use super::typed_input::{TypedInput, is_report};
use super::typing_request::TypingRequest;
use crate::input_ledger::InputReceipt;
use crate::pane::current_state::PaneFacts;
use crate::pane::shell::foreground_process::TerminalReader;

/// The byte for which a terminal interrupts its foreground program, unless that reads single keys.
const INTERRUPT: u8 = 3;

/// A pane's keyboard.
pub(crate) struct Keyboard {
    input: TypedInput,
    lock: KeyboardLock,
    notification: NotificationLine,
    since_command: TypedSinceCommand,
}

/// What was typed since the shell's last command began. Everything that is typed into a pane passes through its keyboard.
#[derive(Default)]
struct TypedSinceCommand {
    /// Whether anything was. If not, what follows a prompt was printed, as by a job in the background.
    is_typed: bool,
    /// Whether Enter was the last of it.
    ends_line: bool,
    /// Whether C-c was.
    interrupts: bool,
}

impl TypedSinceCommand {
    fn typed(&mut self, ends_line: bool) {
        (self.is_typed, self.ends_line) = (true, ends_line);
    }

    /// A command has begun. What was typed after its Enter is for the next one.
    fn command_begun(&mut self) {
        self.is_typed &= !self.ends_line;
        self.interrupts = false;
    }
}

impl Keyboard {
    /// The keyboard of a pane with its input. If the pane existed before this daemon, someone may have typed in it.
    pub(crate) fn new(input: TypedInput, existed_before: bool) -> Self {
        let since_command =
            TypedSinceCommand { is_typed: existed_before, ends_line: existed_before, interrupts: false };
        let notification = NotificationLine::new(existed_before);
        Self { input, lock: KeyboardLock::default(), notification, since_command }
    }

    /// Whether what follows the shell's prompt may have been typed there.
    pub(crate) fn may_hold_draft(&self) -> bool {
        self.since_command.is_typed
    }

    /// Whether C-c was typed since the shell's last command began.
    pub(crate) fn was_interrupted(&self) -> bool {
        self.since_command.interrupts
    }

    /// Takes note that the shell runs a command.
    pub(crate) fn command_begun(&mut self) {
        self.since_command.command_begun();
    }

    /// Types a person's keys, and locks the keyboard for a moment.
    pub(crate) fn keys(
        &mut self,
        bytes: &[u8],
        receipt: Option<InputReceipt>,
        facts: PaneFacts<'_>,
    ) -> Result<(), Refusal> {
        self.lock.touch(facts.now);
        self.input.keys(bytes, receipt.map(WriteReceipt::Person), facts)
    }

    /// Takes note of a person's keys after they were written. Reports of the mouse and of the focus are no text.
    pub(crate) fn person_typed(&mut self, bytes: &[u8], facts: PaneFacts<'_>) {
        if !is_report(bytes) {
            self.since_command.typed(bytes.ends_with(b"\r"));
            self.since_command.interrupts |= bytes.contains(&INTERRUPT);
            let (ends_line, are_held) = (bytes.ends_with(b"\r"), self.input.holds_keys());
            self.notification.person_typed(ends_line, are_held, facts);
        }
    }

    /// Types the text of a request. An agent's text is refused where it would be submitted together with a person's draft
    /// or answer a dialog that only people may answer. Returns whether it is typed or queued: what is refused is no draft.
    pub(crate) fn type_text(
        &mut self,
        request: TypingRequest,
        facts: PaneFacts<'_>,
        reader: TerminalReader,
    ) -> bool {
        if let Some(refusal) = self.refusal(&request, facts) {
            request.reply.refuse(refusal);
            return false;
        }
        let ends_line = ends_line(&request.typing);
        let interrupts = request.typing.text.as_bytes().contains(&INTERRUPT)
            || request.typing.keys.iter().any(|key| key.eq_ignore_ascii_case("C-c"));
        let is_typed = self.input.type_text(request, facts, reader);
        if is_typed {
            self.since_command.typed(ends_line);
            self.since_command.interrupts |= interrupts;
            self.notification.request_typed(ends_line, facts);
        }
        is_typed
    }

    fn refusal(&mut self, request: &TypingRequest, facts: PaneFacts<'_>) -> Option<Refusal> {
        let (_, pane) = (facts.agent?.name?, facts.pane);
        let has_draft = self.notification.has_persons_draft(facts);
        if !request.typing.by_agent {
            return None;
        }
        let asks = permission_prompt(&request.typing, facts);
        asks.or_else(|| has_draft.then_some(Refusal::Draft { pane }))
    }

    /// Sends bytes that the program waits for, such as the terminal's reply to a query.
    pub(crate) fn send_reply(&mut self, bytes: &[u8]) {
        self.input.send_reply(bytes);
    }

    /// Types a command and its Enter. Returns the record of it.
    pub(crate) fn type_command(
        &mut self,
        bytes: &[u8],
        intent: InputIntent,
    ) -> Result<Option<Rc<InputRecord>>, Refusal> {
        self.since_command.typed(true);
        self.input.type_command(bytes, intent)
    }

    /// Interrupts the foreground program, as C-c does.
    pub(crate) fn interrupt(&mut self, modes: &Modes) {
        self.since_command.interrupts = true;
        let mods = Mods { ctrl: true, ..Mods::default() };
        self.input.send_reply(&Key { code: Code::Char('c'), mods }.encode(modes));
    }

    /// Sets the notification that is to be typed; `None` withdraws it.
    pub(crate) fn set_notification(&mut self, notice: Option<Notification>) {
        self.notification.set(notice);
    }

    /// Presses Enter and types the notification when that is due. Returns a notification that the agent has taken.
    pub(crate) fn advance(&mut self, facts: PaneFacts<'_>, reader: TerminalReader) -> Option<Notification> {
        self.input.advance(facts, reader);
        let was_taken = self.input.advance_notification(facts, reader);
        let taken = was_taken.and_then(|was_taken| self.notification.finished(was_taken, facts));
        if !self.input.holds_keys()
            && let Some(notice) = self.notification.take_if_typable(facts)
        {
            match self.input.type_notification(&notice.text, facts) {
                true => {
                    self.since_command.typed(false);
                    self.notification.typed(notice);
                }
                false => self.notification.set(Some(notice)),
            }
        }
        taken
    }

    /// Whether a text is waiting to be submitted.
    pub(crate) fn is_submitting(&self) -> bool {
        self.input.is_submitting()
    }

    /// Returns for how many more milliseconds a person's typing locks the keyboard; `None` if it is free.
    pub(crate) fn locked_ms(&self, now: Instant) -> Option<u64> {
        self.lock.remaining_ms(now)
    }

    /// Returns when something must be typed though nothing happens.
    pub(crate) fn due(&self, last_output: Instant, now: Instant) -> Option<Instant> {
        let notification = self.notification.due(&self.lock);
        [self.input.due(last_output, now), notification].into_iter().flatten().min()
    }

    /// The input that waits to be written to the terminal.
    pub(crate) fn input(&mut self) -> &mut TypedInput {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_typed_after_the_last_command_may_be_a_draft() {
        let mut typed = TypedSinceCommand::default();
        typed.command_begun();
        assert!(!typed.is_typed);
        typed.typed(false);
        typed.typed(true);
        assert!(typed.is_typed, "the command has yet to begin");
        typed.command_begun();
        assert!(!typed.is_typed);
        typed.typed(true);
        typed.typed(false);
        typed.command_begun();
        assert!(typed.is_typed, "it was typed after Enter, for the next command");
    }
}
