//! What the daemon allocates on the paths that must stay cheap. A count says what a path does, where a time would say how
//! busy the machine is. Each bound is about half as much again as was counted; a change that exceeds one has made that
//! path do more work. Other work of the daemon, such as looking at a program now and then, is counted, too, so the
//! least of several counts is taken.
#![cfg(debug_assertions)]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use fugue_testkit::{TestServer, TestTerminal, until};

/// The counts of which the least is taken.
const COUNTS: usize = 5;

/// A daemon whose allocations are counted.
struct CountedDaemon {
    server: TestServer,
    count: PathBuf,
    pane: String,
}

impl CountedDaemon {
    /// A daemon with one pane, in which a program runs.
    fn start(program: &[&str]) -> Self {
        let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
        let count = server.path().join("allocations");
        let words = [&["new", "-d", "-s", "work", "--"], program].concat();
        let started =
            server.command(&words).env("FUGUE_ALLOCATION_COUNT", &count).output().expect("fugue runs");
        assert!(started.status.success(), "{started:?}");
        let pane = server.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("an id").to_owned();
        Self { server, count, pane }
    }

    /// The allocations so far, once nothing has been allocated for a moment.
    fn allocations(&self) -> u64 {
        let mut last = self.counted();
        for _ in 0..200 {
            std::thread::sleep(Duration::from_millis(50));
            match self.counted() {
                now if now == last => return now,
                now => last = now,
            }
        }
        panic!("the daemon is never idle");
    }

    fn counted(&self) -> u64 {
        u64::from_ne_bytes(fs::read(&self.count).expect("the count").try_into().expect("8 bytes"))
    }

    /// Fails if an act allocates more than the bound allows, after one that is not counted.
    fn check(&self, what: &str, bound: u64, mut act: impl FnMut()) {
        act();
        let counts = (0..COUNTS).map(|_| {
            let before = self.allocations();
            act();
            self.allocations() - before
        });
        let least = counts.min().unwrap_or_default();
        println!("{what}: {least} allocations, at most {bound}");
        assert!(least <= bound, "{what}: {least} allocations, more than {bound}");
        assert!(least > bound / 4, "{what}: {least} allocations, so the bound of {bound} is too high");
    }

    fn terminal(&self) -> TestTerminal {
        let mut terminal = self.server.terminal(&["attach", "work"], 80, 24);
        terminal.shows("ready");
        terminal
    }
}

#[test]
fn ten_keys_and_their_echoes() {
    let daemon = CountedDaemon::start(&["sh", "-c", "echo ready; exec cat"]);
    let mut terminal = daemon.terminal();
    let mut typed = String::new();
    daemon.check("ten keys and their echoes", 420, || {
        for _ in 0..10 {
            typed.push('x');
            terminal.send("x");
            terminal.shows(&typed);
        }
    });
}

#[test]
fn four_megabytes_of_a_flood() {
    let daemon = CountedDaemon::start(&["sh"]);
    let written = daemon.server.path().join("written");
    let flood = "yes 'a line of text that a build could have written' | head -c 4096000; touch written";
    daemon.check("four megabytes of a flood", 9_600, || {
        daemon.server.ok(&["send-input", "-t", &daemon.pane, flood, "--submit"]);
        // Nobody waits for a pattern, since the output would be searched for it.
        until("all of it is written", || written.exists());
        fs::remove_file(&written).expect("removed");
    });
}

#[test]
fn a_one_shot_command() {
    let daemon = CountedDaemon::start(&["cat"]);
    daemon.check("a one-shot command", 100, || drop(daemon.server.ok(&["server-status"])));
}

#[test]
fn an_attached_client() {
    let daemon = CountedDaemon::start(&["sh", "-c", "echo ready; exec cat"]);
    daemon.check("an attached client", 1_200, || drop(daemon.terminal()));
}

#[test]
fn a_list_of_two_hundred_panes() {
    let daemon = CountedDaemon::start(&["cat"]);
    for _ in 1..200 {
        daemon.server.ok(&["create-window", "-d", "-s", "work", "--", "cat"]);
    }
    daemon.check("a list of two hundred panes", 3_600, || {
        let panes = daemon.server.json(&["list-panes"]);
        assert_eq!(panes["panes"].as_array().map(Vec::len), Some(200));
    });
}
