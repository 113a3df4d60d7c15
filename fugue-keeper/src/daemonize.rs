//! Leaves the starter behind: a session of its own, no terminal, nothing of the starter's held open.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::pipe::PipeFlags;
use rustix::process::{WaitOptions, waitpid};

use crate::config::Config;
use crate::keeper;
use crate::sys::{self, Forked};

/// Starts the keeper as a process of its own. Returns in the starter, once the keeper stands or has failed to; in the
/// keeper it never returns.
///
/// Call it while the process has one thread. In the keeper every descriptor but stdio and the listener is closed.
pub fn run(mut config: Config) -> io::Result<()> {
    let stdio = (open_null()?, open_log(config.log.as_deref())?);
    config.resolve_daemon()?;
    let (ready, readier) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    match sys::fork()? {
        Forked::Child => leave(config, stdio, readier),
        Forked::Parent(child) => {
            drop(readier);
            waitpid(Some(child), WaitOptions::empty())?;
            hear(ready)
        }
    }
}

/// In the first child, which lives only to make the second one nobody's session leader.
fn leave(config: Config, stdio: (File, File), readier: OwnedFd) -> ! {
    let second = rustix::process::setsid().map_err(io::Error::from).and_then(|_| sys::fork());
    match second {
        Ok(Forked::Child) => stand(config, &stdio, readier),
        Ok(Forked::Parent(_)) => sys::exit_now(0),
        Err(error) => {
            tell(readier, &error);
            sys::exit_now(1)
        }
    }
}

/// In the second child: the keeper.
fn stand(config: Config, stdio: &(File, File), readier: OwnedFd) -> ! {
    let stood = redirect(stdio).and_then(|()| {
        sys::close_all_but(&[config.listener.as_fd(), readier.as_fd()]);
        keeper::settle(config)
    });
    match stood {
        Ok(keeper) => {
            let _ = File::from(readier).write_all(&0_i32.to_le_bytes());
            keeper.run();
            sys::exit_now(0)
        }
        Err(error) => {
            tell(readier, &error);
            sys::exit_now(1)
        }
    }
}

fn redirect((null, log): &(File, File)) -> io::Result<()> {
    rustix::stdio::dup2_stdin(null)?;
    rustix::stdio::dup2_stdout(log)?;
    Ok(rustix::stdio::dup2_stderr(log)?)
}

fn tell(readier: OwnedFd, error: &io::Error) {
    let _ = File::from(readier).write_all(&error.raw_os_error().unwrap_or(libc::EIO).to_le_bytes());
}

fn hear(ready: OwnedFd) -> io::Result<()> {
    let mut errno = [0; 4];
    File::from(ready).read_exact(&mut errno)?;
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
