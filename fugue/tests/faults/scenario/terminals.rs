//! An attached client that types now and then: at the end it is alive, shows its session, and each line arrived once.

use std::fs;
use std::path::Path;

use fugue_testkit::{TestServer, TestTerminal, until};

use super::tally::Tally;
use super::{Stage, pause};

/// The number of a client, which types into a session of its own.
#[derive(Debug, Clone, Copy)]
struct Number(u64);

impl Number {
    fn session(self) -> String {
        format!("attached-{}", self.0)
    }

    fn record(self) -> String {
        format!("typed-{}", self.0)
    }
}

/// A client before the first fault: later, messages about restarts hide the name of its session.
pub(super) struct AttachedClient {
    number: Number,
    terminal: TestTerminal,
}

pub(super) fn start(server: &TestServer, number: u64) -> AttachedClient {
    let number = Number(number);
    server.session(&number.session(), &["tee", &number.record()]);
    let mut terminal = server.terminal(&["attach", &number.session()], 80, 24);
    terminal.shows(&number.session());
    AttachedClient { number, terminal }
}

pub(super) fn run(stage: &Stage<'_>, client: AttachedClient) -> Tally {
    let AttachedClient { number, mut terminal } = client;
    let names = ["first terminal", "second terminal"];
    let mut tally = Tally::new(names[usize::from(number.0 > 0)]);
    let mut random = stage.random(6 + number.0);
    let mut typed = Vec::new();
    while !stage.is_over() {
        let line = format!("typed-{}", typed.len());
        terminal.send(format!("{line}\r"));
        typed.push(line);
        pause(&mut random, 700);
        // Processes what was painted meanwhile.
        terminal.until("its output is read", |_| true);
    }
    terminal.send("typed all\r");
    tally.timed(|| terminal.shows("typed all"));
    terminal.shows(&number.session());
    if !Path::new(&format!("/proc/{}", terminal.process())).exists() {
        tally.mistake(|| "the client has ended".into());
    }
    let told = terminal.status_showed("discarded") || terminal.status_showed("may not have");
    compare(stage.server, number, &typed, told, &mut tally);
    tally
}

/// Compares the recorded lines. A client tells its user if input may not have arrived.
fn compare(server: &TestServer, number: Number, typed: &[String], told: bool, tally: &mut Tally) {
    let read = || fs::read_to_string(server.path().join(number.record())).unwrap_or_default();
    until("the last line was read", || read().contains("typed all\n"));
    let record = read();
    for line in typed {
        match record.lines().filter(|shown| shown == line).count() {
            0 if told => {}
            0 => tally.lose(1, || line.clone()),
            count => tally.double(count - 1, || line.clone()),
        }
    }
    let told = if told { ", some told as discarded" } else { "" };
    tally.counts = format!("attached and alive, {} lines typed{told}", typed.len());
}
