//! The upgrade of the keeper: it executes the new binary in the same process, so that it stays the parent of every
//! program. The daemon holds every descriptor meanwhile: if the new image fails, the daemon starts a successor from the
//! old binary, as after a kill.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fs::{Mode, OFlags};
use rustix::io::{FdFlags, fcntl_setfd};

use super::image_table::{ImageTable, TABLE_FD, TableField, TableWriter};
use crate::config::KeeperConfig;
use crate::daemon::process::DaemonProcess;
use crate::daemon::trial::Trial;
use crate::keeper::{Keeper, QueuedMessage, prepare};
use crate::link::messages::{Malformed, Message};
use crate::process_settings::PROGRAM_SETTINGS;
use crate::program::exec::ExecProgram;
use crate::program::held_exits::HeldExits;
use crate::program::kept_pane::KeptPane;
use crate::program::termination::Termination;
use crate::reaper::{REAPER_PID, Reaper, reaper_pid};
use crate::{log, sys};

/// The longest command line that is read, in bytes: a few paths.
const MAX_COMMAND: usize = 64 << 10;

impl Keeper {
    /// Takes the daemon's request: the command line of the new keeper, its arguments separated by NUL.
    pub(crate) fn request_upgrade(&mut self, fds: &[OwnedFd]) {
        let mut text = vec![0; MAX_COMMAND];
        let length =
            fds.first().map_or(Ok(0), |body| rustix::io::pread(body, &mut text, 0)).unwrap_or_default();
        let arguments = text[..length].split(|&byte| byte == 0);
        let arguments: Vec<_> = arguments.map(|word| OsString::from_vec(word.to_vec())).collect();
        self.upgrade = Some(arguments).filter(|_| length > 0);
        if self.upgrade.is_none() {
            self.skip_malformed(&Malformed::Descriptors.into());
        }
    }

    /// Executes the requested binary, once the daemon has every message. Returns if that cannot be done: then the daemon
    /// is told, and everything goes on.
    pub(crate) fn upgrade_if_requested(&mut self) {
        let is_possible = self.outbox.is_empty() && self.shutdown_deadline.is_none();
        let Some(command) = self.upgrade.take_if(|_| is_possible) else { return };
        let error = self.execute(&command);
        log::write(format_args!("Cannot execute {}: {error}", command[0].display()));
        let errno = error.raw_os_error().unwrap_or(libc::EIO);
        self.outbox.push_back(QueuedMessage::Message(Message::UpgradeFailed { errno }));
    }

    fn execute(&self, command: &[OsString]) -> io::Error {
        let Some(daemon) = self.daemon.as_ref().filter(|daemon| daemon.link.is_some()) else {
            return io::ErrorKind::NotConnected.into();
        };
        let attempt = executable_of(daemon).and_then(|previous| {
            let mut table = TableWriter::default();
            self.write_table(&mut table, daemon, &previous);
            let memfd = table.to_memfd()?;
            let program = self.next_image(command, &memfd).ok_or(io::ErrorKind::InvalidInput)?;
            fcntl_setfd(&memfd, FdFlags::empty())?;
            let inherited = table.set_inherited(true);
            let error = inherited.err().unwrap_or_else(|| program.exec().into());
            table.set_inherited(false)?;
            Err::<(), _>(error)
        });
        attempt.err().unwrap_or_else(|| io::ErrorKind::Other.into())
    }

    fn next_image(&self, command: &[OsString], table: &OwnedFd) -> Option<ExecProgram> {
        let ours = [TABLE_FD, PROGRAM_SETTINGS, REAPER_PID];
        let inherited = std::env::vars_os().filter(|(name, _)| ours.iter().all(|our| name != our));
        let table = (TABLE_FD.into(), table.as_raw_fd().to_string().into());
        let told = self.told_to_daemon().into_iter().map(|(name, value)| (name.into(), value.into()));
        let env: Vec<_> = inherited.chain([table]).chain(told).collect();
        ExecProgram::new(command.first()?, command, &env)
    }

    fn write_table<'a>(
        &'a self,
        table: &mut TableWriter<'a>,
        daemon: &'a DaemonProcess,
        previous: &'a OwnedFd,
    ) {
        table.record("listener", [TableField::Fd(Some(self.config.listener.as_fd()))]);
        table.record("lock", [TableField::Fd(self.config.lock.as_ref().map(AsFd::as_fd))]);
        table.record("daemon", daemon.table_fields());
        table.record("previous", [TableField::Fd(Some(previous.as_fd()))]);
        for argument in &self.config.daemon {
            table.text("argument ", argument.as_bytes());
        }
        table.record("terminating", [TableField::flag(self.termination_requested)]);
        self.held_exits.write(table);
        for (id, pane) in &self.panes {
            table.record("pane", pane.table_fields(id));
        }
        for termination in &self.terminations {
            table.record("termination", termination.table_fields());
        }
        table.record("end", []);
    }

    /// Takes over everything in the table of the last image, and tells the daemon.
    fn restore(&mut self, mut table: ImageTable) -> io::Result<()> {
        let daemon = table.take("daemon").ok_or(Malformed::Descriptors)?;
        self.daemon = Some(DaemonProcess::from_record(daemon)?);
        self.start_at = None;
        let mut terminating = table.take("terminating");
        self.termination_requested = terminating.as_mut().map_or(Ok(false), |record| record.flag())?;
        self.held_exits = HeldExits::read(&mut table)?;
        for record in table.take_all("pane") {
            let (id, pane) = KeptPane::from_record(record)?;
            self.panes.insert(id, pane);
        }
        for record in table.take_all("termination") {
            self.terminations.push(Termination::from_record(record)?);
        }
        let previous = table.take("previous").ok_or(Malformed::Descriptors)?.fd()?;
        let arguments = table.take_all("argument").into_iter();
        let arguments = arguments.map(|record| OsString::from_vec(record.text)).collect();
        self.trial = Some(Trial::new(previous, arguments));
        self.outbox.push_back(QueuedMessage::Message(Message::Upgraded));
        Ok(())
    }
}

/// Runs the keeper in the process of the one whose table this is. Returns only if it cannot.
pub(crate) fn resume(config: KeeperConfig, table: ImageTable) -> io::Error {
    let reaper = reaper_pid().and_then(|pid| rustix::process::Pid::from_raw(pid.cast_signed()));
    let prepared = prepare(config, reaper.and_then(Reaper::new));
    match prepared.and_then(|mut keeper| keeper.restore(table).map(|()| keeper)) {
        Ok(keeper) => {
            log::write(format_args!("The keeper was replaced by {:?}", std::env::current_exe()));
            keeper.run();
            sys::exit_now(0)
        }
        Err(error) => error,
    }
}

/// The daemon's executable, which may have been removed or replaced since it was started.
fn executable_of(daemon: &DaemonProcess) -> io::Result<OwnedFd> {
    let path = format!("/proc/{}/exe", daemon.child.pid.as_raw_nonzero());
    Ok(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}
