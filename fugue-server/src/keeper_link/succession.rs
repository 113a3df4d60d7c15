//! Replacing a keeper that was killed. The daemon has the lease and every descriptor, so programs notice nothing; until a
//! successor has them too, it takes orders by itself.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fugue_keeper::{
    InstanceLock, KeeperWatch, Link, SpawnProgress, SpawnStage, kill_leftover, start_successor,
};
use fugue_protocol::RunId;

use super::task::{KeeperTask, UnsentOrder, watch};
use super::{KeeperEvent, KeeperOrder};

/// The pauses before further attempts to start a successor begin here and double. The first attempt is immediate.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The command that starts a successor.
#[derive(Clone)]
pub(crate) struct SuccessorCommand {
    /// The daemon's own executable.
    pub(crate) program: PathBuf,
    /// The daemon's paths, as arguments.
    pub(crate) paths: Vec<PathBuf>,
}

impl SuccessorCommand {
    fn run(&self, listener: &OwnedFd, lock: &InstanceLock) -> io::Result<Link> {
        // A package upgrade may have removed the file; the image this process runs is still there.
        let programs = [self.program.as_path(), "/proc/self/exe".as_ref()];
        let arguments = ["keeper", "--adopt"].into_iter().map(Path::new);
        let arguments: Vec<_> = arguments.chain(self.paths.iter().map(PathBuf::as_path)).collect();
        start_successor(&programs, &arguments, listener, Some(lock))
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
        self.end_upgrade(Err("the new keeper failed; see the log".into()));
        self.terminals = self.held.terminals();
        self.resume_spawns().await;
        loop {
            let pause = pause_before(self.failures);
            self.failures += 1;
            match self.start_successor(pause).await {
                Some(Ok(link)) => match self.connect(link) {
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
    async fn start_successor(&mut self, pause: Duration) -> Option<io::Result<Link>> {
        let (command, listener) = (self.successor.clone(), self.listener.try_clone());
        let lock = self.lock.try_clone();
        let start = async move {
            tokio::time::sleep(pause).await;
            let started = tokio::task::spawn_blocking(move || command.run(&listener?, &lock?)).await;
            started.unwrap_or_else(|why| Err(io::Error::other(why)))
        };
        tokio::pin!(start);
        loop {
            tokio::select! {
                started = &mut start => return Some(started),
                order = self.orders.recv() => self.take_alone(order?).await,
            }
        }
    }

    /// Takes an order while there is no keeper.
    async fn take_alone(&mut self, order: KeeperOrder) {
        match order {
            KeeperOrder::Stored { run, offset, snapshot } => self.held.store_alone(run, offset, snapshot),
            KeeperOrder::Spawn(request) if self.failures > 1 => {
                let run = RunId::from_bytes(request.pane);
                self.fail_spawn(run, "the keeper was killed and cannot be restarted").await;
            }
            order => {
                let _ = self.queue(order).await;
            }
        }
    }

    /// Tells the manager that there is no keeper, and fails the requests that wait for one.
    async fn report_missing(&mut self, why: &io::Error) {
        tracing::error!("Cannot start a new keeper: {why}");
        self.deliver(KeeperEvent::Missing { why: why.to_string() }).await;
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
    fn connect(&mut self, link: Link) -> io::Result<()> {
        self.ready = watch(&link)?;
        self.link = link;
        self.keeper = None;
        self.held.marks_spawns = true;
        self.keeper_version = fugue_keeper::VERSION;
        let adoptions = self.held.adoptions().into_iter().map(UnsentOrder::Adopt);
        let mut unsent: VecDeque<_> = adoptions.collect();
        unsent.extend(self.held.terminations().into_iter().map(UnsentOrder::Terminate));
        unsent.push_back(UnsentOrder::AdoptionEnd);
        unsent.append(&mut self.unsent);
        self.unsent = unsent;
        Ok(())
    }

    /// The successor holds everything.
    pub(super) fn introduced(&mut self, pid: i32, fds: Vec<OwnedFd>) -> KeeperEvent {
        tracing::info!("The keeper is now process {pid}");
        self.keeper = fds.into_iter().next().map(KeeperWatch::of_successor);
        self.failures = 0;
        self.terminals.clear();
        KeeperEvent::Replaced { pid: pid.cast_unsigned() }
    }
}

fn pause_before(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        failures => (FIRST_PAUSE * 2_u32.saturating_pow(failures - 1)).min(LONGEST_PAUSE),
    }
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
