//! Input that is typed into a pane: bytes that wait for the program to read them, in order, and texts that are submitted
//! once the program has taken them in.

mod left_input;
mod pending_submit;
mod typing_refusal;

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use fugue_agents::pasted_parts;
use fugue_core::edge_request::TypeRequest;
use fugue_protocol::refusal::nearest;
use fugue_protocol::views::{ExitStatus, InputSent, SubmitEvidence, Submitted};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::keys::{Code, Key};
use fugue_screen::paste;

use super::field_submit::{FieldStep, Unsubmitted, dense, dense_field};
use super::guarded_line::GuardedLine;
use super::input_record::{InputIntent, InputRecord, InputRecords};
use super::pty_write_queue::{PtyWriteQueue, WriteReceipt};
use super::submit_watch::{self, SubmitVerdict};
use super::typed_input::left_input::LeftInput;
use super::typed_input::pending_submit::{PendingSubmit, SubmitStage, SubmitStep};
use super::typing_request::TypingRequest;
use crate::pane::current_state::PaneFacts;
use crate::pane::shell::foreground_process::TerminalReader;
use crate::replies::answer_store::AnswerStore;
use crate::replies::reply::Reply;

/// The most input that a program may leave unread: four of the largest inputs. Beyond that typing is refused.
const MAX_UNREAD: usize = 4 << 20;

/// The longest text, in bytes, that is recognized when an agent puts it back into its field. Longer ones are abbreviated
/// there.
const MAX_RECOGNIZED: usize = 4 << 10;

/// A pane's input.
pub(crate) struct TypedInput {
    pane: PaneId,
    unread: PtyWriteQueue,
    /// Whether some of a person's input was refused, so that later input would leave a gap.
    has_gap: bool,
    submits: VecDeque<PendingSubmit>,
    unsubmitted: Unsubmitted,
    /// The last text that was submitted to an agent, without blanks: some agents put it back into their field when a person
    /// interrupts them.
    last_text: String,
    /// A notification on its way into an agent's input field. Everything else waits for it.
    line: Option<Box<GuardedLine>>,
    /// Input of requests to an earlier daemon that were not repeated yet: at most what was queued then.
    left: Vec<LeftInput>,
    records: InputRecords,
    answers: Arc<AnswerStore>,
}

impl TypedInput {
    pub(crate) fn new(pane: PaneId, records: InputRecords, answers: Arc<AnswerStore>) -> Self {
        let (unread, submits, left) = (PtyWriteQueue::default(), VecDeque::new(), Vec::new());
        Self {
            pane,
            unread,
            has_gap: false,
            submits,
            unsubmitted: Unsubmitted::default(),
            last_text: String::new(),
            line: None,
            left,
            records,
            answers,
        }
    }

    /// Drops all unread input: the program reads no more.
    pub(crate) fn discard(&mut self) {
        self.unread.clear();
    }

    /// Sends bytes that the program waits for, such as the terminal's reply to a query.
    pub(crate) fn send_reply(&mut self, bytes: &[u8]) {
        if self.unread.len() + bytes.len() <= MAX_UNREAD {
            self.unread.push(bytes, None);
        }
    }

    /// Types a person's keys. They do not wait behind texts that are being submitted, since a person sees what is going
    /// on, but they do for the moment that a notification takes. After keys that found no room none are taken until the
    /// program has read everything, so that there is no gap.
    pub(crate) fn keys(
        &mut self,
        bytes: &[u8],
        receipt: Option<WriteReceipt>,
        facts: PaneFacts<'_>,
    ) -> Result<(), Refusal> {
        if let Some(submit) = self.submits.front_mut().filter(|_| !is_report(bytes)) {
            submit.person_types(&self.answers);
        }
        let waiting = self.unread.len() + self.line.as_deref().map_or(0, GuardedLine::held_bytes);
        self.has_gap &= waiting > 0;
        self.has_gap |= waiting + bytes.len() > MAX_UNREAD;
        if self.has_gap {
            return Err(Refusal::InputFull { pane: self.pane, waiting });
        }
        let Some(line) = &mut self.line else {
            self.unread.push(bytes, receipt);
            return Ok(());
        };
        if line.may_pass(bytes, facts) {
            let overtakes = line.held_bytes() > 0;
            let overtaking = |receipt: WriteReceipt| receipt.overtaking(bytes.len());
            self.unread.push(bytes, if overtakes { receipt.map(overtaking) } else { receipt });
        } else {
            line.hold(bytes, receipt);
        }
        Ok(())
    }

