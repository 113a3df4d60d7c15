//! Programs that end at random times with random codes: the code that is reported must be theirs.

use std::fs;
use std::time::Instant;

use fugue_testkit::{CommandOutput, PATIENCE, TestServer};
use serde_json::Value;

use super::tally::Tally;
use super::{Stage, pause};

/// A program that was being started when the keeper was killed is not started; the caller is told.
const NOT_STARTED: &str = "the keeper was killed while starting the program";

/// Creates the session in which commands run.
pub(super) fn start(server: &TestServer) {
    server.session("exits", &["cat"]);
}

/// Repeats a command that may be repeated until it succeeds.
fn repeat(server: &TestServer, words: &[&str]) -> Result<CommandOutput, String> {
    let begun = Instant::now();
    loop {
        let ran = server.run(words);
        if ran.code == 0 || begun.elapsed() > PATIENCE {
            return if ran.code == 0 { Ok(ran) } else { Err(ran.err) };
        }
    }
}

/// Starts programs in panes that are kept, and waits for each.
pub(super) fn run(stage: &Stage<'_>) -> Tally {
    let (mut tally, mut random) = (Tally::new("exit codes"), stage.random(3));
    let (mut ended, mut unacknowledged) = (0, 0);
    for number in 0.. {
        if stage.is_over() {
            break;
        }
        let (name, code) = (format!("exit-{number}"), random.below(126));
        let script = format!("sleep 0.{:03}; exit {code}", random.below(1000));
        let words = ["new", "-d", "-s", &name, "--on-exit", "keep", "--json", "--", "sh", "-c", &script];
        let started = tally.timed(|| stage.server.run(&words));
        let started: Value = serde_json::from_str(&started.out).unwrap_or_default();
        match started["pane_id"].as_str() {
            Some(pane) => {
                expect_exit(stage.server, pane, code, &mut tally);
                ended += 1;
            }
            None => unacknowledged += 1,
        }
        let killed = stage.server.run(&["kill-session", "-s", &name]);
        expect_gone(stage.server, &name, &killed, &mut tally);
        pause(&mut random, 100);
    }
    tally.counts = format!("{ended} programs, {unacknowledged} starts not acknowledged");
    tally
}

fn expect_exit(server: &TestServer, pane: &str, code: u64, tally: &mut Tally) {
    let words = ["wait", "-t", pane, "--until", "exit", "--timeout-ms", "60000", "--json"];
    match repeat(server, &words) {
        Err(why) => tally.lose(1, || format!("pane {pane}: {why}")),
        Ok(waited) => {
            let waited: Value = serde_json::from_str(&waited.out).unwrap_or_default();
            if waited["exit"]["code"] != code {
                tally.mistake(|| format!("pane {pane}: exit code {code}, reported {waited}"));
            }
        }
    }
}

/// Checks that a session which was killed is gone.
fn expect_gone(server: &TestServer, name: &str, killed: &CommandOutput, tally: &mut Tally) {
    if killed.code == 0 && server.run(&["list-panes", "-s", name]).code == 0 {
        tally.mistake(|| format!("session {name} was killed and is still there"));
    }
}

/// Runs commands with `fugue run`: each once, with its own exit code, whatever is killed meanwhile.
pub(super) fn run_commands(stage: &Stage<'_>) -> Tally {
    let (mut tally, mut random) = (Tally::new("runs"), stage.random(4));
    let mut expected = Vec::new();
    let (mut not_started, mut unknown) = (0, 0);
    for number in 0.. {
        if stage.is_over() {
            break;
        }
        // Not 1 and 2, the exit codes of a refusal and of a lost connection.
        let code = 3 + random.below(123);
        let command = format!("echo {number} >> ran; sleep 0.{:03}; exit {code}", random.below(600));
        let ran = tally.timed(|| stage.server.run(&["run", "-s", "exits", &command]));
        match ran.code {
            found if i64::from(found) == code.cast_signed() => expected.push(number.to_string()),
            1 if ran.err.contains(NOT_STARTED) => not_started += 1,
            // The kill came between the start and the journal's entry, and the caller is told.
            1 if ran.err.contains("killed while starting the command") => unknown += 1,
            // It gives up after several kills, and says so.
            2 if ran.err.contains("the request may have taken effect") => unknown += 1,
            // The machine was too busy for the daemon to answer in time, and the caller is told.
            2 if ran.err.contains("does not respond") => unknown += 1,
            _ => tally.mistake(|| format!("run {number}: exit code {code}, reported {ran:?}")),
        }
        pause(&mut random, 100);
    }
    compare_runs(stage.server, &expected, &mut tally);
    tally.counts = format!("{} commands, {not_started} refused, {unknown} told as unknown", expected.len());
    tally
}

/// Checks that each command that was acknowledged ran once, and no other more than once.
fn compare_runs(server: &TestServer, expected: &[String], tally: &mut Tally) {
    let ran = fs::read_to_string(server.path().join("ran")).unwrap_or_default();
    for number in expected {
        match ran.lines().filter(|line| line == number).count() {
            0 => tally.lose(1, || format!("run {number} did not run")),
            count => tally.double(count - 1, || format!("run {number} ran {count} times")),
        }
    }
}
