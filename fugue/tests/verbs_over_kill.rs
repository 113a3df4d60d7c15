//! The daemon is killed while a verb is being carried out: the caller gets the truth, and nothing happens twice.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::Duration;

use fugue_testkit::{CommandOutput, Random, TestServer, signal, until};
use serde_json::{Value, json};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

fn spawn(server: &TestServer, words: &[&str]) -> Child {
    server.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("fugue starts")
}

#[test]
fn an_event_follower_resumes_after_every_kill_and_ends_when_the_daemon_is_shut_down() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut follow = spawn(&server, &["events", "--follow", "--since", "0"]);
    let mut lines = BufReader::new(follow.stdout.take().expect("its output")).lines();
    let mut ids = Vec::new();
    let mut read_until = |value: &str| {
        for line in lines.by_ref() {
            let event: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
            assert_ne!(event["event"], "events_missed");
            ids.extend(event["id"].as_u64());
            if event["value"] == value {
                return;
            }
        }
        panic!("the follower ended before {value}");
    };
    for number in 0..5 {
        let before = format!("before-{number}");
        server.ok(&["set-metadata", "-s", "work", "number", &before]);
        read_until(&before);
        signal("KILL", server.daemon_pid());
        let after = format!("after-{number}");
        server.ok(&["set-metadata", "-s", "work", "number", &after]);
        read_until(&after);
    }
    server.ok(&["shutdown"]);
    let ended = follow.wait().expect("it ends");
    let mut said = String::new();
    follow.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
    ids.extend(lines.filter_map(|line| serde_json::from_str::<Value>(&line.ok()?).ok()?["id"].as_u64()));
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "every event once and in order");
    assert_eq!(
        (ended.code(), said.as_str()),
        (Some(0), "fugue: The daemon was shut down; there are no more events\n")
    );
    assert!(!server.socket().exists(), "no daemon was started to follow");
}

