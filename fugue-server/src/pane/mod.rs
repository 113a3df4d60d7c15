//! A pane: one task that owns its terminal, its screen and its waiters. Nobody else touches them; the manager and
//! clients hold handles and send orders.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;

use fugue_core::PaneRequest;
use fugue_core::agents::AgentSummary;
use fugue_core::edge_request::{RunRequest, WaitRequest};
use fugue_core::effect::Notification;
use fugue_keeper::{PaneFds, Pump};
use fugue_protocol::views::{ExitStatus, PaneOutput, RunResult, WaitResult};
use fugue_protocol::{PaneId, Refusal, RunId, Size};
use fugue_screen::{Limits, Screen};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::client::{Receipt, Subscription};
use crate::keeper::Keeper;
use crate::reply::{Outbox, Reply};
use crate::session::Desk;
use crate::shells;
use foreground::Foreground;

mod foreground;
mod glimpses;
mod ground;
mod hold;
mod input;
mod keeping;
mod line;
mod nudging;
mod obeying;
mod program;
mod readiness;
mod reading;
mod restore;
mod running;
mod searching;
mod signs;
mod submitting;
mod taking;
mod tape;
mod task;
mod tidying;
mod timer;
mod unread;
mod waiting;
mod watching;
mod whole;

pub(crate) use ground::Ground;
pub(crate) use restore::restore;
pub(crate) use tape::{Mark, Strip};
pub(crate) use watching::{Shown, Watcher};

/// Orders that may wait for a pane; past that whoever asks is told that it is busy.
const ORDERS: usize = 1_024;

/// What a pane's task is asked.
pub(crate) enum Order {
    /// Type or read.
    Ask(PaneRequest, Reply),
    /// Wait; whoever lets go of the answer's other end waits no more.
    Wait(WaitRequest, waiting::Answer),
    /// Run a command in the pane's shell, or wait for the one that is its program.
    Run { running: RunRequest, own: bool, answer: running::Answer },
    /// The last lines of its text.
    Tail { lines: usize, answer: oneshot::Sender<PaneOutput> },
    /// A person is about to type.
    Expect,
    /// What a person typed; whoever typed too much is told so.
    Keys { bytes: Vec<u8>, receipt: Option<Receipt>, outbox: Outbox },
    /// Type this line when nothing speaks against it; none when it is no longer wanted.
    Nudge(Option<Notification>),
    /// Ring this watcher's bell whenever the screen changes.
    Watch(Arc<Watcher>),
    /// Ring this one's bell whenever there is more on the tape.
    Record(Arc<Watcher>),
    /// What came on the tape since a mark.
    Strip { from: Mark, answer: oneshot::Sender<Strip> },
    /// What changed on the screen since a revision.
    Update { since: u64, answer: oneshot::Sender<Shown> },
}

/// What the program last wanted on the clipboard. One text is kept, of the length that the screen takes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Copied {
    /// How often it wanted something there.
    pub(crate) count: u64,
    pub(crate) text: Arc<str>,
}

/// What a pane's task must know; only the newest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) size: Size,
    /// Its program has ended; read what is left.
    pub(crate) exited: Option<ExitStatus>,
    /// Everybody knows that it has ended.
    pub(crate) settled: Option<ExitStatus>,
    /// How the agent in it is doing.
    pub(crate) mood: Option<AgentSummary>,
    /// The colors of the terminal in which it is shown.
    pub(crate) ground: Ground,
}

/// The manager's handle of a pane. Dropping it ends the task.
pub(crate) struct Pane {
    pub(crate) run: RunId,
    id: PaneId,
    pid: u32,
    master: OwnedFd,
    orders: mpsc::Sender<Order>,
    standing: watch::Sender<Standing>,
    task: JoinHandle<Screen>,
}

/// A program that a pane is to show.
pub(crate) struct Start {
    pub(crate) id: PaneId,
    pub(crate) run: RunId,
    pub(crate) size: Size,
    pub(crate) pid: u32,
    pub(crate) fds: PaneFds,
}

/// Whom a pane's task speaks to.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) desk: Desk,
    pub(crate) keeper: Keeper,
}

/// Shows a program that was just started; a former pane's history goes on.
pub(crate) fn host(
    start: Start,
    former: Option<Pane>,
    limits: Limits,
    desk: Desk,
    keeper: Keeper,
) -> io::Result<Pane> {
    let size = screen_size(start.size);
    let (pump, pidfd, _) = Pump::from_fds(start.fds)?;
    drop(pidfd);
    let screen = async move {
        let mut screen = match former {
            Some(former) => {
                let mut screen = former.screen().await;
                screen.begin_program();
                screen
            }
            None => Screen::new(size, limits),
        };
        screen.trust_marks(&shells::key(start.run));
        screen
    };
    let begun =
        Begun { id: start.id, run: start.run, size: start.size, pid: start.pid, offset: 0, exited: None };
    begin(begun, pump, screen, Surroundings { desk, keeper })
}

/// Where a task begins.
pub(crate) struct Begun {
    pub(crate) id: PaneId,
    pub(crate) run: RunId,
    pub(crate) size: Size,
    pub(crate) pid: u32,
    /// How much of the output the screen has seen.
    pub(crate) offset: u64,
    pub(crate) exited: Option<ExitStatus>,
}

