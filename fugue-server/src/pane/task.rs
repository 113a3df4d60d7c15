//! The task that owns a pane: it moves output from the terminal to the screen and input to the terminal, and serves
//! orders.

use std::future::poll_fn;
use std::io;
use std::time::Instant;

use fugue_core::Input;
use fugue_keeper::Pump;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, RunId, Size};
use fugue_screen::Screen;

use super::agent::dialog_answers::DialogAnswers;
use super::agent::dialog_watch::DialogWatch;
use super::agent::turns::Turns;
use super::current_state::PaneFacts;
use super::input::held_replies::HeldReplies;
use super::input::input_record::InputRecords;
use super::input::keyboard::Keyboard;
use super::input::typed_input::TypedInput;
use super::observer::{ObservedTerminal, PaneObserver};
use super::order::{PaneOrder, PaneStatus};
use super::shell::command_run::CommandRuns;
use super::shell::foreground_process::{ForegroundProcess, TerminalReader};
use super::shell::shell_prompt::RunContext;
use super::stored_screen::screen_save_schedule::ScreenSaveSchedule;
use super::stored_screen::screen_storage::ScreenStorage;
use super::subscribers::list::Subscribers;
use super::task_start::{PaneContext, TaskStart};
use super::terminal::client_terminal::ClientTerminal;
use super::terminal::terminal_io::{self, TerminalIo};
use super::timer::Timer;
use super::waiters::Waiters;
use crate::channels::local_queue::LocalReceiver;
use crate::channels::local_watch::WatchReceiver;
use crate::crash_record::CrashRecord;
use crate::session::{ManagerInput, ManagerTx};

/// A pane's task. What few panes have at a time is boxed, since there are thousands of idle panes.
pub(super) struct PaneTask {
    pub(super) id: PaneId,
    pub(super) run: RunId,
    /// The process that the pane was started with.
    pub(super) pid: u32,
    pub(super) io: TerminalIo,
    pub(super) keyboard: Keyboard,
    replies: HeldReplies,
    pub(super) turns: Turns,
    pub(super) dialogs: DialogWatch,
    pub(super) answers: DialogAnswers,
    pub(super) waiters: Waiters,
    pub(super) commands: CommandRuns,
    pub(super) subscribers: Subscribers,
    pub(super) observer: PaneObserver,
    pub(super) storage: ScreenStorage,
    pub(super) saving: ScreenSaveSchedule,
    pub(super) status: WatchReceiver<PaneStatus>,
    terminal: ClientTerminal,
    pub(super) manager: ManagerTx,
    pub(super) crash_record: CrashRecord,
    /// The turns in which output was read since the program ended.
    pub(super) last_turns: usize,
    /// How the program ended, once all its output is read and the manager was told.
    pub(super) ended: Option<ExitStatus>,
    is_lost: bool,
    timer: Timer,
}

/// The reason that the task woke up.
enum TaskWakeup {
    Order(Option<PaneOrder>),
    Status {
        is_open: bool,
    },
    Readable,
    /// Output that was read before is still to be processed.
    Rest,
    Writable,
    Timer,
    Cancelled,
    /// The agent in the foreground has ended, or the table of agents has changed.
    LookAgain,
}

impl PaneTask {
    pub(super) fn new(
        start: TaskStart,
        pump: Pump,
        context: PaneContext,
        status: WatchReceiver<PaneStatus>,
    ) -> io::Result<Self> {
        let mut records = InputRecords::new(&context.input_records, start.run);
        let left = records.take_left();
        let mut input = TypedInput::new(start.id, records, context.answers);
        let commands = CommandRuns::new(input.restore(left, Instant::now()));
        Ok(Self {
            id: start.id,
            run: start.run,
            pid: start.pid,
            io: TerminalIo::new(&start, pump)?,
            keyboard: Keyboard::new(input, start.offset > 0),
            replies: HeldReplies::default(),
            turns: Turns::default(),
            dialogs: DialogWatch::default(),
            answers: DialogAnswers::default(),
            waiters: Waiters::default(),
            commands,
            subscribers: Subscribers::default(),
            observer: PaneObserver::new(start.id, start.offset > 0, context.agents, context.monitored),
            storage: ScreenStorage::new(&start, context.keeper),
            saving: ScreenSaveSchedule::new(start.id, context.screens),
            status,
            terminal: ClientTerminal::default(),
            manager: context.manager,
            crash_record: context.crash_record,
            last_turns: 0,
            ended: start.exited.filter(|_| start.is_lost),
            is_lost: start.is_lost,
            timer: Timer::default(),
        })
    }