fn finish(child: Child) -> CommandOutput {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    CommandOutput {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

/// Waits until a file exists, which a command of the test creates when it begins.
fn until_begun(server: &TestServer, name: &str) {
    until("the command has begun", || server.path().join(name).exists());
}

/// Creates a file that a command of the test waits for.
fn allow(server: &TestServer, name: &str) {
    std::fs::write(server.path().join(name), "").expect("a file");
}

/// The number of panes in all sessions. The daemon replies after it has recorded what it shows.
fn panes(server: &TestServer) -> usize {
    server.json(&["list-panes"])["panes"].as_array().map_or(0, Vec::len)
}

/// Submits lines to `cat` while the daemon is killed once for each, and returns what became of them and what is shown.
fn submit_over_kills(batch: u64, count: usize) {
    let server = test_server();
    // A program that is no shell, so that Enter is pressed after the text was read.
    let pane = server.session("work", &["cat"]);
    let mut random = Random(batch);
    let lines: Vec<_> =
        (0..count).map(|number| format!("line-{number}-{}", "x".repeat(number * 7 % 60))).collect();
    let mut acknowledged = 0;
    for line in &lines {
        let killed = server.daemon_pid();
        let send = spawn(&server, &["send-input", "-t", &pane, "--submit", line]);
        // Anywhere between the request and the reply, which comes after about 300 ms.
        std::thread::sleep(Duration::from_millis(random.below(400)));
        signal("KILL", killed);
        let sent = finish(send);
        // Killed during the write itself: the caller is told how far it got, and what arrived stays on the line.
        if sent.err.contains("The daemon was killed while typing") {
            break;
        }
        assert_eq!((sent.code, sent.err.as_str()), (0, ""), "{line}");
        acknowledged += 1;
    }
    server.ok(&["send-input", "-t", &pane, "--submit", "the end"]);
    server.wait_for(&pane, "the end$");
    // The terminal echoes every line, and cat prints it: whole lines only, none of them twice.
    let text = server.text(&pane);
    for line in &lines[..acknowledged] {
        assert_eq!(text.lines().filter(|shown| shown == line).count(), 2, "{line} in\n{text}");
    }
    if acknowledged < count {
        return;
    }
    let known = |shown: &&str| *shown == "the end" || lines.iter().any(|line| line == shown);
    assert_eq!(text.lines().find(|shown| !known(shown)), None, "lines that ran together in\n{text}");
}

/// Fifty kills in all. The keeper pauses before it starts a daemon whose predecessors died soon, so each daemon dies only
/// a few times.
#[test]
fn fifty_submits_over_kills_arrive_whole_and_once() {
    let batches: Vec<_> =
        (1..=10).map(|batch| std::thread::spawn(move || submit_over_kills(batch, 5))).collect();
    batches.into_iter().for_each(|batch| batch.join().expect("a batch"));
}

#[test]
fn input_that_a_program_reads_late_survives_the_daemon_that_acknowledged_it() {
    let server = test_server();
    let script = "stty raw -echo; : > ready; while [ ! -e go ]; do sleep 0.01; done; head -c 60001 | tr -d x | od -c; exec cat";
    let pane = server.session("work", &["sh", "-c", script]);
    until_begun(&server, "ready");
    let text = format!("{}!", "x".repeat(60_000));
    server.ok(&["send-input", "-t", &pane, &text]);
    signal("KILL", server.daemon_pid());
    server.ok(&["ls"]);
    allow(&server, "go");
    server.wait_for(&pane, "0000000   !");
}

#[test]
fn a_run_in_its_own_pane_survives_a_kill_with_its_exit_code_and_leaves_no_pane() {
    let server = test_server();
    server.session("work", &["cat"]);
    let run =
        spawn(&server, &["run", "-s", "work", "echo out; until [ -e go ]; do sleep 0.05; done; exit 7"]);
    until("the daemon has recorded its pane", || panes(&server) == 2);
    signal("KILL", server.daemon_pid());
    allow(&server, "go");
    let ran = finish(run);
    assert_eq!((ran.code, ran.out.as_str()), (7, "out\n"), "{ran:?}");
    until("its pane is closed", || panes(&server) == 1);
}

#[test]
fn parallel_runs_survive_a_kill_with_their_exit_codes_and_leave_no_pane() {
    let server = test_server();
    server.session("work", &["cat"]);
    let commands = [
        "until [ -e go ]; do sleep 0.05; done; echo one; exit 3",
        "until [ -e go-two ]; do sleep 0.05; done; echo two",
        "until [ -e go ]; do sleep 0.05; done; echo three",
    ];
    let run = spawn(&server, &[&["run-parallel", "--json", "-s", "work"] as &[&str], &commands].concat());
    until("the daemon has recorded their panes", || panes(&server) == 4);
    allow(&server, "go-two");
    let is_running = |pane: &Value| pane["state"] == "running";
    let running = || {
        server.json(&["list-panes"])["panes"]
            .as_array()
            .map_or(0, |all| all.iter().filter(|pane| is_running(pane)).count())
    };
    until("the second has ended", || running() == 3);
    signal("KILL", server.daemon_pid());
    allow(&server, "go");
    let ran = finish(run);
    let runs: Value = serde_json::from_str(&ran.out).unwrap_or_else(|why| panic!("{why}: {ran:?}"));
    let shown: Vec<_> = runs["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| {
            (
                run["command"].as_str().expect("a command"),
                run["exit"].clone(),
                run["output"].as_str().expect("text"),
            )
        })
        .collect();
    let expected = [
        (commands[0], json!({ "code": 3 }), "one"),
        (commands[1], json!({ "code": 0 }), "two"),
        (commands[2], json!({ "code": 0 }), "three"),
    ];
    assert_eq!(shown, expected);
    until("their panes are closed", || panes(&server) == 1);
}

#[test]
fn a_run_at_a_shells_prompt_survives_a_kill_and_is_typed_once() {
    for shell in ["bash", "dash"] {
        let server = test_server();
        let pane = server.session(shell, &[shell]);
        let run = spawn(
            &server,
            &["run", "-t", &pane, "echo run >> count; : > begun; sleep 1; echo out; (exit 7)"],
        );
        until_begun(&server, "begun");
        signal("KILL", server.daemon_pid());
        let ran = finish(run);
        assert_eq!((ran.code, ran.out.as_str()), (7, "out\n"), "{shell}: {ran:?}");
        let count = std::fs::read_to_string(server.path().join("count")).expect("it ran");
        assert_eq!(count, "run\n", "{shell}: once");
        assert_eq!(server.ok(&["run", "-t", &pane, "echo next"]), "next\n", "{shell}");
    }
}

#[test]
fn a_command_after_one_that_ended_while_no_daemon_was_running_is_known_to_have_run() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    server.ok(&["run", "-t", &pane, "PS1='$(: > prompted)$ '"]);
    let first = "rm -f prompted; : > begun; while [ ! -e go ]; do sleep 0.01; done; echo out";
    let run = spawn(&server, &["run", "-t", &pane, first]);
    until_begun(&server, "begun");
    let (daemon, keeper) = (server.daemon_pid(), server.keeper_pid());
    // While the keeper is stopped, no daemon is started, so the next one finds the prompt in the output.
    signal("STOP", keeper);
    signal("KILL", daemon);
    allow(&server, "go");
    until("the shell shows its prompt", || server.path().join("prompted").exists());
    signal("CONT", keeper);
    let ran = finish(run);
    assert_eq!((ran.code, ran.out.as_str()), (0, "out\n"), "{ran:?}");
    let next = server.run(&["run", "-t", &pane, "echo next"]);
    assert_eq!((next.code, next.out.as_str()), (0, "next\n"), "{next:?}");
}

