//! `wait-for`: named channels that programs wait for, signal and lock. They are kept in a directory beside the socket: a
//! file for what a channel remembers, and a named pipe for each waiting program.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fugue_client::random_key;
use fugue_tmux::steps::ChannelAct;
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, mkfifoat};

/// The longest name of a channel: it becomes the name of a directory.
const NAME: usize = 100;

fn cannot(path: &Path) -> impl Fn(std::io::Error) -> String {
    let path = path.display().to_string();
    move |why| format!("cannot use {path}: {why}")
}

fn directory(path: &Path) -> Result<(), String> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(cannot(path))
}

/// A named pipe through which one program wakes another.
struct Signal {
    path: PathBuf,
}

impl Signal {
    fn at(path: PathBuf) -> Result<Self, String> {
        mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).map_err(|why| cannot(&path)(why.into()))?;
        Ok(Self { path })
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Wakes the program that waits at a named pipe. Returns `false` if it is gone.
fn wake(path: &Path) -> bool {
    let opened = rustix::fs::open(path, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
    let woken = opened.is_ok_and(|pipe| File::from(pipe).write_all(b"\n").is_ok());
    let _ = fs::remove_file(path);
    woken
}

/// A channel, while nobody else uses it.
struct Channel {
    path: PathBuf,
    _lock: File,
}

impl Channel {
    fn open(channels: &Path, name: &str) -> Result<Self, String> {
        let valid = !name.is_empty() && name.len() <= NAME && !name.contains(['/', '\0']) && name != "..";
        if !valid {
            return Err(format!("invalid channel: {name}"));
        }
        let path = channels.join(format!("c-{name}"));
        directory(&path)?;
        let mut options = OpenOptions::new();
        let lock = path.join("lock");
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(&lock);
        let file = file.map_err(cannot(&lock))?;
        flock(&file, FlockOperation::LockExclusive).map_err(|why| cannot(&lock)(why.into()))?;
        Ok(Self { path, _lock: file })
    }

    fn has(&self, mark: &str) -> bool {
        self.path.join(mark).exists()
    }

    fn mark(&self, mark: &str) -> Result<(), String> {
        let path = self.path.join(mark);
        fs::write(&path, "").map_err(cannot(&path))
    }

    fn unmark(&self, mark: &str) -> bool {
        fs::remove_file(self.path.join(mark)).is_ok()
    }

    /// The pipes of waiting programs, in the order in which they came.
    fn waiting(&self, kind: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let is_kind = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(kind);
        let mut paths: Vec<_> = entries.filter(is_kind).map(|entry| entry.path()).collect();
        let time = |path: &PathBuf| fs::metadata(path).and_then(|about| about.modified()).ok();
        paths.sort_by_key(time);
        paths
    }

    /// Waits until another program wakes this one; meanwhile others use the channel.
    fn wait(self, kind: &str) -> Result<(), String> {
        let signal = Signal::at(self.path.join(random_key(kind)))?;
        // Opened for writing too, so that opening does not wait, and before the channel is free, so that whoever
        // signals finds a reader.
        let flags = OFlags::RDWR | OFlags::CLOEXEC;
        let pipe = rustix::fs::open(signal.path(), flags, Mode::empty());
        let pipe = pipe.map_err(|why| cannot(signal.path())(why.into()))?;
        drop(self);
        File::from(pipe).read_exact(&mut [0]).map_err(cannot(signal.path()))
    }
}

/// Does something with a channel.
pub(super) fn act(channels: &Path, name: &str, act: ChannelAct) -> Result<(), String> {
    let channel = Channel::open(channels, name)?;
    match act {
        ChannelAct::Signal => signal(&channel),
        ChannelAct::Lock if channel.has("locked") => channel.wait("locker"),
        ChannelAct::Lock => channel.mark("locked"),
        ChannelAct::Unlock => unlock(&channel, name),
        // A signal that came before is not waited for again.
        ChannelAct::Wait if channel.unmark("woken") => Ok(()),
        ChannelAct::Wait => channel.wait("waiter"),
    }
}

/// Wakes all that wait; if nobody does, the next one need not.
fn signal(channel: &Channel) -> Result<(), String> {
    let woken = channel.waiting("waiter").iter().filter(|pipe| wake(pipe)).count();
    if woken == 0 { channel.mark("woken") } else { Ok(()) }
}

/// Hands a lock to the next program that wants it.
fn unlock(channel: &Channel, name: &str) -> Result<(), String> {
    if !channel.has("locked") {
        return Err(format!("channel {name} not locked"));
    }
    if !channel.waiting("locker").iter().any(|pipe| wake(pipe)) {
        channel.unmark("locked");
    }
    Ok(())
}