    /// Types the text of a request, or queues it behind a text that is being submitted. An agent's text is refused while a
    /// person has the keyboard. Returns whether it is typed or queued.
    pub(crate) fn type_text(
        &mut self,
        request: TypingRequest,
        facts: PaneFacts<'_>,
        reader: TerminalReader,
    ) -> bool {
        let Some(request) = self.answer_repeated(request) else { return false };
        if let Some(refusal) = self.refusal(&request, facts) {
            request.reply.refuse(refusal);
            return false;
        }
        if let Some(behind) = self.behind() {
            behind.push(request);
            return true;
        }
        let encoded = self.encode(&request.typing, facts);
        let is_typed = encoded.is_ok();
        match encoded {
            Ok(bytes) => self.type_bytes(request, bytes, facts, reader),
            Err(refusal) => request.reply.refuse(refusal),
        }
        is_typed
    }

    /// The requests that wait until a text is submitted, if there is one.
    fn behind(&mut self) -> Option<&mut Vec<TypingRequest>> {
        let line = self.line.as_mut().map(|line| &mut line.behind);
        line.or_else(|| self.submits.back_mut().map(|submit| &mut submit.behind))
    }

    /// Types a notification, to be submitted once it is seen in the agent's input field. Returns whether it was typed:
    /// not while other input is waiting.
    pub(super) fn type_notification(&mut self, text: &str, facts: PaneFacts<'_>) -> bool {
        let free = self.submits.is_empty() && self.line.is_none() && self.unread.is_empty();
        if free {
            let (typed, enter) = (paste(text, facts.screen.modes()), enter(facts));
            let bytes = [typed.as_slice(), &enter].concat();
            let intent = InputIntent {
                by_agent: true,
                end: text.to_owned(),
                text_bytes: typed.len(),
                bytes: bytes.len(),
                submit: true,
                is_notification: true,
                ..InputIntent::default()
            };
            let record = self.records.create(intent, &bytes);
            self.unread.push(&typed, receipt(record.as_ref(), 0));
            self.line = Some(Box::new(GuardedLine::new(text.to_owned(), enter, record, facts.now)));
        }
        free
    }

    /// Takes the next step with a notification that is being typed. Returns whether the agent took it, once that is clear.
    pub(super) fn advance_notification(
        &mut self,
        facts: PaneFacts<'_>,
        reader: TerminalReader,
    ) -> Option<bool> {
        let line = self.line.as_mut()?;
        match line.advance(facts) {
            FieldStep::PressEnter => {
                let taken = line.record.as_ref().map_or(0, |record| record.intent.text_bytes);
                self.unread.push(&line.enter, receipt(line.record.as_ref(), taken));
            }
            FieldStep::Wait => {}
            FieldStep::Done { was_taken, .. } => {
                let mut line = self.line.take()?;
                for (bytes, receipt) in line.take_held() {
                    self.unread.push(&bytes, receipt);
                }
                for request in line.behind {
                    self.type_text(request, facts, reader);
                }
                return Some(was_taken);
            }
        }
        None
    }

    /// Types a command and presses Enter. Returns its record, if one could be made.
    pub(crate) fn type_command(
        &mut self,
        bytes: &[u8],
        intent: InputIntent,
    ) -> Result<Option<Rc<InputRecord>>, Refusal> {
        let waiting = self.unread.len();
        if waiting + bytes.len() > MAX_UNREAD {
            return Err(Refusal::InputFull { pane: self.pane, waiting });
        }
        let intent = InputIntent { text_bytes: bytes.len(), bytes: bytes.len(), ..intent };
        let record = self.records.create(intent, bytes);
        self.unread.push(bytes, receipt(record.as_ref(), 0));
        Ok(record)
    }