    /// Serves until the manager drops the handle. The screen is left to the pane's next program.
    pub(super) async fn serve(&mut self, screen: &mut Screen, mut orders: LocalReceiver<PaneOrder>) {
        self.status.mark_changed();
        self.send_replies(screen);
        // What was reported while there was no daemon is not about a command that is run from now on.
        self.handle_screen_events(screen.take_events(), screen);
        if self.io.offset() == 0 {
            self.observer.begin(screen);
        }
        if self.is_lost {
            self.saving.is_saved(screen);
        } else if self.io.offset() == 0 && screen.revision() > 0 {
            self.storage.store(screen, 0);
        }
        loop {
            match self.wait(&mut orders).await {
                TaskWakeup::Order(None) | TaskWakeup::Status { is_open: false } => break,
                // Keys change nothing here until the program answers them.
                TaskWakeup::Order(Some(order @ (PaneOrder::Keys(_) | PaneOrder::ExpectKeys))) => {
                    self.execute(order, screen);
                    continue;
                }
                TaskWakeup::Order(Some(order)) => self.execute(order, screen),
                TaskWakeup::Status { is_open: true } => self.apply_status(screen),
                TaskWakeup::Readable => self.read(screen).await,
                TaskWakeup::Rest => self.show_output(screen),
                TaskWakeup::LookAgain => self.observer.look_again(screen, Instant::now()),
                TaskWakeup::Writable | TaskWakeup::Timer | TaskWakeup::Cancelled => {}
            }
            self.advance(screen).await;
        }
        self.close(screen, orders).await;
    }

    async fn wait(&mut self, orders: &mut LocalReceiver<PaneOrder>) -> TaskWakeup {
        // In this order: a pause that ends in between must not be waited for with neither its timer nor the terminal.
        let (due, gives_output) = (self.due(), self.io.gives_output(Instant::now()));
        let has_rest = self.io.gives_rest(Instant::now());
        tokio::select! {
            order = orders.recv() => TaskWakeup::Order(order),
            is_open = self.status.changed() => TaskWakeup::Status { is_open },
            () = self.io.readable(), if gives_output => TaskWakeup::Readable,
            // Other tasks have their turn first.
            () = tokio::task::yield_now(), if has_rest => TaskWakeup::Rest,
            () = self.io.writable(), if !self.io.is_hung_up() => TaskWakeup::Writable,
            () = self.timer.until(due) => TaskWakeup::Timer,
            () = cancelled(&mut self.waiters, &mut self.commands) => TaskWakeup::Cancelled,
            () = poll_fn(|context| self.observer.poll_changed(context)), if !self.is_lost => TaskWakeup::LookAgain,
        }
    }

    /// Returns when something must be done though nothing happens.
    fn due(&mut self) -> Option<Instant> {
        let (last_output, now) = (self.io.last_output(), Instant::now());
        let dues = [
            self.io.paused_until(now),
            self.waiters.due(last_output),
            self.replies.due(),
            // Half of an update is not looked at.
            self.keyboard.due(last_output, now).filter(|_| !self.io.sync.is_open()),
            self.answers.due().filter(|_| !self.io.sync.is_open()),
            self.dialogs.due().filter(|_| !self.io.sync.is_open()),
            self.io.sync.due(),
            self.observer.due().filter(|_| !self.is_lost),
            self.storage.due(last_output, self.io.offset()),
            self.saving.due(),
            self.commands.due(last_output),
        ];
        dues.into_iter().flatten().min()
    }

    /// Applies what the manager published: a size, another terminal, or that the program has ended.
    fn apply_status(&mut self, screen: &mut Screen) {
        let status = *self.status.borrow();
        self.turns.publish(status.agent);
        if std::mem::replace(&mut self.terminal, status.terminal) != status.terminal {
            status.terminal.apply(screen);
            self.send_replies(screen);
        }
        if status.size != self.io.size() || screen.size() != screen_size(status.size) {
            screen.resize(screen_size(status.size));
            self.subscribers.recording.resized(status.size);
        }
        self.io.resize(status.size, screen.cell_size());
        self.end_waits_if_recorded(screen, Instant::now());
    }

    /// Does everything that may be due after any event: notifying subscribers, pressing Enter, answering waits, and
    /// reporting to the manager.
    async fn advance(&mut self, screen: &mut Screen) {
        let now = Instant::now();
        if self.io.sync.is_held_due(now) {
            self.show_output(screen);
        }
        self.io.sync.expire(screen, now);
        if !self.io.sync.is_open() && self.subscribers.notify_changed(screen, self.io.is_flooding()) {
            // Someone waits for an echo, and gets it before the rest is done.
            tokio::task::yield_now().await;
        }
        if self.replies.due().is_some() {
            self.send_replies(screen);
        }
        self.advance_keyboard(screen, now);
        self.advance_dialogs(screen, now);
        self.advance_command(screen, now);
        self.write();
        self.waiters.check(self.facts(screen, now));
        self.storage.pack_if_due(screen, self.io.last_output(), self.io.offset(), now);
        self.saving.save_if_due(screen, now);
        let (terminal, pid, last_output) = (self.io.master(), self.pid, self.io.last_output());
        let observed = ObservedTerminal { screen, terminal, pid, last_output };
        if !self.is_lost {
            self.observer.report(observed, &self.manager, now).await;
        }
        self.report_end(screen).await;
    }

