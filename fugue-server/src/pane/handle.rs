//! The manager's handle of a pane, and how a pane's task is started.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::pin::Pin;

use fugue_core::PaneRequest;
use fugue_core::agents::AgentSummary;
use fugue_core::edge_request::{AnswerRequest, RunRequest, WaitRequest};
use fugue_core::effect::Notification;
use fugue_keeper::Pump;
use fugue_protocol::views::{ExitStatus, RunResult, WaitResult};
use fugue_protocol::{PaneId, Refusal, RunId, Size};
use fugue_screen::{Limits, Screen};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::order::{PaneOrder, PaneStatus, RuleOutcome};
use super::shell::foreground_process::ForegroundProcess;
use super::task::{PaneTask, screen_size};
use super::task_start::{PaneContext, TaskStart};
use super::terminal::client_terminal::ClientTerminal;
use crate::channels::local_queue::{LocalSender, local_queue};
use crate::channels::local_watch::WatchSender;
use crate::program_start::shell_integration;
use crate::replies::reply::Reply;
use crate::tasks;

/// Orders that may be queued for a pane; beyond that requests are refused as busy.
const QUEUE: usize = 1_024;

/// The manager's handle of a pane. Dropping it ends the task.
pub(crate) struct PaneHandle {
    pub(crate) run: RunId,
    id: PaneId,
    pid: u32,
    master: OwnedFd,
    orders: LocalSender<PaneOrder>,
    status: WatchSender<PaneStatus>,
    task: JoinHandle<Box<Screen>>,
    /// Whether its output is not processed, because the daemon died of it.
    pub(crate) is_set_aside: bool,
}

/// A program that was just started, for a pane to host.
pub(crate) struct ProgramToHost {
    pub(crate) id: PaneId,
    pub(crate) run: RunId,
    pub(crate) size: Size,
    pub(crate) pid: u32,
    pub(crate) pump: Pump,
}

/// Starts the task of a pane whose program was just started. It takes over the history of the pane's former program.
pub(crate) fn host(
    new: ProgramToHost,
    former: Option<PaneHandle>,
    limits: Limits,
    context: PaneContext,
) -> io::Result<PaneHandle> {
    let size = screen_size(new.size);
    let screen = async move {
        let mut screen = match former {
            Some(former) => {
                let mut screen = former.into_screen().await;
                screen.begin_program();
                screen
            }
            None => Box::new(Screen::new(size, limits)),
        };
        screen.trust_marks(&shell_integration::key(new.run));
        screen
    };
    let ProgramToHost { id, run, size, pid, pump } = new;
    let start =
        TaskStart { id, run, size, pid, offset: 0, exited: None, is_lost: false, is_set_aside: false };
    PaneHandle::start(start, pump, Box::pin(screen), context)
}

impl PaneHandle {
    /// Starts a pane's task.
    pub(super) fn start(
        start: TaskStart,
        pump: Pump,
        screen: Pin<Box<dyn Future<Output = Box<Screen>>>>,
        context: PaneContext,
    ) -> io::Result<Self> {
        let master = pump.master().try_clone_to_owned()?;
        let (orders, receiver) = local_queue(QUEUE);
        let (size, exited, terminal) = (start.size, start.exited, ClientTerminal::default());
        let status =
            WatchSender::new(PaneStatus { size, exited, exit_recorded: None, agent: None, terminal });
        let (id, run, pid, is_set_aside) = (start.id, start.run, start.pid, start.is_set_aside);
        // Both are boxed, since a future has room for each value it moves into another one.
        let mut task = Box::new(PaneTask::new(start, pump, context, status.subscribe())?);
        let task = tasks::spawn_local(async move {
            let mut screen = screen.await;
            task.serve(&mut screen, receiver).await;
            screen
        });
        Ok(Self { run, id, pid, master, orders, status, task, is_set_aside })
    }

    /// Sets the pane's size.
    pub(crate) fn resize(&self, size: Size) {
        self.status.modify(|status| status.size = size);
    }

    /// Reports that the pane's program ended.
    pub(crate) fn exited(&self, run: RunId, exit: ExitStatus) {
        if run == self.run {
            self.status.modify(|status| status.exited = Some(exit));
        }
    }

