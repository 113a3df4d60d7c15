//! A daemon to be killed at any moment, with a keeper to be killed, too. It pumps, writes what it reads to a file at the offset it read it from, and now
//! and then stores a snapshot. What earlier daemons wrote must agree.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fugue_keeper::{
    EXIT_FOR_GOOD, Exit, Holding, KeeperWatch, Link, Message, PaneFds, PaneId, Pump, PumpState, SpawnRequest,
    inherited, start_successor,
};
use rustix::event::{PollFd, PollFlags, poll};

/// The output between two snapshots, so that the next daemon always has something to read again.
const SNAPSHOT_INTERVAL: u64 = 300_000;

struct Recorder {
    link: Link,
    keeper: KeeperWatch,
    listener: OwnedFd,
    dir: PathBuf,
    file: File,
    pump: Option<Pump>,
    pid: i32,
    pidfd: Option<OwnedFd>,
    snapshot: Option<OwnedFd>,
    read: u64,
    stored: u64,
    hung_up: bool,
    exit: Option<Exit>,
}

/// Runs until the program has exited and all is written, then writes the exit to `DIR/exit`.
pub(crate) fn record(arguments: &[OsString]) {
    let (test_socket, dir) = (arguments[2].to_str().expect("a path"), PathBuf::from(&arguments[3]));
    let Some((link, listener)) = inherited() else { panic!("not started by a keeper") };
    let test = super::connect_to_test(test_socket);
    let path = dir.join("output");
    let file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).expect("a file");
    // Some are slow to take the lease, and the keeper pumps meanwhile.
    std::thread::sleep(Duration::from_millis((std::process::id() % 8).into()));
    link.send(&Message::Take, &[]).expect("the keeper listens");
    link.send(&Message::Serving, &[]).expect("the keeper listens");
    let mut recorder = Recorder {
        keeper: KeeperWatch::of_link(&link).expect("a keeper"),
        link,
        listener,
        dir: dir.clone(),
        file,
        pump: None,
        pid: 0,
        pidfd: None,
        snapshot: None,
        read: 0,
        stored: 0,
        hung_up: false,
        exit: None,
    };
    while !recorder.complete() {
        recorder.wait(&test);
        recorder.read_messages();
        recorder.pump();
    }
    let exit = format!("{:?} at {}", recorder.exit, recorder.read);
    std::fs::write(dir.join("exit.new"), exit).expect("a file");
    std::fs::rename(dir.join("exit.new"), dir.join("exit")).expect("a file");
    std::process::exit(EXIT_FOR_GOOD);
}

impl Recorder {
    fn complete(&self) -> bool {
        self.exit.is_some() && self.hung_up
    }

    fn wait(&self, test: &Link) {
        let mut fds = vec![PollFd::new(&self.link, PollFlags::IN), PollFd::new(test, PollFlags::IN)];
        fds.extend(
            self.pump
                .iter()
                .filter(|_| !self.hung_up)
                .map(|pump| PollFd::from_borrowed_fd(pump.master(), PollFlags::IN)),
        );
        poll(&mut fds, None).expect("something happens");
        if !fds[1].revents().is_empty() {
            std::process::exit(EXIT_FOR_GOOD);
        }
    }

    fn read_messages(&mut self) {
        loop {
            match self.link.try_recv() {
                Ok(Some((message, fds))) => self.handle(message, fds),
                Ok(None) => return,
                Err(_) => return self.replace_keeper(),
            }
        }
    }