    fn type_bytes(
        &mut self,
        request: TypingRequest,
        mut bytes: Vec<u8>,
        facts: PaneFacts<'_>,
        reader: TerminalReader,
    ) {
        let TypingRequest { typing, cursor, reply } = request;
        let TypeRequest { text, submit, by_agent, may_answer, key, .. } = typing;
        let end = submit_watch::end_of(&text);
        let intent = InputIntent { key, end, by_agent, cursor, submit, ..InputIntent::default() };
        if submit && !text.is_empty() {
            self.last_text = if text.len() <= MAX_RECOGNIZED { dense(&text) } else { String::new() };
        }
        let has_agent =
            reader == TerminalReader::Agent || reader != TerminalReader::Shell && facts.agent.is_some();
        let is_shell = !has_agent && matches!(reader, TerminalReader::Shell | TerminalReader::Script);
        if submit && !is_shell && !bytes.is_empty() {
            return self.submit((intent, may_answer, has_agent), bytes, Some(reply), facts);
        }
        if submit {
            bytes.extend(enter(facts));
        }
        let in_shell = submit && is_shell;
        let sent = InputSent {
            pane_id: self.pane,
            bytes: bytes.len(),
            cursor: intent.cursor.clone(),
            submit: in_shell.then_some(Submitted::Submitted),
            evidence: in_shell.then_some(SubmitEvidence::Shell),
        };
        let intent = InputIntent { text_bytes: bytes.len(), bytes: bytes.len(), ..intent };
        let record = self.records.create(intent, &bytes);
        self.unread.push(&bytes, receipt(record.as_ref(), 0));
        reply.done(&sent);
    }

    /// Types a text, to press Enter once the program has read it.
    fn submit(
        &mut self,
        (intent, may_answer, has_agent): (InputIntent, bool, bool),
        text: Vec<u8>,
        reply: Option<Reply>,
        facts: PaneFacts<'_>,
    ) {
        let enter = enter(facts);
        let bytes = [text.as_slice(), &enter].concat();
        let intent = InputIntent { text_bytes: text.len(), bytes: bytes.len(), submit: true, ..intent };
        let InputIntent { key, end, by_agent, .. } = intent.clone();
        let sent = unfinished(self.pane, &intent);
        let record = self.records.create(intent, &bytes);
        self.unread.push(&text, receipt(record.as_ref(), 0));
        let pending = PendingSubmit {
            stage: SubmitStage::Typed(facts.now),
            enter,
            end,
            by_agent,
            may_answer,
            has_agent,
            before: dense_field(facts),
            person_typed: false,
            key,
            sent,
            reply,
            behind: Vec::new(),
            record,
        };
        self.submits.push_back(pending);
    }

    fn encode(&self, typing: &TypeRequest, facts: PaneFacts<'_>) -> Result<Vec<u8>, Refusal> {
        let modes = facts.screen.modes();
        let is_prompt = typing.submit && facts.agent.is_some();
        let mut bytes =
            if typing.submit && (typing.text.contains('\n') || is_prompt && is_plain(&typing.text)) {
                pasted(&typing.text, facts)
            } else {
                typing.text.clone().into_bytes()
            };
        // Agents take Enter behind a backslash for a line break, and remove the backslash.
        if is_prompt && typing.text.ends_with('\\') {
            bytes.push(b' ');
        }
        for name in &typing.keys {
            bytes.extend(key(name)?.encode(modes));
        }
        if self.unread.len() + bytes.len() > MAX_UNREAD {
            return Err(Refusal::InputFull { pane: self.pane, waiting: self.unread.len() });
        }
        Ok(bytes)
    }

    /// Whether a text is being submitted.
    pub(crate) fn is_submitting(&self) -> bool {
        !self.submits.is_empty() || self.line.as_ref().is_some_and(|line| !line.behind.is_empty())
    }

    /// Whether a person's keys are being held back.
    pub(super) fn holds_keys(&self) -> bool {
        self.line.is_some()
    }

    /// Returns when the next Enter or reply is due, if the last output came at `last_output`.
    pub(crate) fn due(&self, last_output: Instant, now: Instant) -> Option<Instant> {
        let submit = self.submits.front().map(|submit| submit.due(last_output, now));
        submit.into_iter().chain(self.line.as_ref().map(|line| line.due(last_output, now))).min()
    }

    /// Presses Enter where it is due, watches the program, and types what waited behind.
    pub(crate) fn advance(&mut self, facts: PaneFacts<'_>, reader: TerminalReader) {
        while let Some(submit) = self.submits.front_mut() {
            match submit.step(facts) {
                SubmitStep::Wait => return,
                SubmitStep::PressEnter => {
                    let receipt = receipt(submit.record.as_ref(), submit.sent.bytes - submit.enter.len());
                    self.unread.push(&submit.enter, receipt);
                    return;
                }
                SubmitStep::Done(verdict) => self.finish_submit(verdict, facts, reader),
            }
        }
    }