    /// Reports that the end of the pane's program is stored and published.
    pub(crate) fn exit_recorded(&self, exit: ExitStatus) {
        self.status.modify(|status| status.exit_recorded = Some(exit));
    }

    /// Sets the state of the agent in the pane.
    pub(crate) fn set_agent(&self, agent: Option<AgentSummary>) {
        self.status.modify(|status| status.agent = agent);
    }

    /// Sets the terminal in which the pane is shown.
    pub(crate) fn set_terminal(&self, terminal: ClientTerminal) {
        self.status.modify(|status| status.terminal = terminal);
    }

    /// Sets the notification that is to be typed. Best effort: if the pane is busy, it comes again with the next message.
    pub(crate) fn set_notification(&self, notice: Option<Notification>) {
        let _ = self.orders.try_send(PaneOrder::Notification(notice.map(Box::new)));
    }

    /// Gives the answer that a rule of the user names. Best effort: if the pane is busy, no outcome is told, and the user
    /// answers.
    pub(crate) fn answer_dialog(&self, answer: Box<AnswerRequest>, outcome: RuleOutcome) {
        let _ = self.orders.try_send(PaneOrder::AnswerDialog(answer, outcome));
    }

    /// Saves the pane's screen to disk now. Best effort: a pane that is busy saves it later.
    pub(crate) fn save_screen(&self) {
        let _ = self.orders.try_send(PaneOrder::SaveScreen);
    }

    /// Passes a request to the pane's task.
    pub(crate) fn request(&self, request: PaneRequest, reply: Reply) {
        if let Some(PaneOrder::Request(request)) = self.send(PaneOrder::Request(Box::new((request, reply)))) {
            request.1.refuse(Refusal::Busy { pane: self.id });
        }
    }

    /// Waits for something in the pane. The sender is dropped when the pane is gone.
    pub(crate) fn wait(&self, waiting: WaitRequest) -> oneshot::Receiver<Result<WaitResult, Refusal>> {
        let (answer, receiver) = oneshot::channel();
        if let Some(PaneOrder::Wait(_, answer)) = self.send(PaneOrder::Wait(Box::new(waiting), answer)) {
            let _ = answer.send(Err(Refusal::Busy { pane: self.id }));
        }
        receiver
    }

    /// Runs a command in the pane's shell, or waits for the command that is the pane's program.
    pub(crate) fn run(
        &self,
        running: RunRequest,
        is_program: bool,
    ) -> oneshot::Receiver<Result<RunResult, Refusal>> {
        let (answer, receiver) = oneshot::channel();
        let order = PaneOrder::Run { running: Box::new(running), is_program, answer };
        if let Some(PaneOrder::Run { answer, .. }) = self.send(order) {
            let _ = answer.send(Err(Refusal::Busy { pane: self.id }));
        }
        receiver
    }

    /// Queues an order. Returns it if the queue is full.
    fn send(&self, order: PaneOrder) -> Option<PaneOrder> {
        self.orders.try_send(order).err().map(TrySendError::into_inner)
    }

    /// Returns the queue of the pane's task.
    pub(crate) fn orders(&self) -> LocalSender<PaneOrder> {
        self.orders.clone()
    }

    /// Returns the directory of the foreground program, or else of the pane's first program.
    pub(crate) fn directory(&self) -> Option<PathBuf> {
        let foreground = ForegroundProcess::of(self.master.as_fd(), self.pid);
        foreground.directory().or_else(|| ForegroundProcess::first(self.pid).directory())
    }

    /// Ends the task and returns its screen.
    pub(super) async fn into_screen(self) -> Box<Screen> {
        drop((self.orders, self.status));
        let empty = || Box::new(Screen::new(screen_size(Size::DEFAULT), Limits::default()));
        self.task.await.unwrap_or_else(|_| empty())
    }
}

/// Converts the keeper's exit status to the protocol's.
pub(crate) fn exit_status(exit: fugue_keeper::Exit) -> ExitStatus {
    match exit {
        fugue_keeper::Exit::Code(code) => ExitStatus::Code(code),
        fugue_keeper::Exit::Signal(signal) => ExitStatus::Signal(signal),
        fugue_keeper::Exit::Unknown => ExitStatus::Unknown,
    }
}
