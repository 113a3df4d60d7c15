//! A daemon played by the test.

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use fugue_keeper::{Exit, Holding, Link, Message, PaneFds, PaneId, Pump, PumpState, SpawnRequest};
use rustix::process::{Pid, Signal, kill_process};

use super::{PATIENCE, exit_request, ready_within, wait_for};

/// A daemon played by the test; its process is a relay that only waits.
pub(crate) struct TestDaemon {
    pub link: Link,
    pub listener: OwnedFd,
    pub relay: Link,
}

/// A pane and its output so far.
pub(crate) struct TestPane {
    pub pid: i32,
    pub pump: Pump,
    pub from: u64,
    pub hung_up: bool,
    pub snapshot: Option<OwnedFd>,
}

/// `sh -c SCRIPT` in a pane numbered `number`.
pub(crate) fn shell(number: u8, script: &str) -> SpawnRequest {
    SpawnRequest {
        pane: [number; 16],
        program: "/bin/sh".into(),
        argv: vec!["sh".into(), "-c".into(), script.into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("TERM".into(), "dumb".into())],
        cwd: "/".into(),
        cols: 80,
        rows: 24,
        placement: None,
    }
}

impl TestDaemon {
    pub(crate) fn new(link: Link, listener: OwnedFd, relay: Link) -> Self {
        Self { link, listener, relay }
    }

    pub(crate) fn pid(&self) -> Pid {
        rustix::net::sockopt::socket_peercred(&self.relay).expect("a peer").pid
    }

    pub(crate) fn keeper(&self) -> i32 {
        rustix::net::sockopt::socket_peercred(&self.link).expect("a peer").pid.as_raw_nonzero().get()
    }

    pub(crate) fn send(&self, message: &Message) {
        self.link.send(message, &[]).expect("the keeper is connected");
    }

    pub(crate) fn receive(&self) -> (Message, Vec<OwnedFd>) {
        wait_for(&self.link);
        self.link.try_recv().expect("the keeper is running").expect("a message")
    }

    /// Takes the lease and returns the panes that the keeper holds.
    pub(crate) fn take(&self) -> Vec<(Holding, TestPane)> {
        self.send(&Message::Take);
        let mut held = Vec::new();
        loop {
            match self.receive() {
                (Message::Holding(holding), fds) => held.push((holding, TestPane::new(&holding, fds))),
                (Message::Ready { panes, .. }, _) => {
                    assert_eq!(panes as usize, held.len());
                    return held;
                }
                (other, _) => panic!("{other:?} before `Ready`"),
            }
        }
    }

    pub(crate) fn spawn(&self, request: SpawnRequest) -> TestPane {
        self.send(&Message::Spawn(request));
        loop {
            match self.receive() {
                (Message::Spawned { pane, pid }, fds) => return TestPane::new(&fresh(pane, pid), fds),
                // Other programs may end meanwhile.
                (Message::Exited { .. }, _) => {}
                (other, _) => panic!("{other:?} instead of a program"),
            }
        }
    }

    pub(crate) fn exit_of(&self, id: PaneId) -> Exit {
        match self.receive() {
            (Message::Exited { pane, exit }, _) if pane == id => exit,
            (other, _) => panic!("{other:?} instead of the exit"),
        }
    }

    pub(crate) fn kill(self) {
        kill_process(self.pid(), Signal::KILL).expect("a running daemon");
    }

    pub(crate) fn end(self, code: u16) {
        self.relay.send(&exit_request(code), &[]).expect("a running daemon");
    }
}

fn fresh(pane: PaneId, pid: i32) -> Holding {
    Holding { pane, pid, stored_offset: 0, seen_offset: 0, snapshot: false, stalled: false, exit: None }
}

impl TestPane {
    fn new(holding: &Holding, fds: Vec<OwnedFd>) -> Self {
        let (pump, _pidfd, snapshot) =
            Pump::from_fds(PaneFds::from_message(fds).expect("a pane")).expect("a pump");
        Self { pid: holding.pid, pump, from: holding.stored_offset, hung_up: false, snapshot }
    }

    /// All output since the stored offset.
    pub(crate) fn text(&self) -> String {
        let mut bytes = vec![0; usize::try_from(self.pump.head() - self.from).expect("it fits")];
        let count = self.pump.read_at(self.from, &mut bytes).expect("readable");
        assert_eq!(count, bytes.len());
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Pumps until the output contains this.
    pub(crate) fn shows(&mut self, what: &str) -> String {
        self.pump_until(|pane| pane.text().contains(what), what)
    }

    /// Pumps until the terminal hangs up.
    pub(crate) fn shows_all(&mut self) -> String {
        self.pump_until(|pane| pane.hung_up, "the end")
    }

    pub(crate) fn types(&self, keys: &str) {
        assert_eq!(
            rustix::io::write(self.pump.master(), keys.as_bytes()).expect("the terminal accepts input"),
            keys.len()
        );
    }

    fn pump_until(&mut self, condition: impl Fn(&Self) -> bool, what: &str) -> String {
        let start = Instant::now();
        while !condition(self) {
            assert!(start.elapsed() < PATIENCE, "no {what} in {:?}", self.text());
            assert!(!self.hung_up, "no {what} in {:?}", self.text());
            ready_within(self.pump.master(), Duration::from_secs(1));
            self.hung_up = self.pump.turn(usize::MAX).expect("room").state == PumpState::Hangup;
        }
        self.text()
    }
}