    fn handle(&mut self, message: Message, fds: Vec<OwnedFd>) {
        match message {
            Message::Holding(holding) => self.resume_pane(&holding, fds),
            Message::Ready { panes, .. } => {
                self.name_keeper(rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get()));
                if panes == 0 {
                    self.spawn();
                }
            }
            Message::Spawned { pid, .. } if self.pump.is_none() => {
                self.pid = pid;
                self.open_pane(fds);
            }
            Message::Exited { exit, .. } => self.exit = Some(exit),
            Message::Successor { pid, .. } => {
                let pidfd = fds.into_iter().next().expect("a pidfd");
                self.keeper = KeeperWatch::of_successor(pid, pidfd).expect("a pid");
                self.name_keeper(pid);
            }
            _ => {}
        }
    }

    /// Tells the test that the keeper with this pid and this daemon both hold everything.
    fn name_keeper(&self, pid: i32) {
        let names = format!("{pid} {}", std::process::id());
        std::fs::write(self.dir.join("keeper.new"), names).expect("a file");
        std::fs::rename(self.dir.join("keeper.new"), self.dir.join("keeper")).expect("a file");
    }

    fn replace_keeper(&mut self) {
        assert!(self.keeper.is_dead(), "the keeper gave up this daemon");
        let own = std::env::current_exe().expect("a path");
        let test = self.dir.join("socket");
        let words = ["successor", "", "/dev/null", "8388608", "0"].map(PathBuf::from);
        let daemon = [&own, Path::new("recorder"), &test, &self.dir];
        let arguments: Vec<_> = words.iter().map(PathBuf::as_path).chain(daemon).collect();
        let patience = Duration::from_secs(30);
        let (link, started) =
            start_successor(&[&own], &arguments, &self.listener, None, patience).expect("a successor");
        started.introduced();
        self.link = link;
        self.send_pane();
        self.link.send(&Message::AdoptionEnd, &[]).expect("room");
    }

    fn send_pane(&self) {
        let (Some(pump), Some(pidfd)) = (&self.pump, &self.pidfd) else { return self.spawn() };
        let holding = Holding {
            pane: PaneId::default(),
            pid: self.pid,
            stored_offset: self.stored,
            seen_offset: self.stored,
            snapshot: self.snapshot.is_some(),
            stalled: false,
            exit: self.exit,
        };
        let fds = pump.fds().in_order().into_iter().chain([pidfd.as_fd()]);
        let fds: Vec<_> = fds.chain(self.snapshot.as_ref().map(AsFd::as_fd)).collect();
        self.link.send(&Message::Adopt(holding), &fds).expect("room");
    }

    /// Starts the program; only the first daemon does.
    fn spawn(&self) {
        let dir = self.dir.to_str().expect("a path");
        let argv = ["count", "count", dir, "42"].map(Into::into).to_vec();
        let program = std::env::current_exe().expect("a path").into();
        let request =
            SpawnRequest { program, argv, cwd: "/".into(), cols: 80, rows: 24, ..SpawnRequest::default() };
        self.link.send(&Message::Spawn(request), &[]).expect("the keeper listens");
    }

    fn open_pane(&mut self, fds: Vec<OwnedFd>) {
        let fds = PaneFds::from_message(fds).expect("a pane");
        let (pump, pidfd, snapshot) = Pump::from_fds(fds).expect("a pump");
        (self.pump, self.pidfd, self.snapshot) = (Some(pump), Some(pidfd), snapshot);
    }

    fn resume_pane(&mut self, holding: &Holding, fds: Vec<OwnedFd>) {
        self.open_pane(fds);
        self.pid = holding.pid;
        assert_eq!(self.snapshot.is_some(), holding.snapshot, "the snapshot comes if it is announced");
        if let Some(snapshot) = &self.snapshot {
            let mut offset = [0; 8];
            rustix::io::pread(snapshot, &mut offset, 0).expect("a snapshot");
            assert_eq!(u64::from_le_bytes(offset), holding.stored_offset, "the snapshot of that offset");
        }
        (self.read, self.stored) = (holding.stored_offset, holding.stored_offset);
        self.exit = holding.exit;
        self.copy_output();
    }

    fn pump(&mut self) {
        let Some(pump) = &mut self.pump else { return };
        let turn = pump.turn(128 << 10).expect("room in the segment");
        self.hung_up = turn.state == PumpState::Hangup;
        self.copy_output();
        if self.read - self.stored > SNAPSHOT_INTERVAL {
            self.store();
        }
    }

    fn copy_output(&mut self) {
        let Some(pump) = &self.pump else { return };
        let mut buffer = [0; 64 << 10];
        loop {
            let count = pump.read_at(self.read, &mut buffer).expect("the segment is readable");
            if count == 0 {
                return;
            }
            assert_unchanged(&self.file, self.read, &buffer[..count]);
            self.file.write_all_at(&buffer[..count], self.read).expect("the file is writable");
            self.read += count as u64;
        }
    }

    fn store(&mut self) {
        let flags = rustix::fs::MemfdFlags::CLOEXEC;
        let snapshot = rustix::fs::memfd_create("snapshot", flags).expect("a memfd");
        rustix::io::pwrite(&snapshot, &self.read.to_le_bytes(), 0).expect("room");
        let stored = Message::Stored { pane: PaneId::default(), offset: self.read };
        // If the keeper was killed, its successor gets the snapshot.
        let sent = self.link.send(&stored, &[snapshot.as_fd()]);
        if sent.is_ok() || sent.is_err_and(|why| why.kind() == std::io::ErrorKind::BrokenPipe) {
            (self.stored, self.snapshot) = (self.read, Some(snapshot));
        }
    }
}

/// Asserts that an earlier daemon read the same bytes at this offset.
fn assert_unchanged(file: &File, offset: u64, bytes: &[u8]) {
    let mut before = vec![0; bytes.len()];
    let count = file.read_at(&mut before, offset).expect("the file is readable");
    assert!(before[..count] == bytes[..count], "the output at {offset} has changed");
}
