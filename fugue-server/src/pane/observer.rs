//! Observing a pane for the manager: its title, its directory, the agent in it, its bell and notifications. Reports are
//! made a few times a second at most, and only on change; a silent pane is looked at only when its agent has ended.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use fugue_agents::{Front, keep_ends};
use fugue_core::Input;
use fugue_protocol::PaneId;
use fugue_protocol::agents::{Evidence, EvidenceSource};
use fugue_screen::{ProgressReport, Screen, ScreenEvent};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::activity_monitor::{ActivityMonitor, MonitorSettings};
use super::agent::agent_evidence::{self, PaneLook, QUIET, REPORT_AGE, STARTUP};
use super::agent::first_rest::FirstRest;
use super::agent::left_screen::LeftScreen;
use super::shell::foreground_process::{
    ForegroundProcess, ForegroundProgram, TerminalReader, reads_terminal_of,
};
use super::shell::process_info::is_in_foreground;
use crate::channels::local_watch::WatchReceiver;
use crate::config::agent_table_file::SharedAgentTable;
use crate::session::{ManagerInput, ManagerTx};
use crate::{clock, fd_readiness};

/// The least time between two reports.
const INTERVAL: Duration = Duration::from_millis(250);

/// The delay after output that reports nothing explicitly: a program that starts needs a moment to show itself.
const OUTPUT_DELAY: Duration = Duration::from_millis(50);

/// Notifications kept for the next report; of more, the newest.
const MAX_NOTIFICATIONS: usize = 8;

/// What was reported last, and what is to be reported next.
pub(super) struct PaneObserver {
    pane: PaneId,
    /// None before the first report: the journal may hold an older title.
    title: Option<String>,
    cwd: Option<String>,
    program: Option<String>,
    agent: (Front, Vec<Evidence>),
    /// Whether the program reported something explicitly since the last report.
    is_pending: bool,
    bell: bool,
    notifications: VecDeque<(String, String)>,
    /// When the first output since the last report came.
    output_since: Option<Instant>,
    /// When to look again though nothing happens: quiet or the age of the program will be evidence.
    look_at: Option<Instant>,
    /// The foreground program, and since when it is there.
    foreground: Option<(u32, Option<Instant>)>,
    /// What was on the screen when that program was started, and is not its own.
    left: LeftScreen,
    first_rest: FirstRest,
    last_report: Option<Instant>,
    started: Instant,
    /// The process that reported its state.
    reporter: Option<ForegroundProcess>,
    /// The agent that a foreground program had started when the state was reported.
    reporting_child: Option<u32>,
    /// The foreground and the agent in it, if the agent reads this terminal and not one of a program in between.
    direct: Option<(ForegroundProcess, u32)>,
    agents: SharedAgentTable,
    activity: ActivityMonitor,
    /// The exit code of the last command, and whether it is known: the screen may remember one from before.
    last_exit: (Option<i32>, bool),
    reported_exit: Option<i32>,
    /// The agent's process, whose end is noticed though the pane is silent.
    process: Option<ProcessWatch>,
}

/// The terminal that is observed.
pub(super) struct ObservedTerminal<'a> {
    pub(super) screen: &'a mut Screen,
    pub(super) terminal: BorrowedFd<'a>,
    pub(super) pid: u32,
    pub(super) last_output: Instant,
}

impl PaneObserver {
    pub(super) fn new(
        pane: PaneId,
        existed_before: bool,
        agents: SharedAgentTable,
        monitored: WatchReceiver<MonitorSettings>,
    ) -> Self {
        let started = Instant::now();
        Self {
            pane,
            title: None,
            cwd: None,
            program: None,
            agent: (Front::Hidden, Vec::new()),
            is_pending: true,
            bell: false,
            notifications: VecDeque::new(),
            output_since: None,
            look_at: None,
            // In a new pane, every program is new.
            foreground: (!existed_before).then_some((0, None)),
            left: LeftScreen::default(),
            first_rest: FirstRest::Over,
            last_report: None,
            started,
            reporter: None,
            reporting_child: None,
            direct: None,
            agents,
            activity: ActivityMonitor::new(monitored),
            last_exit: (None, false),
            reported_exit: None,
            process: None,
        }
    }

