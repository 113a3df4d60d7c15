//! What a pane's task is asked, done or passed on.

use std::task::Poll;
use std::time::Instant;

use fugue_core::PaneRequest;
use fugue_core::edge_request::ReadRequest;
use fugue_protocol::verbs::{Format, Mode};
use fugue_protocol::views::ExitStatus;
use fugue_screen::{Screen, ScreenEvent};

use super::foreground::Foreground;
use super::input::Later;
use super::running::{Runs, Scene};
use super::task::Task;
use super::waiting::{Sight, Waiters};
use super::{Copied, Order, Shown, program, reading};
use crate::session::News;

impl Task {
    pub(super) fn obey(&mut self, order: Order, screen: &mut Screen) {
        let now = Instant::now();
        match order {
            Order::Ask(PaneRequest::Type(typing), reply) => {
                let cursor = reading::cursor(screen.end()).to_string();
                let shell = typing.submit && self.in_shell();
                self.nudging.somebody_typed();
                let sight = self.sight(screen, now);
                self.input.type_in(Later { typing, cursor, reply }, sight, shell);
            }
            Order::Ask(PaneRequest::Read(reading), reply) => {
                match reading::read(self.id, screen, &reading, self.ended) {
                    Ok(output) => reply.done(&output),
                    Err(refusal) => reply.refuse(refusal),
                }
            }
            Order::Ask(PaneRequest::Picture(Format::Png), reply) => {
                reply.relay(reading::painted(self.id, screen));
            }
            Order::Ask(PaneRequest::Picture(format), reply) => {
                reply.done(&reading::picture(self.id, screen, format));
            }
            // These have ways of their own.
            Order::Ask(_, reply) => drop(reply),
            Order::Wait(waiting, answer) => {
                self.waiters.add(self.id, &waiting, answer, screen, now);
                self.waiters.look(self.sight(screen, now));
                self.settle(screen);
            }
            Order::Run { running, own, answer } => {
                self.runs.add(self.id, running, own, answer, now);
                self.settle(screen);
            }
            Order::Tail { lines, answer } => {
                let mode = Mode::default();
                let reading = ReadRequest {
                    lines,
                    since: None,
                    before: None,
                    mode,
                    grep: None,
                    context: 0,
                    ansi: false,
                };
                if let Ok(output) = reading::read(self.id, screen, &reading, self.ended) {
                    let _ = answer.send(output);
                }
            }
            Order::Expect => self.rehearse(screen),
            Order::Keys { bytes, receipt, outbox } => {
                self.hold.touch(now);
                self.nudging.somebody_typed();
                self.watchers.expect_echo();
                match self.input.typed(&bytes, receipt) {
                    // At once: what else is to be done can wait.
                    Ok(()) => self.write(),
                    Err(refusal) => outbox.notice(&refusal),
                }
            }
            Order::Nudge(notice) => self.nudging.wish(notice),
            Order::Watch(watcher) => self.watchers.add(watcher),
            Order::Record(recorder) => self.tape.add(recorder),
            Order::Strip { from, answer } => {
                let _ = answer.send(self.tape.strip(from, screen, self.size));
            }
            Order::Update { since, answer } => {
                let _ = answer.send(Shown::new(screen, since, &self.copied));
            }
        }
    }

    pub(super) fn sight<'a>(&self, screen: &'a Screen, now: Instant) -> Sight<'a> {
        let (mood, held) = (self.standing.borrow().mood, self.hold.remaining_ms(now));
        Sight { pane: self.id, screen, mood, held, written: self.written, now }
    }

    /// Whoever waits for the end hears of it, once everybody knows.
    pub(super) fn settle(&mut self, screen: &Screen) {
        let settled = self.standing.borrow().settled;
        if let Some(exit) = settled {
            self.over(screen, Some(exit));
        }
    }

    /// The program has ended, or the pane is closed.
    pub(super) fn over(&mut self, screen: &Screen, exit: Option<ExitStatus>) {
        let now = Instant::now();
        self.waiters.ended(self.id, screen, exit, now);
        if self.seen(screen, now, |runs, scene| runs.ended(exit, scene)) {
            // A desk that is full closes it never: it is kept, with its end to be seen.
            let _ = self.desk.try_send(News::Told { pane: self.id });
        }
    }

    /// What the command under way makes of the screen.
    pub(super) fn run_on(&mut self, screen: &Screen, now: Instant) {
        if let Some(bytes) = self.seen(screen, now, Runs::look) {
            self.input.answer(&bytes);
        }
    }

    /// What a program says beside its screen.
    pub(super) fn hear(&mut self, notices: Vec<ScreenEvent>, screen: &Screen) {
        let now = Instant::now();
        for notice in notices {
            if let ScreenEvent::Clipboard { text, .. } = &notice {
                self.copied = Copied { count: self.copied.count + 1, text: text.as_str().into() };
                self.ring(screen);
            }
            self.seen(screen, now, |runs, scene| runs.hear(&notice, scene));
            self.glimpses.note(notice, self.terminal.master(), self.pid);
        }
    }

    fn seen<T>(&mut self, screen: &Screen, now: Instant, what: impl FnOnce(&mut Runs, &Scene<'_>) -> T) -> T {
        let (master, pid) = (self.terminal.master(), self.pid);
        let foreground = || program::foreground(master, pid);
        let (pane, written, held) = (self.id, self.written, self.hold.remaining_ms(now));
        let scene = Scene { pane, screen, first: pid, foreground: &foreground, held, written, now };
        what(&mut self.runs, &scene)
    }

    /// Whether the foreground program is a shell, which takes text and Enter in one go.
    pub(super) fn in_shell(&self) -> bool {
        Foreground::of(self.terminal.master(), self.pid).in_shell()
    }
}

/// Ready when somebody who waited is gone, and let go.
pub(super) async fn withdrawn(waiters: &mut Waiters, runs: &mut Runs) {
    std::future::poll_fn(|context| {
        let gone = waiters.poll_withdrawn(context) | runs.poll_withdrawn(context);
        if gone { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
