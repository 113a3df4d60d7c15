//! Daemons are killed at any instant while a program writes as fast as it can. Nothing is lost, nothing doubled.

mod common;

use std::io::Write;
use std::time::Duration;

use common::{Setting, Stage, until};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Signal, kill_process};

/// `FUGUE_KILLS=1000 cargo test -p fugue-keeper --release --test kills` for a long run.
fn kills() -> u64 {
    std::env::var("FUGUE_KILLS")
        .ok()
        .and_then(|kills| kills.parse().ok())
        .unwrap_or(60)
}

#[test]
fn a_killed_daemon_costs_no_byte_of_output() {
    // At 10 MB a second and more the program still writes when the last kill comes.
    let last = kills() * 50_000;
    let command = format!("count\ncount\n{last}\n42\n");
    let setting = Setting {
        part: "recorder",
        ..Setting::default()
    };
    let stage = Stage::with_files(&setting, &[("command", &command)]);
    let mut delays = Delays(0x9E37_79B9_7F4A_7C15);
    for _ in 0..kills() {
        let daemon = stage.knocked();
        std::thread::sleep(delays.next());
        let pid = socket_peercred(&daemon).expect("a peer").pid;
        kill_process(pid, Signal::KILL).expect("it lived");
    }
    let at_last_kill = size(&stage);
    until("recorded to the end", || stage.path("exit").exists());
    let _ = writeln!(
        std::io::stderr(),
        "{} kills within {at_last_kill} of {} bytes",
        kills(),
        size(&stage)
    );
    assert!(
        at_last_kill < size(&stage),
        "the program was done before the last kill"
    );
    check(&stage, last);
}

fn size(stage: &Stage) -> u64 {
    std::fs::metadata(stage.path("output")).map_or(0, |file| file.len())
}

fn check(stage: &Stage, last: u64) {
    let output = std::fs::read(stage.path("output")).expect("the output");
    let mut expected = Vec::with_capacity(output.len());
    (1..=last).for_each(|number| write!(expected, "{number}\r\n").expect("memory"));
    assert_eq!(output.len(), expected.len(), "bytes lost or doubled");
    assert!(output == expected, "the same length, but not the same bytes");
    let exit = std::fs::read_to_string(stage.path("exit")).expect("the exit");
    assert_eq!(exit, format!("Some(Code(42)) at {}", expected.len()));
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