    /// Ready when the agent in the foreground has ended, or the table of agents or what is monitored has changed.
    pub(super) fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let has_ended = self.process.as_ref().is_some_and(|process| process.poll_ended(context).is_ready());
        let is_other_table = self.agents.poll_changed(context).is_ready();
        let is_other_monitor = self.activity.poll_changed(context).is_ready();
        if has_ended || is_other_table || is_other_monitor { Poll::Ready(()) } else { Poll::Pending }
    }

    /// The pane's program was just started. What the one before left on the screen is not its own.
    pub(super) fn begin(&mut self, screen: &Screen) {
        self.left.seen = screen.revision();
    }

    /// The revision of the screen when the program in the foreground was started; none if that is unknown.
    pub(super) fn begun(&self) -> Option<u64> {
        self.left.begun
    }

    /// Looks again soon. The shell needs a moment to take over the terminal from an agent that has ended.
    pub(super) fn look_again(&mut self, screen: &Screen, now: Instant) {
        self.process = None;
        self.left.seen = screen.revision();
        self.output_since.get_or_insert(now);
    }

    /// Takes note of what the program reported; it is passed on with the next report.
    pub(super) fn screen_event(&mut self, event: ScreenEvent, terminal: BorrowedFd<'_>, pid: u32) {
        match event {
            ScreenEvent::Bell => self.bell = true,
            ScreenEvent::Notification { title, body } => {
                if self.notifications.len() == MAX_NOTIFICATIONS {
                    self.notifications.pop_front();
                }
                self.notifications.push_back((title, body));
            }
            ScreenEvent::ProgramStatus(_) | ScreenEvent::Progress(_) => {
                self.reporter = Some(ForegroundProcess::of(terminal, pid));
            }
            ScreenEvent::CommandEnd { exit, .. } => self.last_exit = (exit, true),
            ScreenEvent::Title(_) | ScreenEvent::Cwd(_) => {}
            _ => return,
        }
        self.is_pending = true;
    }

    /// Takes note that the program wrote something.
    pub(super) fn output_seen(&mut self, now: Instant) {
        self.output_since.get_or_insert(now);
        self.activity.output_seen(now);
    }

    /// Returns when the next report is due.
    pub(super) fn due(&self) -> Option<Instant> {
        let next = self.last_report.map_or(self.started, |last| last + INTERVAL);
        let pending = self.is_pending.then_some(next);
        let output = self.output_since.map(|since| next.max(since + OUTPUT_DELAY));
        [pending, output, self.look_at, self.activity.due()].into_iter().flatten().min()
    }

    /// Reports to the manager what changed, if it is time.
    pub(super) async fn report(&mut self, observed: ObservedTerminal<'_>, manager: &ManagerTx, now: Instant) {
        if self.due().is_none_or(|due| due > now) {
            return;
        }
        (self.last_report, self.output_since, self.is_pending) = (Some(now), None, false);
        for input in self.changes(observed, now) {
            // An input takes more room than a permit, and a future keeps what it holds while it waits.
            if let Ok(permit) = manager.reserve().await {
                permit.send(ManagerInput::Machine(input));
            }
        }
    }

    fn changes(&mut self, observed: ObservedTerminal<'_>, now: Instant) -> Vec<Input> {
        let pane = self.pane;
        let foreground = ForegroundProcess::of(observed.terminal, observed.pid);
        let mut program = foreground.program(observed.pid, &self.agents.table());
        self.clear_stale_reports(observed.screen, foreground, &program);
        let mut inputs: Vec<_> =
            std::mem::take(&mut self.bell).then_some(Input::BellRang { pane }).into_iter().collect();
        let notifications = self.notifications.drain(..);
        inputs.extend(notifications.map(|(title, body)| Input::Notified { pane, title, body }));
        let title = observed.screen.title();
        if self.title.as_deref() != Some(title) {
            self.title = Some(title.to_owned());
            inputs.push(Input::TitleChanged { pane, title: title.to_owned() });
        }
        let reported = observed.screen.cwd().map(str::to_owned);
        let cwd = reported.or_else(|| {
            foreground.directory().map(|cwd| crate::program_start::spawn_environment::text(&cwd))
        });
        if cwd.is_some() && self.cwd != cwd {
            self.cwd.clone_from(&cwd);
            inputs.extend(cwd.map(|cwd| Input::DirectoryChanged { pane, cwd }));
        }
        let name = program.name.take();
        if self.program != name {
            self.program.clone_from(&name);
            inputs.push(Input::ForegroundChanged { pane, program: name });
        }
        if !self.last_exit.1 {
            self.last_exit = (observed.screen.last_command().and_then(|command| command.exit), true);
        }
        if self.reported_exit != self.last_exit.0 {
            self.reported_exit = self.last_exit.0;
            inputs.push(Input::CommandEnded { pane, exit: self.last_exit.0 });
        }
        inputs.extend(self.activity.take(now).map(|kind| Input::ActivitySeen { pane, kind }));
        let (pid, recognized) = (program.pid, program.front.clone());
        if self.is_other_agent(&program) {
            // What the one before reported ended with it.
            self.agent = (Front::Other, Vec::new());
            inputs.push(Input::AgentObserved { pane, front: Front::Other, evidence: Vec::new() });
        }
        inputs.extend(self.agent_change(&observed, program, now));
        // A name that only the screen shows is no process.
        let is_process =
            matches!(recognized, Front::Named(_) | Front::Program(_)) && recognized == self.agent.0;
        let is_direct = is_process && reads_terminal_of(observed.terminal, pid);
        self.direct = is_direct.then_some((foreground, pid));
        inputs
    }

    /// Whether the agent that was recognized last is in the foreground of the terminal and reads it. Nothing else on the
    /// screen counts as its own: a terminal within the terminal may show anything, whatever runs there.
    pub(super) fn is_agent_direct(&self, terminal: BorrowedFd<'_>, pid: u32) -> bool {
        self.direct.is_some_and(|(foreground, _)| foreground == ForegroundProcess::of(terminal, pid))
    }

    /// Returns what reads the terminal.
    pub(super) fn reader(&self, terminal: BorrowedFd<'_>, pid: u32) -> TerminalReader {
        ForegroundProcess::of(terminal, pid).reader(pid, &self.agents.table())
    }

    /// Whether that agent still runs.
    pub(super) fn is_agent_running(&self) -> bool {
        self.direct.is_some_and(|(_, pid)| is_in_foreground(pid))
    }

    /// Whether another agent has followed the one that was there at the last look, with nothing seen in between.
    fn is_other_agent(&self, program: &ForegroundProgram) -> bool {
        let follows =
            self.left.is_agent && self.left.pid != program.pid && matches!(program.front, Front::Named(_));
        follows && matches!(self.agent.0, Front::Named(_)) && !is_in_foreground(self.left.pid)
    }

    fn agent_change(
        &mut self,
        observed: &ObservedTerminal<'_>,
        program: ForegroundProgram,
        now: Instant,
    ) -> Option<Input> {
        let since = self.foreground_since(program.pid, now);
        self.left.look(program.pid, &program.front, since.is_some(), observed.screen.revision());
        let look = PaneLook {
            now: clock::now(),
            is_quiet: now.saturating_duration_since(observed.last_output) >= QUIET,
            age: since.map_or(Duration::MAX, |since| now.saturating_duration_since(since)),
            begun: self.left.begun,
        };
        let (front, evidence) =
            agent_evidence::evidence(&self.agents.table(), observed.screen, program.front, look);
        let mut agent = (front, self.first_rest.filter(evidence, look.now));
        keep_ends(&self.agent.1, &mut agent.1);
        let is_guess = agent.1.iter().any(|evidence| evidence.source == EvidenceSource::Quiescence);
        let quiet_at = is_guess.then(|| observed.last_output + QUIET);
        let grown_up_at = since.filter(|_| agent.0 != Front::Shell).map(|since| match agent.0 {
            Front::Named(_) => since + STARTUP,
            _ => since + REPORT_AGE,
        });
        let rest_at = self.first_rest.wait().map(|wait| now + wait);
        self.look_at = [quiet_at, grown_up_at, rest_at].into_iter().flatten().filter(|at| *at > now).min();
        self.watch_process(program.pid, &agent.0);
        if self.agent == agent {
            return None;
        }
        self.agent.clone_from(&agent);
        Some(Input::AgentObserved { pane: self.pane, front: agent.0, evidence: agent.1 })
    }

    /// Returns when a program came to the foreground; nothing if it was there before this daemon.
    fn foreground_since(&mut self, pid: u32, now: Instant) -> Option<Instant> {
        match self.foreground {
            Some((known, since)) if known == pid => since,
            before => {
                let since = before.map(|_| now);
                self.foreground = Some((pid, since));
                self.first_rest = if since.is_some() { FirstRest::Awaited } else { FirstRest::Over };
                since
            }
        }
    }

    /// Watches the process of an agent, and no other.
    fn watch_process(&mut self, pid: u32, front: &Front) {
        let is_agent = matches!(front, Front::Named(_));
        if self.process.as_ref().is_none_or(|process| process.pid != pid || !is_agent) {
            self.process = is_agent.then(|| ProcessWatch::new(pid)).flatten();
        }
    }

    /// Clears what a program reported of itself, once that program is gone.
    fn clear_stale_reports(
        &mut self,
        screen: &mut Screen,
        foreground: ForegroundProcess,
        program: &ForegroundProgram,
    ) {
        if screen.statuses().next().is_none() && screen.progress() == ProgressReport::None {
            return;
        }
        let reporter = *self.reporter.get_or_insert(foreground);
        let is_shell = program.front == Front::Shell;
        // The program that started the agent may still be running.
        let child = (program.pid != foreground.pid()).then_some(program.pid);
        let is_child_gone = self.reporting_child.is_some_and(|before| child != Some(before));
        if is_child_gone || is_shell && reporter == foreground || reporter != foreground && reporter.is_gone()
        {
            screen.forget_reports();
            (self.reporter, self.reporting_child) = (None, None);
        } else {
            self.reporting_child = child;
        }
    }
}

/// A process that is watched until it ends.
struct ProcessWatch {
    pid: u32,
    end: AsyncFd<OwnedFd>,
}

impl ProcessWatch {
    fn new(pid: u32) -> Option<Self> {
        let process = Pid::from_raw(pid.cast_signed())?;
        let process = pidfd_open(process, PidfdFlags::NONBLOCK).ok()?;
        let end = fd_readiness::watch(process.as_fd(), Interest::READABLE).ok()?;
        Some(Self { pid, end })
    }

    fn poll_ended(&self, context: &mut Context<'_>) -> Poll<()> {
        self.end.poll_read_ready(context).map(drop)
    }
}
