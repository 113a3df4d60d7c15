//! Daemons are killed at any moment while a program writes as fast as it can: no output is lost or duplicated.

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use common::{KeeperSetup, TestKeeper, until};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Signal, kill_process};

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
