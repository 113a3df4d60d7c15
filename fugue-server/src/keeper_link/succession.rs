//! Replacing a keeper that was killed or hangs. The daemon has the lease and every descriptor, so programs notice nothing; until a
//! successor has them too, it takes orders by itself.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fugue_keeper::{
    InstanceLock, KeeperWatch, Link, SpawnProgress, SpawnStage, StartedSuccessor, kill_leftover,
    start_successor,
};
use fugue_protocol::RunId;
use tokio::time::{Instant, sleep_until};

use super::orders::{KeeperEvent, KeeperOrder, SPAWN_MARKS};
use super::probe::Unresponsive;
use super::task::{KeeperTask, watch};
use super::unsent_orders::UnsentOrder;

/// The pauses before further attempts to start a successor begin here and double. The first attempt is immediate.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How long a successor has to start: it takes milliseconds. After each failure it has longer, since the machine may be
/// slow.
const PATIENCE: Duration = Duration::from_millis(2_500);
const LONGEST_PATIENCE: Duration = Duration::from_secs(20);

/// How long requests wait for a successor before they are refused.
const TOLD_WITHIN: Duration = Duration::from_secs(2);

/// A link to a successor that was started.
type SuccessorLink = io::Result<(Link, StartedSuccessor)>;

/// The command that starts a successor.
#[derive(Clone)]
pub(crate) struct SuccessorCommand {
    /// The daemon's own executable.
    pub(crate) program: PathBuf,
    /// The daemon's paths, as arguments.
    pub(crate) paths: Vec<PathBuf>,
}

impl SuccessorCommand {
    fn run(&self, listener: &OwnedFd, lock: &InstanceLock, patience: Duration) -> SuccessorLink {
        // The image that this process runs is of the right version and works, whatever is at its path by now. Only if it
        // cannot be executed, the file there is tried.
        let programs = ["/proc/self/exe".as_ref(), self.program.as_path()];
        let arguments = ["keeper", "--adopt"].into_iter().map(Path::new);
        let arguments: Vec<_> = arguments.chain(self.paths.iter().map(PathBuf::as_path)).collect();
        start_successor(&programs, &arguments, listener, Some(lock), patience)
    }

    /// The command line by which the keeper's process becomes this binary.
    pub(super) fn next_image(&self, binary: PathBuf) -> Vec<PathBuf> {
        [binary, "keeper".into(), "--resume".into()].into_iter().chain(self.paths.iter().cloned()).collect()
    }
}

