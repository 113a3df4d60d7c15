//! Daemons and keepers are killed at any moment while a program writes as fast as it can: no output is lost or
//! duplicated.

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use common::{KeeperSetup, TestKeeper, until};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, Signal, kill_process};

/// `FUGUE_KILLS=1000 cargo test -p fugue-keeper --release --test daemon_kills` for a long run.
fn kills() -> u64 {
    std::env::var("FUGUE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(60)
}

#[test]
fn a_killed_daemon_loses_no_output() {
    let setup = KeeperSetup { role: "recorder", ..KeeperSetup::default() };
    let keeper = TestKeeper::with(&setup);
    let mut delays = Delays(0x9E37_79B9_7F4A_7C15);
    for _ in 0..kills() {
        let daemon = keeper.connected();
        std::thread::sleep(delays.next());
        let pid = socket_peercred(&daemon).expect("a peer").pid;
        kill_process(pid, Signal::KILL).expect("a running daemon");
    }
    std::fs::write(keeper.path("enough"), "").expect("a file");
    until("recorded to the end", || keeper.path("exit").exists());
    let bytes = check(&keeper);
    let _ = writeln!(std::io::stderr(), "{} kills, {bytes} bytes, none lost, none doubled", kills());
}

#[test]
fn keepers_and_daemons_killed_in_turns_lose_no_output() {
    let setup = KeeperSetup { role: "recorder", ..KeeperSetup::default() };
    let keeper = TestKeeper::with(&setup);
    let mut delays = Delays(0x2545_F491_4F6C_DD1D);
    for _ in 0..kills().div_ceil(6) {
        let daemon = keeper.connected();
        let pid = socket_peercred(&daemon).expect("a peer").pid;
        for _ in 0..3 {
            kill_keeper(&keeper, pid, &mut delays);
        }
        std::thread::sleep(delays.next());
        kill_process(pid, Signal::KILL).expect("a running daemon");
    }
    std::fs::write(keeper.path("enough"), "").expect("a file");
    until("recorded to the end", || keeper.path("exit").exists());
    let bytes = check(&keeper);
    let _ = writeln!(std::io::stderr(), "{} kills, {bytes} bytes, none lost, none doubled", kills());
}

/// Kills the keeper after a while, and waits until its successor holds everything.
fn kill_keeper(keeper: &TestKeeper, daemon: Pid, delays: &mut Delays) {
    let by_daemon = format!(" {}", daemon.as_raw_nonzero());
    let named =
        || std::fs::read_to_string(keeper.path("keeper")).ok()?.strip_suffix(&by_daemon)?.parse().ok();
    until("a keeper is named", || named().is_some());
    let killed: Option<i32> = named();
    std::thread::sleep(delays.next());
    kill_process(killed.and_then(Pid::from_raw).expect("a pid"), Signal::KILL).expect("a running keeper");
    until("a successor is named", || named() != killed);
}

/// Checks that every line is the next number, up to the last one that the program wrote, and that its exit is known.
fn check(keeper: &TestKeeper) -> u64 {
    let output = File::open(keeper.path("output")).expect("the output");
    let (mut last, mut bytes) = (0_u64, 0);
    for line in BufReader::new(output).split(b'\n') {
        let line = line.expect("a line");
        last += 1;
        bytes += line.len() as u64 + 1;
        assert_eq!(
            String::from_utf8_lossy(&line),
            format!("{last}\r"),
            "lost or doubled before byte {bytes}"
        );
    }
    assert_eq!(last.to_string(), read(keeper, "written"));
    assert_eq!(format!("Some(Code(42)) at {bytes}"), read(keeper, "exit"));
    bytes
}

fn read(keeper: &TestKeeper, name: &str) -> String {
    std::fs::read_to_string(keeper.path(name)).expect("a file")
}

/// A random pause: some daemons die before they have taken the lease, some after a while.
struct Delays(u64);

impl Delays {
    fn next(&mut self) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Duration::from_micros(self.0 % 30_000)
    }
}
