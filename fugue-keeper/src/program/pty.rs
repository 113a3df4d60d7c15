//! The kernel objects of a pane: terminal, pipe and segment.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::MemfdFlags;
use rustix::pipe::PipeFlags;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{InputModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

/// Both sides of a terminal.
pub(crate) struct Pty {
    pub master: OwnedFd,
    pub slave: OwnedFd,
}

/// Opens a terminal of this size, in UTF-8 mode, with a non-blocking master.
pub(crate) fn open(cols: u16, rows: u16) -> io::Result<Pty> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags)?;
    unlockpt(&master)?;
    let slave = open_slave(&master)?;
    rustix::io::ioctl_fionbio(&master, true)?;
    configure(&slave, cols, rows)?;
    Ok(Pty { master, slave })
}

/// Opens the other side of a terminal.
pub(crate) fn open_slave(master: impl AsFd) -> io::Result<OwnedFd> {
    Ok(ioctl_tiocgptpeer(master, OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?)
}

fn configure(slave: &OwnedFd, cols: u16, rows: u16) -> io::Result<()> {
    tcsetwinsize(slave, Winsize { ws_col: cols, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 })?;
    let mut termios = tcgetattr(slave)?;
    // With this, erasing in line mode removes a whole character instead of one byte.
    termios.input_modes |= InputModes::IUTF8;
    Ok(tcsetattr(slave, OptionalActions::Now, &termios)?)
}

/// Creates the pipe between terminal and segment: read end, write end.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?)
}

/// Creates the file that stores the output. It is in memory, so that no secret reaches a disk.
pub(crate) fn segment() -> io::Result<OwnedFd> {
    Ok(rustix::fs::memfd_create("fugue-segment", MemfdFlags::CLOEXEC)?)
}
