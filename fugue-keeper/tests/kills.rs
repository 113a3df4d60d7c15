//! Daemons are killed at any instant while a program writes as fast as it can. Nothing is lost, nothing doubled.

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use common::{Setting, Stage, until};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Signal, kill_process};

/// `FUGUE_KILLS=1000 cargo test -p fugue-keeper --release --test kills` for a long run.
fn kills() -> u64 {
    std::env::var("FUGUE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(60)
}

#[test]
fn a_killed_daemon_costs_no_byte_of_output() {
    let setting = Setting { part: "recorder", ..Setting::default() };
    let stage = Stage::with(&setting);
    let mut delays = Delays(0x9E37_79B9_7F4A_7C15);
    for _ in 0..kills() {
        let daemon = stage.knocked();
        std::thread::sleep(delays.next());
        let pid = socket_peercred(&daemon).expect("a peer").pid;
        kill_process(pid, Signal::KILL).expect("it lived");
    }
    std::fs::write(stage.path("enough"), "").expect("a file");
    until("recorded to the end", || stage.path("exit").exists());
    let bytes = check(&stage);
    let _ = writeln!(std::io::stderr(), "{} kills, {bytes} bytes, none lost, none doubled", kills());
}

/// Every line is the next number, to the last one the program wrote; and its exit is known.
fn check(stage: &Stage) -> u64 {
    let output = File::open(stage.path("output")).expect("the output");
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
    assert_eq!(last.to_string(), read(stage, "written"));
    assert_eq!(format!("Some(Code(42)) at {bytes}"), read(stage, "exit"));
    bytes
}

fn read(stage: &Stage, name: &str) -> String {
    std::fs::read_to_string(stage.path(name)).expect("a file")
}

/// Random enough: some daemons die before they have taken over, some after a while.
struct Delays(u64);

impl Delays {
    fn next(&mut self) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Duration::from_micros(self.0 % 30_000)
    }
}