#[test]
fn a_call_made_again_with_its_key_gets_the_first_result() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let run = ["run", "-s", "work", "--idempotency-key", "build-1", "echo ran >> count; exit 5"];
    assert_eq!(server.run(&run).code, 5);
    let send = ["send-input", "-t", &pane, "--submit", "--idempotency-key", "send-1", "hello"];
    server.ok(&send);
    // By the same daemon, and by the next.
    for _ in 0..2 {
        assert_eq!(server.run(&run).code, 5);
        server.ok(&send);
        signal("KILL", server.daemon_pid());
    }
    assert_eq!(std::fs::read_to_string(server.path().join("count")).expect("it ran"), "ran\n");
    server.ok(&["send-input", "-t", &pane, "--submit", "last"]);
    server.wait_for(&pane, "^last$");
    assert_eq!(
        server.text(&pane).lines().filter(|line| *line == "hello").count(),
        2,
        "echoed and printed once"
    );
}

/// A command that the daemon was starting when it was killed may have run, and the caller is told so; every other one
/// returns its exit code.
#[test]
fn runs_over_several_kills_run_once_and_return_their_codes() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut random = Random(11);
    let mut returned = Vec::new();
    for number in 10..16 {
        let command = format!("echo {number} >> count; sleep 0.2; exit {number}");
        let killed = server.daemon_pid();
        let run = spawn(&server, &["run", "-s", "work", &command]);
        std::thread::sleep(Duration::from_millis(100 + random.below(250)));
        signal("KILL", killed);
        let ran = finish(run);
        if ran.err.contains("The daemon was killed while starting the command") {
            continue;
        }
        assert_eq!(ran.code, number, "{ran:?}");
        returned.push(number);
    }
    let count = std::fs::read_to_string(server.path().join("count")).expect("they ran");
    for number in 10..16 {
        let times = count.lines().filter(|line| *line == number.to_string()).count();
        let expected = if returned.contains(&number) { 1..=1 } else { 0..=1 };
        assert!(expected.contains(&times), "{number} ran {times} times");
    }
    assert!(!returned.is_empty(), "every command was told as interrupted");
    until("no pane is left", || panes(&server) == 1);
}
