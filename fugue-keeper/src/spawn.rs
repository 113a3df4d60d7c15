//! Starts a program in a terminal of its own: the fork, and what the child does before it becomes the program.

use std::convert::Infallible;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::io::Errno;

use crate::child::Child;
use crate::exec::Program;
use crate::origin::Origin;
use crate::pty::{self, Pty};
use crate::pump::Pump;
use crate::sys::{self, Forked};
use crate::wire::{SpawnRequest, Stage};

/// Why a program does not run.
pub type Failure = (Stage, Errno);

/// A child on its way to become its program.
pub struct Birth {
    pub child: Child,
    pub pump: Pump,
    pub slave: OwnedFd,
    /// Says nothing and closes when the program runs, else why it does not.
    pub report: OwnedFd,
}

/// Forks the child of `request`. It reports by itself how far it came, so a slow disk holds up nobody else.
pub fn spawn(request: &SpawnRequest, origin: &Origin) -> Result<Birth, Failure> {
    let refused = (Stage::Request, Errno::INVAL);
    let program = Program::new(&request.program, &request.argv, &request.env).ok_or(refused)?;
    if request.argv.is_empty() {
        return Err(refused);
    }
    fork(&program, request, origin).map_err(|error| {
        let errno = errno_of(&error);
        (stage_of(errno), errno)
    })
}

fn fork(program: &Program, request: &SpawnRequest, origin: &Origin) -> io::Result<Birth> {
    let Pty { master, slave } = pty::open(request.cols, request.rows)?;
    let (pipe_r, pipe_w) = pty::pipe()?;
    let pump = Pump::new(master, pipe_r, pipe_w, pty::segment()?)?;
    let (report, reporter) = pty::pipe()?;
    let pid = match sys::fork()? {
        Forked::Child => {
            let Err(failure) = enter_terminal(&slave, &reporter)
                .map_err(|errno| (Stage::Pty, errno))
                .and_then(|()| become_program(program, &request.cwd, origin));
            tell(&reporter, failure)
        }
        Forked::Parent(pid) => pid,
    };
    Ok(Birth { child: Child::new(pid)?, pump, slave, report })
}

/// In the child: the terminal is its own, and nothing else of the keeper's is, even should it never come to the exec.
fn enter_terminal(slave: &OwnedFd, reporter: &OwnedFd) -> rustix::io::Result<()> {
    rustix::process::setsid()?;
    rustix::process::ioctl_tiocsctty(slave)?;
    rustix::stdio::dup2_stdin(slave)?;
    rustix::stdio::dup2_stdout(slave)?;
    rustix::stdio::dup2_stderr(slave)?;
    sys::close_all_but(&[reporter.as_fd()]);
    Ok(())
}

/// In the child. The working directory is entered with the limits the program will have.
fn become_program(program: &Program, cwd: &Path, origin: &Origin) -> Result<Infallible, Failure> {
    origin.restore().map_err(|errno| (Stage::Limit, errno))?;
    rustix::process::chdir(cwd).map_err(|errno| (Stage::Cwd, errno))?;
    Err((Stage::Exec, program.exec()))
}

fn tell(reporter: &OwnedFd, (stage, errno): Failure) -> ! {
    let [a, b, c, d] = errno.raw_os_error().to_le_bytes();
    // When even this fails the parent sees a program that ended with 127, as a shell would tell it.
    let _ = rustix::io::write(reporter, &[stage.tag(), a, b, c, d]);
    sys::exit_now(127)
}

/// What a child reported: `Ok` when it became its program, `None` when it has not come that far.
pub fn outcome(report: impl AsFd) -> Option<Result<(), Failure>> {
    let mut said = [0; 5];
    match rustix::io::read(report, &mut said) {
        Err(Errno::AGAIN | Errno::INTR) => None,
        Ok(5) => {
            let [tag, errno @ ..] = said;
            let stage = Stage::from_tag(tag).unwrap_or(Stage::Exec);
            Some(Err((stage, Errno::from_raw_os_error(i32::from_le_bytes(errno)))))
        }
        _ => Some(Ok(())),
    }
}

fn stage_of(errno: Errno) -> Stage {
    let limits = [Errno::MFILE, Errno::NFILE, Errno::AGAIN, Errno::NOMEM, Errno::NOSPC];
    if limits.contains(&errno) { Stage::Limit } else { Stage::Pty }
}

fn errno_of(error: &io::Error) -> Errno {
    Errno::from_raw_os_error(error.raw_os_error().unwrap_or(libc::EIO))
}