impl<F, T> KeeperTask<F>
where
    F: Fn(KeeperEvent) -> T,
    T: Future<Output = bool>,
{
    /// Starts a successor of the keeper and sends it everything. Returns whether the task goes on.
    pub(super) async fn replace_keeper(&mut self) -> bool {
        if self.is_shut_down {
            return false;
        }
        if self.keeper.as_ref().is_some_and(|keeper| !keeper.is_dead()) {
            tracing::error!("The keeper closed the connection; it will start another daemon");
            return false;
        }
        tracing::warn!("The keeper was killed; starting a replacement");
        self.succeed().await
    }

    /// Kills a keeper that does not respond, so that it never acts again, and starts a successor. Returns whether the task
    /// goes on.
    pub(super) async fn replace_unresponsive(&mut self, why: Unresponsive) -> bool {
        let process = self.keeper.as_ref().map(|keeper| format!(" (process {})", keeper.pid()));
        let what = match why {
            Unresponsive::Stopped => "was stopped by a signal",
            Unresponsive::Silent => "did not respond",
        };
        let why = format!("The keeper{} {what} and was replaced", process.unwrap_or_default());
        tracing::error!("{why}");
        // If it answers after all, it is too late.
        self.end_upgrade(Err("the new keeper did not respond; see the log".into()));
        self.fence().await;
        if self.is_shut_down {
            self.waiting.clear();
            return false;
        }
        self.deliver(KeeperEvent::Unresponsive { why }).await;
        self.succeed().await
    }

    /// Kills the keeper, and reads what it sent before.
    async fn fence(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            keeper.kill();
        }
        self.starting = None;
        loop {
            match self.link.try_recv() {
                Ok(Some((message, fds))) => {
                    self.receive(message, fds).await;
                }
                Err(why) if why.kind() == io::ErrorKind::InvalidData => {}
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// Starts a successor of a keeper that is dead.
    async fn succeed(&mut self) -> bool {
        (self.keeper, self.starting, self.keeper_version) = (None, None, 0);
        self.probe.stop();
        self.end_upgrade(Err("the new keeper failed; see the log".into()));
        self.terminals = self.held.terminals();
        self.resume_spawns().await;
        let mut told_at = Some(Instant::now() + TOLD_WITHIN);
        loop {
            let pause = pause_before(self.failures);
            self.failures += 1;
            match self.start_successor(pause, &mut told_at).await {
                Some(Ok((link, started))) => match self.connect(link, started) {
                    Ok(()) => return true,
                    Err(why) => self.report_missing(&why).await,
                },
                Some(Err(why)) => self.report_missing(&why).await,
                None => return false,
            }
        }
    }

    /// Queues the requests for programs that the killed keeper had not begun; the others fail, and what it had started of
    /// them is killed.
    async fn resume_spawns(&mut self) {
        let kept = |order: &UnsentOrder| matches!(order, UnsentOrder::Spawn(_) | UnsentOrder::Forget(_));
        self.unsent.retain(kept);
        for (run, progress) in self.held.interrupted_spawns().into_iter().rev() {
            if let SpawnProgress::Forked(pid) = progress {
                kill_leftover(pid);
            }
            match progress {
                SpawnProgress::NotBegun => self.unsent.push_front(UnsentOrder::Spawn(run)),
                SpawnProgress::Begun | SpawnProgress::Forked(_) => {
                    self.fail_spawn(run, "the keeper was killed while starting the program").await;
                }
            }
        }
    }

    async fn fail_spawn(&mut self, run: RunId, why: &str) {
        self.held.spawn_answered(run);
        let why = io::Error::other(why.to_owned());
        self.deliver(KeeperEvent::SpawnFailed { run, stage: SpawnStage::Limit, why }).await;
    }

    /// Starts a successor after a pause. Meanwhile orders are taken; returns `None` when nobody can send any more.
    async fn start_successor(
        &mut self,
        pause: Duration,
        told_at: &mut Option<Instant>,
    ) -> Option<SuccessorLink> {
        let patience = patience_after(self.failures);
        let (command, listener) = (self.successor.clone(), self.listener.try_clone());
        let lock = self.lock.try_clone();
        let start = async move {
            tokio::time::sleep(pause).await;
            let started = tokio::task::spawn_blocking(move || {
                let (listener, lock) = (listener?, lock?);
                command.run(&listener, &lock, patience)
            })
            .await;
            started.unwrap_or_else(|why| Err(io::Error::other(why)))
        };
        tokio::pin!(start);
        loop {
            tokio::select! {
                started = &mut start => return Some(started),
                order = self.orders.recv() => self.take_alone(order?).await,
                () = sleep_until(told_at.unwrap_or_else(Instant::now)), if told_at.is_some() => {
                    *told_at = None;
                    self.report_missing(&io::Error::other("it has not started yet")).await;
                }
            }
        }
    }

    /// Takes an order while there is no keeper.
    async fn take_alone(&mut self, order: KeeperOrder) {
        match order {
            KeeperOrder::Stored { run, offset, snapshot } => self.held.store_alone(run, offset, snapshot),
            KeeperOrder::Spawn(request) if self.is_missing => {
                let run = RunId::from_bytes(request.pane);
                self.fail_spawn(run, "the keeper was killed and cannot be restarted").await;
            }
            // Nobody is to wait for an answer.
            KeeperOrder::Probe { .. } if self.is_missing => {}
            order => {
                let _ = self.queue(order).await;
            }
        }
    }

    /// Tells the manager that there is no keeper, and fails the requests that wait for one.
    async fn report_missing(&mut self, why: &io::Error) {
        tracing::error!("Cannot start a new keeper: {why}");
        self.is_missing = true;
        self.deliver(KeeperEvent::Missing { why: why.to_string() }).await;
        self.waiting.clear();
        let unsent = std::mem::take(&mut self.unsent);
        for order in unsent {
            match order {
                UnsentOrder::Spawn(run) => {
                    self.fail_spawn(run, "the keeper was killed and cannot be restarted").await;
                }
                order => self.unsent.push_back(order),
            }
        }
    }

    /// Uses the link to the successor. All programs are sent before the orders that wait.
    fn connect(&mut self, link: Link, started: StartedSuccessor) -> io::Result<()> {
        self.ready = watch(&link)?;
        self.link = link;
        self.starting = Some(started);
        // It says its version when it holds everything. Until then, a spawn that it may have begun is not sent again.
        self.held.marks_spawns = false;
        self.keeper_version = 0;
        let adoptions = self.held.adoptions().into_iter().map(UnsentOrder::Adopt);
        let mut unsent: VecDeque<_> = adoptions.collect();
        unsent.extend(self.held.terminations().into_iter().map(UnsentOrder::Terminate));
        unsent.push_back(UnsentOrder::AdoptionEnd);
        unsent.append(&mut self.unsent);
        self.unsent = unsent;
        self.probe.stop();
        self.ask();
        Ok(())
    }

    /// The successor holds everything.
    pub(super) fn introduced(&mut self, pid: i32, version: u16, fds: Vec<OwnedFd>) -> Option<KeeperEvent> {
        let watch = fds.into_iter().next().and_then(|pidfd| KeeperWatch::of_successor(pid, pidfd));
        self.keeper = Some(watch?);
        self.starting.take().into_iter().for_each(StartedSuccessor::introduced);
        tracing::info!("The keeper is now process {pid}");
        (self.failures, self.is_missing) = (0, false);
        (self.keeper_version, self.held.marks_spawns) = (version, version >= SPAWN_MARKS);
        self.terminals.clear();
        self.probe.stop();
        self.ask();
        Some(KeeperEvent::Replaced { pid: pid.cast_unsigned() })
    }
}

fn pause_before(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        failures => (FIRST_PAUSE * 2_u32.saturating_pow(failures - 1)).min(LONGEST_PAUSE),
    }
}

/// How long a successor has to start, after this many attempts including its own.
fn patience_after(attempts: u32) -> Duration {
    (PATIENCE * 2_u32.saturating_pow(attempts.saturating_sub(1))).min(LONGEST_PATIENCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_to_start_a_keeper_become_rarer() {
        let pauses: Vec<_> = (0..9).map(|failures| pause_before(failures).as_millis()).collect();
        assert_eq!(pauses, [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    }
}
