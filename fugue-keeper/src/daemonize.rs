//! Detaches the keeper from its starter: a session of its own, no terminal, none of the starter's descriptors, and the
//! reaper as its parent.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::pipe::PipeFlags;
use rustix::process::Pid;

use crate::config::KeeperConfig;
use crate::daemon::adopted::AdoptedDaemon;
use crate::handover::image_table::ImageTable;
use crate::handover::upgrade;
use crate::keeper;
use crate::reaper::{self, Reaper};
use crate::sys::{self, Forked};

/// Starts the keeper as a process of its own. Returns in the starter, once the keeper is ready or has failed; in the
/// keeper it never returns.
///
/// Call it while the process has one thread. In the keeper every descriptor is closed but stdio and those that the
/// configuration owns.
pub fn run(mut config: KeeperConfig) -> io::Result<()> {
    let stdio = (open_null()?, open_log(config.log.as_deref())?);
    config.resolve_daemon()?;
    let is_successor = config.succession.is_some();
    if is_successor {
        rustix::process::setsid()?;
    }
    let (ready_r, ready_w) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    match sys::fork()? {
        Forked::Child if is_successor => run_successor(config, &stdio, ready_w),
        Forked::Child => fork_again(config, stdio, ready_w),
        Forked::Parent(_) => {
            drop(ready_w);
            read_outcome(ready_r)
        }
    }
}

/// Runs the keeper in this process, which was a keeper before and left its table. Returns only if it cannot.
pub fn resume(mut config: KeeperConfig, table: ImageTable) -> io::Error {
    config.is_next_image = true;
    config.resolve_daemon().err().unwrap_or_else(|| upgrade::resume(config, table))
}

/// Forks the keeper, in the first child, which becomes the reaper. So the keeper leads no session and cannot get a
/// controlling terminal.
fn fork_again(config: KeeperConfig, stdio: (File, File), ready_w: OwnedFd) -> ! {
    let reaper = rustix::process::setsid().and_then(|_| reaper::become_subreaper());
    match reaper.map_err(io::Error::from).and_then(|reaper| Ok((reaper, sys::fork()?))) {
        Ok((reaper, Forked::Child)) => run_keeper(config, Some(reaper), &stdio, ready_w),
        Ok((_, Forked::Parent(_))) => reaper::run(&stdio.0),
        Err(error) => {
            report_error(ready_w, &error);
            sys::exit_now(1)
        }
    }
}

/// Runs the successor of a killed keeper, in the first child. When its starter exits, it becomes a child of the reaper,
/// like the daemon when its keeper was killed.
fn run_successor(config: KeeperConfig, stdio: &(File, File), ready_w: OwnedFd) -> ! {
    sys::default_signals();
    let reaper = reaper::reaper_pid().and_then(|pid| Pid::from_raw(pid.cast_signed()));
    run_keeper(config, reaper, stdio, ready_w)
}

/// Runs the keeper, in the last child.
fn run_keeper(config: KeeperConfig, reaper: Option<Pid>, stdio: &(File, File), ready_w: OwnedFd) -> ! {
    let prepared = redirect(stdio).and_then(|()| {
        let adopted = config.succession.iter().flat_map(AdoptedDaemon::fds);
        let optional = [config.lock.as_ref().map(AsFd::as_fd), config.own_image.as_ref().map(AsFd::as_fd)];
        let kept = [config.listener.as_fd(), ready_w.as_fd()].into_iter();
        let kept = kept.chain(optional.into_iter().flatten()).chain(adopted);
        sys::close_all_but(&kept.collect::<Vec<_>>());
        keeper::prepare(config, reaper.and_then(Reaper::new))
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
