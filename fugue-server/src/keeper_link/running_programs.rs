//! The pidfds of programs. A pid alone does not identify a program: once it has exited, another process may get its pid
//! before the daemon hears of the exit.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fugue_protocol::RunId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The programs that the keeper holds, shared by the link and the manager.
#[derive(Clone, Default)]
pub(crate) struct RunningPrograms(Arc<Mutex<BTreeMap<RunId, Arc<OwnedFd>>>>);

impl RunningPrograms {
    /// Whether a program is running at this instant.
    pub(crate) fn is_running(&self, run: RunId) -> bool {
        self.pidfds().get(&run).is_some_and(|pidfd| !has_exited(pidfd))
    }

    pub(super) fn add(&self, run: RunId, pidfd: &Arc<OwnedFd>) {
        self.pidfds().insert(run, Arc::clone(pidfd));
    }

    pub(super) fn remove(&self, run: RunId) {
        self.pidfds().remove(&run);
    }

    fn pidfds(&self) -> MutexGuard<'_, BTreeMap<RunId, Arc<OwnedFd>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a process has exited, from its pidfd.
pub(super) fn has_exited(pidfd: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(pidfd, PollFlags::IN)];
    poll(&mut fds, Some(&Timespec::default())).is_ok_and(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    use super::*;

    #[test]
    fn a_program_is_not_running_from_the_moment_it_exits() {
        let mut child = std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn();
        let child = child.as_mut().expect("cat");
        let pidfd = Arc::new(pidfd_open(Pid::from_child(child), PidfdFlags::empty()).expect("a pidfd"));
        let (run, programs) = (RunId::from_bytes([1; 16]), RunningPrograms::default());
        assert!(!programs.is_running(run));
        programs.add(run, &pidfd);
        assert!(programs.is_running(run));
        child.wait().expect("it exits when its input is closed");
        assert!(!programs.is_running(run));
    }
}
