//! What the daemon allocates on the paths that must stay cheap. A count does not depend on the machine or its load, so it
//! is bounded where a time could not be. Each bound is about half as much again as was counted; a change that exceeds one
//! has made that path do more work.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use fugue_testkit::{TestServer, TestTerminal, until};

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
        let words = [&["new", "-d", "-s", "work", "--json", "--"], program].concat();
        let started =
            server.command(&words).env("FUGUE_ALLOCATION_COUNT", &count).output().expect("fugue runs");
        assert!(started.status.success(), "{started:?}");
        let pane = server.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("an id").to_owned();
        Self { server, count, pane }
    }

    /// The allocations so far, once nothing has been allocated for a while.
    fn allocations(&self) -> u64 {
        let read = || {
            let bytes = fs::read(&self.count).expect("the count");
            u64::from_ne_bytes(bytes.try_into().expect("8 bytes"))
        };
        let mut last = read();
        loop {
            std::thread::sleep(Duration::from_millis(50));
            match read() {
                now if now == last => return now,
                now => last = now,
            }
        }
    }

    /// The allocations for each of some repetitions of an act, after one that is not counted.
    fn for_each(&self, times: u64, mut act: impl FnMut()) -> u64 {
        act();
        let before = self.allocations();
        (0..times).for_each(|_| act());
        (self.allocations() - before) / times
    }

    fn terminal(&self) -> TestTerminal {
        let mut terminal = self.server.terminal(&["attach", "work"], 80, 24);
        terminal.shows("ready");
        terminal
    }
}

/// Fails if more was allocated than the bound allows.
fn check(what: &str, counted: u64, bound: u64) {
    println!("{what}: {counted} allocations, at most {bound}");
    assert!(counted <= bound, "{what}: {counted} allocations, more than {bound}");
}

#[test]
fn a_key_and_its_echo() {
    let daemon = CountedDaemon::start(&["sh", "-c", "echo ready; exec cat"]);
    let mut terminal = daemon.terminal();
    let mut typed = String::new();
    let counted = daemon.for_each(40, || {
        typed.push('x');
        terminal.send("x");
        terminal.shows(&typed);
    });
    check("a key and its echo", counted, 45);
}

#[test]
fn a_kilobyte_of_a_flood() {
    let daemon = CountedDaemon::start(&["sh"]);
    let written = daemon.server.path().join("written");
    let flood = "yes 'a line of text that a build could have written' | head -c 4096000; touch written";
    let flood = || {
        daemon.server.ok(&["send-input", "-t", &daemon.pane, flood, "--submit"]);
        // Nobody waits for a pattern, since the output would be searched for it.
        until("all of it is written", || written.exists());
        fs::remove_file(&written).expect("removed");
    };
    check("a kilobyte of a flood", daemon.for_each(2, flood) / 4_000, 2);
}

#[test]
fn a_one_shot_command() {
    let daemon = CountedDaemon::start(&["cat"]);
    let counted = daemon.for_each(20, || drop(daemon.server.ok(&["server-status"])));
    check("a one-shot command", counted, 100);
}

#[test]
fn an_attached_client() {
    let daemon = CountedDaemon::start(&["sh", "-c", "echo ready; exec cat"]);
    let counted = daemon.for_each(5, || drop(daemon.terminal()));
    check("an attached client", counted, 1_200);
}

#[test]
fn a_list_of_two_hundred_panes() {
    let daemon = CountedDaemon::start(&["cat"]);
    for _ in 1..200 {
        daemon.server.ok(&["create-window", "-d", "-s", "work", "--", "cat"]);
    }
    let counted = daemon.for_each(5, || {
        let panes = daemon.server.json(&["list-panes"]);
        assert_eq!(panes["panes"].as_array().map(Vec::len), Some(200));
    });
    check("a pane in a list of two hundred", counted / 200, 18);
}
