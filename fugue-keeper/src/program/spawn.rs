//! Spawning a program in a terminal of its own: the fork, and the steps of the child up to the exec.

use std::convert::Infallible;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, getpid, getppid};

use super::child::Child;
use super::exec::ExecProgram;
use super::pty::{self, Pty};
use super::pump::Pump;
use crate::link::messages::{SpawnRequest, SpawnStage};
use crate::link::spawn_body;
use crate::process_settings::ProcessSettings;
use crate::sys::{self, Forked};

/// How long a program's start waits for its control group. A manager that is not stuck takes two or three milliseconds.
const PLACED_WITHIN: Duration = Duration::from_millis(50);

/// The reason why a program could not be spawned.
pub(crate) type SpawnFailure = (SpawnStage, Errno);

/// A forked child that has yet to execute its program.
pub(crate) struct SpawnedChild {
    pub child: Child,
    pub pump: Pump,
    pub slave: OwnedFd,
    /// Closed without data once the program runs; otherwise carries the reason.
    pub report: OwnedFd,
}

/// Forks the child of `request`. The child reports its outcome later, so that a slow disk does not block the keeper.
pub(crate) fn spawn(
    request: &SpawnRequest,
    body: Option<BorrowedFd<'_>>,
    settings: &ProcessSettings,
) -> Result<SpawnedChild, SpawnFailure> {
    let invalid = (SpawnStage::Request, Errno::INVAL);
    let program = ExecProgram::new(&request.program, &request.argv, &request.env).ok_or(invalid)?;
    if request.argv.is_empty() {
        return Err(invalid);
    }
    fork(&program, request, body, settings).map_err(|error| {
        let errno = errno_of(&error);
        (stage_of(errno), errno)
    })
}

fn fork(
    program: &ExecProgram,
    request: &SpawnRequest,
    body: Option<BorrowedFd<'_>>,
    settings: &ProcessSettings,
) -> io::Result<SpawnedChild> {
    let Pty { master, slave } = pty::open(request.cols, request.rows)?;
    let (pipe_r, pipe_w) = pty::pipe()?;
    let pump = Pump::new(master, pipe_r, pipe_w, pty::segment()?)?;
    let (report, reporter) = pty::pipe()?;
    let keeper = getpid();
    body.into_iter().for_each(spawn_body::mark_begun);
    let pid = match sys::fork()? {
        Forked::Child => {
            body.into_iter().for_each(spawn_body::mark_forked);
            let Err(failure) = enter_terminal(&slave, &reporter)
                .map_err(|errno| (SpawnStage::Pty, errno))
                .and_then(|()| exec_program(program, request, keeper, settings));
            report_failure(&reporter, failure)
        }
        Forked::Parent(pid) => pid,
    };
    Ok(SpawnedChild { child: Child::new(pid)?, pump, slave, report })
}

/// Makes the terminal the controlling one, in the child, and closes the keeper's other descriptors, even if the exec
/// should fail.
fn enter_terminal(slave: &OwnedFd, reporter: &OwnedFd) -> rustix::io::Result<()> {
    rustix::process::setsid()?;
    rustix::process::ioctl_tiocsctty(slave)?;
    rustix::stdio::dup2_stdin(slave)?;
    rustix::stdio::dup2_stdout(slave)?;
    rustix::stdio::dup2_stderr(slave)?;
    sys::close_all_but(&[reporter.as_fd()]);
    Ok(())
}

/// Executes the program, in the child. The working directory is entered with the limits that the program will have.
///
/// If the keeper was killed meanwhile, nobody has the other side of the terminal and the program must not run. Later than
/// this check, the hangup of the terminal ends it.
fn exec_program(
    program: &ExecProgram,
    request: &SpawnRequest,
    keeper: Pid,
    settings: &ProcessSettings,
) -> Result<Infallible, SpawnFailure> {
    // Without a group the program runs as well; whoever asks for its limits sees that there are none.
    let _ = request.placement.as_ref().map(|placement| placement.enter(Instant::now() + PLACED_WITHIN));
    settings.restore().map_err(|errno| (SpawnStage::Limit, errno))?;
    rustix::process::chdir(&request.cwd).map_err(|errno| (SpawnStage::Cwd, errno))?;
    if getppid() != Some(keeper) {
        return Err((SpawnStage::Pty, Errno::IO));
    }
    Err((SpawnStage::Exec, program.exec()))
}

fn report_failure(reporter: &OwnedFd, (stage, errno): SpawnFailure) -> ! {
    let [a, b, c, d] = errno.raw_os_error().to_le_bytes();
    // If even this fails, the parent sees a program that exited with 127, as from a shell.
    let _ = rustix::io::write(reporter, &[stage.tag(), a, b, c, d]);
    sys::exit_now(127)
}

/// Reads the outcome that a child reported: `Ok` once it executed its program, none if it has not got that far.
pub(crate) fn outcome(report: impl AsFd) -> Option<Result<(), SpawnFailure>> {
    let mut report_bytes = [0; 5];
    match rustix::io::read(report, &mut report_bytes) {
        Err(Errno::AGAIN | Errno::INTR) => None,
        Ok(5) => {
            let [tag, errno @ ..] = report_bytes;
            let stage = SpawnStage::from_tag(tag).unwrap_or(SpawnStage::Exec);
            Some(Err((stage, Errno::from_raw_os_error(i32::from_le_bytes(errno)))))
        }
        _ => Some(Ok(())),
    }
}

fn stage_of(errno: Errno) -> SpawnStage {
    let limits = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM, Errno::NOSPC];
    if limits.contains(&errno) { SpawnStage::Limit } else { SpawnStage::Pty }
}

fn errno_of(error: &io::Error) -> Errno {
    Errno::from_raw_os_error(error.raw_os_error().unwrap_or(libc::EIO))
}
