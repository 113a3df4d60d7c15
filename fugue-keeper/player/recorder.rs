//! A daemon to be killed at any instant. It pumps, writes what it reads into a file at the offset it read it from,
//! and now and then stores a snapshot. What its predecessors wrote must agree.

use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use fugue_keeper::{
    EXIT_FOR_GOOD, Exit, Holding, Link, Message, PaneFds, PaneId, Pump, SpawnRequest, State, inherited,
};
use rustix::event::{PollFd, PollFlags, poll};

/// Between two snapshots, so that a successor always has something to read again.
const OFTEN: u64 = 300_000;

struct Recorder {
    link: Link,
    file: File,
    pump: Option<Pump>,
    read: u64,
    stored: u64,
    hung_up: bool,
    exit: Option<Exit>,
}

/// Plays until the program has ended and all is written, then notes the exit in `FOLDER/exit`.
pub fn record(hatch: &str, folder: &str) {
    let Some((link, _listener)) = inherited() else { panic!("not started by a keeper") };
    let test = super::knock(hatch);
    let path = Path::new(folder).join("output");
    let file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).expect("a file");
    // Some are slow to take over, and meanwhile the keeper pumps.
    std::thread::sleep(Duration::from_millis((std::process::id() % 8).into()));
    link.send(&Message::Take, &[]).expect("the keeper listens");
    let mut recorder = Recorder { link, file, pump: None, read: 0, stored: 0, hung_up: false, exit: None };
    while !recorder.complete() {
        recorder.wait(&test);
        recorder.hear(folder);
        recorder.pump();
    }
    let exit = format!("{:?} at {}", recorder.exit, recorder.read);
    let folder = Path::new(folder);
    std::fs::write(folder.join("exit.new"), exit).expect("a file");
    std::fs::rename(folder.join("exit.new"), folder.join("exit")).expect("a file");
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

    fn hear(&mut self, folder: &str) {
        while let Some((message, fds)) = self.link.try_recv().expect("the keeper lives") {
            match message {
                Message::Holding(holding) => self.take_up(&holding, fds),
                Message::Ready { panes: 0, .. } => self.spawn(folder),
                Message::Spawned { .. } if self.pump.is_none() => drop(self.begin(fds)),
                Message::Exited { exit, .. } => self.exit = Some(exit),
                _ => {}
            }
        }
    }

    /// The very first one.
    fn spawn(&self, folder: &str) {
        let argv = ["count", "count", folder, "42"].map(Into::into).to_vec();
        let program = std::env::current_exe().expect("a path").into();
        let request =
            SpawnRequest { program, argv, cwd: "/".into(), cols: 80, rows: 24, ..SpawnRequest::default() };
        self.link.send(&Message::Spawn(request), &[]).expect("the keeper listens");
    }

    fn begin(&mut self, fds: Vec<OwnedFd>) -> Option<OwnedFd> {
        let fds = PaneFds::from_message(fds).expect("a pane");
        let (pump, _pidfd, snapshot) = Pump::from_fds(fds).expect("a pump");
        self.pump = Some(pump);
        snapshot
    }

    fn take_up(&mut self, holding: &Holding, fds: Vec<OwnedFd>) {
        let snapshot = self.begin(fds);
        assert_eq!(snapshot.is_some(), holding.snapshot, "the snapshot is there if it is told");
        if let Some(snapshot) = snapshot {
            let mut offset = [0; 8];
            rustix::io::pread(&snapshot, &mut offset, 0).expect("a snapshot");
            assert_eq!(u64::from_le_bytes(offset), holding.stored_offset, "the snapshot of that offset");
        }
        (self.read, self.stored) = (holding.stored_offset, holding.stored_offset);
        self.exit = holding.exit;
        self.write_down();
    }

    fn pump(&mut self) {
        let Some(pump) = &mut self.pump else { return };
        let turn = pump.turn(128 << 10).expect("room in the segment");
        self.hung_up = turn.state == State::Hangup;
        self.write_down();
        if self.read - self.stored > OFTEN {
            self.store();
        }
    }

    fn write_down(&mut self) {
        let Some(pump) = &self.pump else { return };
        let mut buffer = [0; 64 << 10];
        loop {
            let count = pump.read_at(self.read, &mut buffer).expect("the segment is readable");
            if count == 0 {
                return;
            }
            agree(&self.file, self.read, &buffer[..count]);
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

/// What an earlier recorder wrote here is what this one read again.
fn agree(file: &File, offset: u64, bytes: &[u8]) {
    let mut before = vec![0; bytes.len()];
    let count = file.read_at(&mut before, offset).expect("the file is readable");
    assert!(before[..count] == bytes[..count], "the output at {offset} has changed");
}