    /// Sends the program the replies to its queries, or holds them until it is ready.
    pub(super) fn send_replies(&mut self, screen: &mut Screen) {
        let replies = self.replies.pass(screen.take_replies(), Instant::now(), || self.io.echoes_lines());
        self.keyboard.send_reply(&replies);
    }

    fn advance_keyboard(&mut self, screen: &Screen, now: Instant) {
        if self.io.sync.is_open() {
            return;
        }
        let reader = if self.keyboard.is_submitting() { self.reader() } else { TerminalReader::Other };
        let facts = self.facts(screen, now);
        if let Some(notice) = self.keyboard.advance(facts, reader) {
            let typed = Input::NotificationTyped { session: notice.session, messages: notice.messages };
            // Best effort: if the manager's queue is full, the messages count as not announced and may be again.
            let _ = self.manager.try_send(ManagerInput::Machine(typed));
        }
    }

    /// Reports a dialog that came or went, and presses the next key of an answer.
    fn advance_dialogs(&mut self, screen: &Screen, now: Instant) {
        if self.io.sync.is_open() {
            return;
        }
        let facts = self.facts(screen, now);
        if let Some(key) = self.answers.advance(facts) {
            self.keyboard.send_reply(&key);
            if self.answers.ends_dialog() {
                self.dialogs.answer_pressed();
            }
        }
        if let Some(mut dialog) = self.dialogs.look(facts) {
            if let Some(dialog) = dialog.as_mut().filter(|_| !self.observer.is_agent_running()) {
                dialog.command = None;
            }
            let answered = self.dialogs.was_answered();
            let observed = Input::DialogObserved { pane: self.id, dialog, answered };
            if self.manager.try_send(ManagerInput::Machine(observed)).is_err() {
                self.dialogs.not_told();
            }
        }
    }

    /// Types the next part of the command that is run, or reports its end.
    fn advance_command(&mut self, screen: &Screen, now: Instant) {
        if self.commands.is_idle() {
            return;
        }
        if let Some((bytes, intent)) = self.with_commands(screen, now, CommandRuns::advance) {
            match self.keyboard.type_command(&bytes, intent) {
                Ok(record) => {
                    self.waiters.typed(&String::from_utf8_lossy(&bytes), screen);
                    self.commands.set_record(record);
                }
                Err(refusal) => self.commands.refuse(refusal),
            }
        }
    }

    pub(super) fn with_commands<T>(
        &mut self,
        screen: &Screen,
        now: Instant,
        act: impl FnOnce(&mut CommandRuns, &RunContext<'_>) -> T,
    ) -> T {
        let (facts, master, pid) = (self.facts(screen, now), self.io.master(), self.pid);
        let foreground = || ForegroundProcess::of(master, pid).pid();
        let passes_keys = || terminal_io::passes_keys(master);
        let may_hold_draft = self.keyboard.may_hold_draft();
        let context = RunContext {
            facts,
            first: pid,
            may_hold_draft,
            was_interrupted: self.keyboard.was_interrupted(),
            foreground: &foreground,
            passes_keys: &passes_keys,
        };
        act(&mut self.commands, &context)
    }

    pub(super) fn facts<'a>(&self, screen: &'a Screen, now: Instant) -> PaneFacts<'a> {
        let (agent, locked_ms) = (self.status.borrow().agent, self.keyboard.locked_ms(now));
        let (turns, last_output) = (self.turns.begun(), self.io.last_output());
        let (pane, is_in_turn) = (self.id, self.turns.is_working());
        let is_direct = agent.is_some() && self.observer.is_agent_direct(self.io.master(), self.pid);
        let begun = self.observer.begun();
        PaneFacts { pane, screen, agent, is_direct, begun, turns, is_in_turn, locked_ms, last_output, now }
    }

    /// Ends all waits once the program's end is stored and published.
    pub(super) fn end_waits_if_recorded(&mut self, screen: &Screen, now: Instant) {
        let exit = self.status.borrow().exit_recorded;
        if exit.is_some() {
            self.end_waits(screen, exit, now);
        }
    }

    /// Ends all waits: the program has ended, or the pane is closed.
    pub(super) fn end_waits(&mut self, screen: &Screen, exit: Option<ExitStatus>, now: Instant) {
        self.waiters.end(self.id, screen, exit, now);
        self.with_commands(screen, now, |commands, context| commands.end(exit, context));
    }

    /// Returns what reads the terminal.
    pub(super) fn reader(&self) -> TerminalReader {
        self.observer.reader(self.io.master(), self.pid)
    }

    pub(super) fn write(&mut self) {
        self.io.write(self.keyboard.input());
    }
}

/// Resolves when a wait or a command was cancelled; it is removed.
async fn cancelled(waiters: &mut Waiters, commands: &mut CommandRuns) {
    poll_fn(|context| {
        let any = waiters.poll_cancelled(context) | commands.poll_cancelled(context);
        if any { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

pub(super) fn screen_size(size: Size) -> fugue_screen::Size {
    fugue_screen::Size { cols: size.cols, rows: size.rows }
}