fn begin(
    begun: Begun,
    pump: Pump,
    screen: impl Future<Output = Screen> + 'static,
    surroundings: Surroundings,
) -> io::Result<Pane> {
    let master = pump.master().try_clone_to_owned()?;
    let (orders, inbox) = mpsc::channel(ORDERS);
    let (size, exited, ground) = (begun.size, begun.exited, Ground::default());
    let standing = watch::Sender::new(Standing { size, exited, settled: None, mood: None, ground });
    let (id, run, pid) = (begun.id, begun.run, begun.pid);
    let task = task::Task::new(begun, pump, surroundings, standing.subscribe())?;
    let task = tokio::task::spawn_local(async move { task.serve(screen.await, inbox).await });
    Ok(Pane { run, id, pid, master, orders, standing, task })
}

impl Pane {
    /// The pane has this size now.
    pub(crate) fn resize(&self, size: Size) {
        self.standing.send_if_modified(|standing| std::mem::replace(&mut standing.size, size) != size);
    }

    /// Its program has ended.
    pub(crate) fn exited(&self, run: RunId, exit: ExitStatus) {
        if run == self.run {
            self.standing.send_modify(|standing| standing.exited = Some(exit));
        }
    }

    /// Everybody knows that its program has ended.
    pub(crate) fn settle(&self, exit: ExitStatus) {
        self.standing.send_modify(|standing| standing.settled = Some(exit));
    }

    /// The agent in it is doing so now.
    pub(crate) fn feel(&self, mood: Option<AgentSummary>) {
        self.standing.send_if_modified(|standing| std::mem::replace(&mut standing.mood, mood) != mood);
    }

    /// A line to be typed when nothing speaks against it, or none. What a busy pane does not hear comes again with the
    /// next message.
    pub(crate) fn nudge(&self, notice: Option<Notification>) {
        let _ = self.orders.try_send(Order::Nudge(notice));
    }

    /// The terminal in which it is shown has these colors.
    pub(crate) fn ground(&self, ground: Ground) {
        self.standing.send_if_modified(|standing| std::mem::replace(&mut standing.ground, ground) != ground);
    }

    /// Passes a question on.
    pub(crate) fn ask(&self, ask: PaneRequest, reply: Reply, subscription: &Subscription) {
        match ask {
            PaneRequest::Watch => subscription.watch(self.id, self.orders.clone(), reply),
            PaneRequest::Unwatch => subscription.unwatch(self.id, reply),
            PaneRequest::Record(view) => subscription.record(view, self.orders.clone(), reply),
            PaneRequest::Wait(waiting) => reply.relay(self.wait(waiting)),
            PaneRequest::Run(running) => reply.relay(self.run(running, false)),
            PaneRequest::Finish(running) => reply.relay(self.run(running, true)),
            ask => {
                if let Some(Order::Ask(_, reply)) = self.order(Order::Ask(ask, reply)) {
                    reply.refuse(Refusal::Busy { pane: self.id });
                }
            }
        }
    }

    /// Gives an order, or gives it back when the pane is too busy.
    fn order(&self, order: Order) -> Option<Order> {
        self.orders.try_send(order).err().map(mpsc::error::TrySendError::into_inner)
    }

    /// Waits; the answer is dropped unanswered when the pane is gone.
    pub(crate) fn wait(&self, waiting: WaitRequest) -> oneshot::Receiver<Result<WaitResult, Refusal>> {
        let (answer, told) = oneshot::channel();
        if let Some(Order::Wait(_, answer)) = self.order(Order::Wait(waiting, answer)) {
            let _ = answer.send(Err(Refusal::Busy { pane: self.id }));
        }
        told
    }

    fn run(&self, running: RunRequest, own: bool) -> oneshot::Receiver<Result<RunResult, Refusal>> {
        let (answer, told) = oneshot::channel();
        if let Some(Order::Run { answer, .. }) = self.order(Order::Run { running, own, answer }) {
            let _ = answer.send(Err(Refusal::Busy { pane: self.id }));
        }
        told
    }

    /// The way to its task.
    pub(crate) fn door(&self) -> mpsc::Sender<Order> {
        self.orders.clone()
    }

    /// Where its foreground program is, else its first one.
    pub(crate) fn directory(&self) -> Option<PathBuf> {
        let foreground = Foreground::of(self.master.as_fd(), self.pid);
        foreground.directory().or_else(|| Foreground::first(self.pid).directory())
    }

    /// Ends the task and takes its screen.
    async fn screen(self) -> Screen {
        drop((self.orders, self.standing));
        self.task.await.unwrap_or_else(|_| Screen::new(screen_size(Size::DEFAULT), Limits::default()))
    }
}

/// The keeper's word for how a program ended, in the protocol's.
pub(crate) fn exit(exit: fugue_keeper::Exit) -> ExitStatus {
    match exit {
        fugue_keeper::Exit::Code(code) => ExitStatus::Code(code),
        fugue_keeper::Exit::Signal(signal) => ExitStatus::Signal(signal),
        fugue_keeper::Exit::Unknown => ExitStatus::Unknown,
    }
}

fn screen_size(size: Size) -> fugue_screen::Size {
    fugue_screen::Size { cols: size.cols, rows: size.rows }
}