    fn finish_submit(&mut self, verdict: SubmitVerdict, facts: PaneFacts<'_>, reader: TerminalReader) {
        let Some(mut submit) = self.submits.pop_front() else { return };
        submit.answer(verdict, &self.answers);
        if let Some(was_seen) = submit.was_seen()
            && (submit.person_typed || verdict.submitted != Submitted::Submitted)
        {
            self.unsubmitted = Unsubmitted::new(was_seen || submit.person_typed, facts);
        }
        for request in submit.behind {
            self.type_text(request, facts, reader);
        }
    }

    /// Answers everything that is being submitted, because the program has ended. What waits behind it or behind a
    /// notification will not be typed.
    pub(crate) fn end_submits(&mut self, exit: ExitStatus) {
        let mut behind = self.line.as_mut().map(|line| std::mem::take(&mut line.behind)).unwrap_or_default();
        for mut submit in std::mem::take(&mut self.submits) {
            submit.answer(submit.at_end(), &self.answers);
            behind.append(&mut submit.behind);
        }
        for request in behind {
            request.reply.refuse(Refusal::PaneEnded { pane: self.pane, exit });
        }
    }

    /// Writes as much input as the terminal takes now.
    pub(crate) fn write_to(&mut self, master: BorrowedFd<'_>) -> io::Result<()> {
        self.unread.write_to(master)
    }

    /// Input without records on disk.
    #[cfg(test)]
    pub(crate) fn for_test(pane: PaneId) -> Self {
        let nowhere = std::path::Path::new("/dev/null/records");
        let records = InputRecords::new(nowhere, fugue_protocol::RunId::from_bytes([0; 16]));
        Self::new(pane, records, Arc::new(AnswerStore::open(nowhere)))
    }

    #[cfg(test)]
    pub(crate) fn text(&mut self) -> &[u8] {
        self.unread.text()
    }
}

/// The reply to a request, before it is known what became of its text.
fn unfinished(pane_id: PaneId, intent: &InputIntent) -> InputSent {
    let InputIntent { bytes, cursor, .. } = intent.clone();
    InputSent { pane_id, bytes, cursor, submit: None, evidence: None }
}

/// Whether an agent is to see the text as it is, and not key by key: its own keys and the lists that open while a person
/// types would change it. Commands and shell lines begin with a key that changes what the field is for.
fn is_plain(text: &str) -> bool {
    !text.starts_with(['/', '!'])
}

/// The bytes of a text that is pasted, for an agent in the parts in which it takes it for the user's own words.
fn pasted(text: &str, facts: PaneFacts<'_>) -> Vec<u8> {
    let modes = facts.screen.modes();
    let agent = facts.agent.and_then(|agent| agent.name).filter(|_| modes.bracketed_paste());
    let parts = agent.map_or_else(|| vec![text], |agent| pasted_parts(agent, text));
    parts.iter().flat_map(|part| paste(part, modes)).collect()
}

/// The bytes of Enter.
fn enter(facts: PaneFacts<'_>) -> Vec<u8> {
    Key::plain(Code::Enter).encode(facts.screen.modes())
}

/// The receipt for the bytes of a record from this one on.
fn receipt(record: Option<&Rc<InputRecord>>, taken: usize) -> Option<WriteReceipt> {
    record.map(|record| WriteReceipt::Request(record.receipt(taken)))
}

fn key(name: &str) -> Result<Key, Refusal> {
    let names = [
        "Enter", "Escape", "Tab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "PageUp",
        "PageDown",
    ];
    name.parse()
        .map_err(|_| Refusal::BadKey { key: name.to_owned(), nearest: nearest(name, names.into_iter()) })
}

/// Whether the bytes report the mouse or the focus.
pub(super) fn is_report(bytes: &[u8]) -> bool {
    matches!(bytes, b"\x1b[I" | b"\x1b[O") || bytes.starts_with(b"\x1b[<") || bytes.starts_with(b"\x1b[M")
}

#[cfg(test)]
mod tests;
