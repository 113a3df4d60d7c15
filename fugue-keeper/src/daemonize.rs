//! Detaches the keeper from its starter: a session of its own, no terminal, none of the starter's descriptors.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::pipe::PipeFlags;
use rustix::process::{WaitOptions, waitpid};

use crate::config::KeeperConfig;
use crate::keeper;
use crate::sys::{self, Forked};

/// Starts the keeper as a process of its own. Returns in the starter, once the keeper is ready or has failed; in the
/// keeper it never returns.
///
/// Call it while the process has one thread. In the keeper every descriptor but stdio, the listener and the lock is closed.
pub fn run(mut config: KeeperConfig) -> io::Result<()> {
    let stdio = (open_null()?, open_log(config.log.as_deref())?);
    config.resolve_daemon()?;
    let (ready_r, ready_w) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    match sys::fork()? {
        Forked::Child => fork_again(config, stdio, ready_w),
        Forked::Parent(child) => {
            drop(ready_w);
            waitpid(Some(child), WaitOptions::empty())?;
            read_outcome(ready_r)
        }
    }
}

/// Forks once more, in the first child, so that the keeper leads no session and cannot get a controlling terminal.
fn fork_again(config: KeeperConfig, stdio: (File, File), ready_w: OwnedFd) -> ! {
    let second = rustix::process::setsid().map_err(io::Error::from).and_then(|_| sys::fork());
    match second {
        Ok(Forked::Child) => run_keeper(config, &stdio, ready_w),
        Ok(Forked::Parent(_)) => sys::exit_now(0),
        Err(error) => {
            report_error(ready_w, &error);
            sys::exit_now(1)
        }
    }
}

/// Runs the keeper, in the second child.
fn run_keeper(config: KeeperConfig, stdio: &(File, File), ready_w: OwnedFd) -> ! {
    let prepared = redirect(stdio).and_then(|()| {
        let lock = config.lock.as_ref().map(AsFd::as_fd);
        let kept = [config.listener.as_fd(), ready_w.as_fd()].into_iter().chain(lock);
        sys::close_all_but(&kept.collect::<Vec<_>>());
        keeper::prepare(config)
    });
    match prepared {
        Ok(keeper) => {
            let _ = File::from(ready_w).write_all(&0_i32.to_le_bytes());
            keeper.run();
            sys::exit_now(0)
        }
        Err(error) => {
            report_error(ready_w, &error);
            sys::exit_now(1)
        }
    }
}

fn redirect((null, log): &(File, File)) -> io::Result<()> {
    rustix::stdio::dup2_stdin(null)?;
    rustix::stdio::dup2_stdout(log)?;
    Ok(rustix::stdio::dup2_stderr(log)?)
}

fn report_error(ready_w: OwnedFd, error: &io::Error) {
    let _ = File::from(ready_w).write_all(&error.raw_os_error().unwrap_or(libc::EIO).to_le_bytes());
}

fn read_outcome(ready_r: OwnedFd) -> io::Result<()> {
    let mut errno = [0; 4];
    File::from(ready_r).read_exact(&mut errno)?;
    match i32::from_le_bytes(errno) {
        0 => Ok(()),
        errno => Err(io::Error::from_raw_os_error(errno)),
    }
}

fn open_null() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/null")
}

fn open_log(path: Option<&Path>) -> io::Result<File> {
    match path {
        Some(path) => OpenOptions::new().append(true).create(true).mode(0o600).open(path),
        None => open_null(),
    }
}
