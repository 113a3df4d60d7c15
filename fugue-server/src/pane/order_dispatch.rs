//! Dispatching the orders of a pane's task to its parts.

use std::time::Instant;

use fugue_core::PaneRequest;
use fugue_core::edge_request::{ReadRequest, TypeRequest};
use fugue_protocol::verbs::{Format, Mode, OutputCursor};
use fugue_protocol::views::{Done, PaneOutput};
use fugue_screen::Screen;

use super::agent::dialog_answer::{Answerer, DialogAnswer};
use super::input::typing_request::TypingRequest;
use super::order::PaneOrder;
use super::shell::command_run::CommandRuns;
use super::shell::foreground_process::TerminalReader;
use super::task::PaneTask;
use super::text::{picture, text_reader};
use crate::replies::reply::Reply;

impl PaneTask {
    pub(super) fn execute(&mut self, order: PaneOrder, screen: &mut Screen) {
        let now = Instant::now();
        match order {
            PaneOrder::Request(request) => self.execute_request(*request, screen, now),
            PaneOrder::Wait(waiting, answer) => {
                self.waiters.add(self.id, &waiting, answer, screen, now);
                self.waiters.check(self.facts(screen, now));
                self.end_waits_if_recorded(screen, now);
            }
            PaneOrder::Run { running, is_program, answer } => {
                self.commands.add(self.id, *running, is_program, answer, now);
                self.with_commands(screen, now, CommandRuns::catch_up);
                self.end_waits_if_recorded(screen, now);
            }
            PaneOrder::StopCommand => {
                if self.commands.take_cancelled() {
                    self.keyboard.interrupt(screen.modes());
                }
            }
            PaneOrder::LastLines { lines, answer } => {
                if let Some(output) = self.last_lines(lines, screen) {
                    let _ = answer.send(output);
                }
            }
            PaneOrder::ExpectKeys => {
                // Takes the path of a key and its echo with nothing to do, so that both are in the CPU's caches.
                self.write();
                self.subscribers.rehearse_update(screen);
            }
            PaneOrder::Keys(keys) => {
                self.io.key_typed(now);
                self.subscribers.expect_echo();
                let facts = self.facts(screen, now);
                match self.keyboard.keys(&keys.bytes, keys.receipt, facts) {
                    // Written at once; everything else can wait.
                    Ok(()) => self.write(),
                    Err(refusal) => keys.outbox.notice(&refusal),
                }
                self.keyboard.person_typed(&keys.bytes, facts);
                self.dialogs.answer_pressed();
            }
            PaneOrder::Notification(notice) => self.keyboard.set_notification(notice.map(|notice| *notice)),
            PaneOrder::AnswerDialog(request, outcome) => {
                let facts = self.facts(screen, now);
                let rule = Answerer::Rule(outcome);
                self.answers.begin(DialogAnswer::new(request, Some(rule), now), facts);
            }
            PaneOrder::SaveScreen => self.saving.save(screen, now),
            PaneOrder::Watch(subscriber) => self.subscribers.watch(subscriber),
            PaneOrder::Record(subscriber) => self.subscribers.recording.add(subscriber),
            PaneOrder::RecordingSlice { from, answer } => {
                let _ = answer.send(self.subscribers.recording.slice(from, screen, self.io.size()));
            }
            PaneOrder::Update { since, answer } => {
                let _ = answer.send(self.subscribers.update(screen, since));
            }
        }
    }

    fn execute_request(&mut self, (request, reply): (PaneRequest, Reply), screen: &mut Screen, now: Instant) {
        match request {
            PaneRequest::Type(typing) => self.type_text(typing, reply, screen, now),
            PaneRequest::Answer(request) => {
                let facts = self.facts(screen, now);
                self.answers.begin(DialogAnswer::new(request, Some(Answerer::Caller(reply)), now), facts);
            }
            PaneRequest::Read(reading) => match text_reader::read(self.id, screen, &reading, self.ended) {
                Ok(output) => reply.output(output),
                Err(refusal) => reply.refuse(refusal),
            },
            PaneRequest::ClearHistory => {
                screen.clear_history();
                reply.done(&Done::default());
            }
            PaneRequest::Picture(Format::Png) => reply.relay(picture::png(self.id, screen)),
            PaneRequest::Picture(format) => match picture::picture(self.id, screen, format) {
                Ok(picture) => reply.done(&picture),
                Err(refusal) => reply.refuse(refusal),
            },
            // The others have orders of their own or are handled by the client's feed.
            _ => drop(reply),
        }
    }

    /// Types the text of a request. What is refused has no echo and answers no dialog.
    fn type_text(&mut self, typing: TypeRequest, reply: Reply, screen: &Screen, now: Instant) {
        let cursor = text_reader::end_cursor(screen).to_string();
        let echo = self.io.is_echoed().then(|| typing.text.clone());
        let reader = if typing.submit { self.reader() } else { TerminalReader::Other };
        let may_answer = typing.may_answer;
        let facts = self.facts(screen, now);
        if !self.keyboard.type_text(TypingRequest { typing, cursor, reply }, facts, reader) {
            return;
        }
        if let Some(text) = echo {
            self.waiters.typed(&text, screen);
        }
        match may_answer {
            true => self.dialogs.answer_pressed(),
            false => self.dialogs.key_pressed(),
        }
    }

    /// Reads the last lines of everything that the pane's program wrote.
    fn last_lines(&self, lines: usize, screen: &Screen) -> Option<PaneOutput> {
        let (since, mode) = (Some(OutputCursor::new(0, 0)), Some(Mode::History));
        let reading = ReadRequest {
            lines,
            since,
            before: None,
            mode,
            grep: None,
            context: 0,
            ansi: false,
            commands: false,
            screen_state: false,
        };
        text_reader::read(self.id, screen, &reading, self.ended).ok()
    }
}
