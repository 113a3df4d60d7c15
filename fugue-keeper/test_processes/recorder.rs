//! A daemon to be killed at any moment. It pumps, writes what it reads to a file at the offset it read it from, and now
//! and then stores a snapshot. What earlier daemons wrote must agree.

use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use fugue_keeper::{
    EXIT_FOR_GOOD, Exit, Holding, Link, Message, PaneFds, PaneId, Pump, PumpState, SpawnRequest, inherited,
};
use rustix::event::{PollFd, PollFlags, poll};

/// The output between two snapshots, so that the next daemon always has something to read again.
const SNAPSHOT_INTERVAL: u64 = 300_000;

struct Recorder {
    link: Link,
    file: File,
    pump: Option<Pump>,
    read: u64,
    stored: u64,
    hung_up: bool,
    exit: Option<Exit>,
}

/// Runs until the program has exited and all is written, then writes the exit to `DIR/exit`.
pub(crate) fn record(test_socket: &str, dir: &str) {
    let Some((link, _listener)) = inherited() else { panic!("not started by a keeper") };
    let test = super::connect_to_test(test_socket);
    let path = Path::new(dir).join("output");
    let file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).expect("a file");
    // Some are slow to take the lease, and the keeper pumps meanwhile.
    std::thread::sleep(Duration::from_millis((std::process::id() % 8).into()));
    link.send(&Message::Take, &[]).expect("the keeper listens");
    let mut recorder = Recorder { link, file, pump: None, read: 0, stored: 0, hung_up: false, exit: None };
    while !recorder.complete() {
        recorder.wait(&test);
        recorder.read_messages(dir);
        recorder.pump();
    }
    let exit = format!("{:?} at {}", recorder.exit, recorder.read);
    let dir = Path::new(dir);
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

    fn read_messages(&mut self, dir: &str) {
        while let Some((message, fds)) = self.link.try_recv().expect("the keeper lives") {
            match message {
                Message::Holding(holding) => self.resume_pane(&holding, fds),
                Message::Ready { panes: 0, .. } => self.spawn(dir),
                Message::Spawned { .. } if self.pump.is_none() => drop(self.open_pane(fds)),
                Message::Exited { exit, .. } => self.exit = Some(exit),
                _ => {}
            }
        }
    }

    /// Starts the program; only the first daemon does.
    fn spawn(&self, dir: &str) {
        let argv = ["count", "count", dir, "42"].map(Into::into).to_vec();
        let program = std::env::current_exe().expect("a path").into();
        let request =
            SpawnRequest { program, argv, cwd: "/".into(), cols: 80, rows: 24, ..SpawnRequest::default() };
        self.link.send(&Message::Spawn(request), &[]).expect("the keeper listens");
    }

    fn open_pane(&mut self, fds: Vec<OwnedFd>) -> Option<OwnedFd> {
        let fds = PaneFds::from_message(fds).expect("a pane");
        let (pump, _pidfd, snapshot) = Pump::from_fds(fds).expect("a pump");
        self.pump = Some(pump);
        snapshot
    }

    fn resume_pane(&mut self, holding: &Holding, fds: Vec<OwnedFd>) {
        let snapshot = self.open_pane(fds);
        assert_eq!(snapshot.is_some(), holding.snapshot, "the snapshot comes if it is announced");
        if let Some(snapshot) = snapshot {
            let mut offset = [0; 8];
            rustix::io::pread(&snapshot, &mut offset, 0).expect("a snapshot");
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
        if self.link.send(&stored, &[snapshot.as_fd()]).is_ok() {
            self.stored = self.read;
        }
    }
}

/// Asserts that an earlier daemon read the same bytes at this offset.
fn assert_unchanged(file: &File, offset: u64, bytes: &[u8]) {
    let mut before = vec![0; bytes.len()];
    let count = file.read_at(&mut before, offset).expect("the file is readable");
    assert!(before[..count] == bytes[..count], "the output at {offset} has changed");
}
