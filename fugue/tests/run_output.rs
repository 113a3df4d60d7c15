//! What `run` returns, byte for byte: what the command printed and nothing else, whatever is on the screen, in shells with
//! prompt marks and without, on a machine that has other things to do.
//!
//! `FUGUE_RUN_OUTPUT_RUNS=600 cargo test -p fugue --test run_output shells_without_marks -- --nocapture` runs as many
//! commands in each shell without prompt marks; by default there are few.

use std::process::{Child, Command, Stdio};
use std::thread;

use fugue_testkit::{TestServer, expect_program, shells_among, until};
use serde_json::{Value, json};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

fn run(server: &TestServer, pane: &str, command: &str) -> Value {
    let result = server.run(&["run", "--json", "-t", pane, "--lines", "1000", command]);
    serde_json::from_str(&result.out).unwrap_or_else(|_| panic!("{command}: {} {}", result.out, result.err))
}

#[track_caller]
fn expect(server: &TestServer, pane: &str, command: &str, exit_code: i32, output: &str) {
    let result = run(server, pane, command);
    assert_eq!(
        (&result["outcome"], &result["exit_code"], &result["output"]),
        (&json!("finished"), &json!(exit_code), &json!(output)),
        "{command}"
    );
}

/// Runs a test in every installed shell: with prompt marks, and one without.
fn in_every_shell(test: impl Fn(&TestServer, &str, &str)) {
    for shell in shells_among(&["bash", "zsh", "fish", "dash"]) {
        let server = test_server();
        let pane = server.session(shell, &[shell]);
        test(&server, &pane, shell);
    }
}

/// Prints rows and moves the cursor up to the first ones.
const LEFTOVERS: &str = "seq -f 'LEFTOVER LEFTOVER %g' 1 6; printf '\\033[5A'";
const LEFTOVER_TEXT: &str = "LEFTOVER LEFTOVER 1\nLEFTOVER LEFTOVER 2\nLEFTOVER LEFTOVER 3\n\
                             LEFTOVER LEFTOVER 4\nLEFTOVER LEFTOVER 5\nLEFTOVER LEFTOVER 6";

#[test]
fn rows_that_an_earlier_command_left_are_no_output() {
    in_every_shell(|server, pane, shell| {
        expect(server, pane, LEFTOVERS, 0, LEFTOVER_TEXT);
        expect(server, pane, "echo hi; echo there", 0, "hi\nthere");
        expect(server, pane, LEFTOVERS, 0, LEFTOVER_TEXT);
        expect(server, pane, "false", 1, "");
        expect(server, pane, LEFTOVERS, 0, LEFTOVER_TEXT);
        let shown = server.json(&["get-output", "-t", pane, "--mode", "last_command"]);
        assert!(LEFTOVER_TEXT.starts_with(shown["text"].as_str().expect("text")), "{shell}: {shown}");
        let result = run(server, pane, "printf 'name? '; head -n 1");
        assert_eq!((&result["outcome"], &result["output"]), (&json!("waiting_for_input"), &json!("name?")));
    });
}

#[test]
fn rows_of_a_program_that_was_killed_are_no_output() {
    in_every_shell(|server, pane, _| {
        let drawn = "\\033[?25l\\033[?2004hfirst\\n\\n  manual mode on\\n  esc to interrupt\\033[3A\\r";
        let result = run(server, pane, &format!("sh -c 'printf \"{drawn}\"; kill -9 $$'"));
        assert_eq!(result["exit_code"], 137, "{result}");
        expect(server, pane, "echo hi", 0, "hi");
    });
}

#[test]
fn what_is_on_the_screen_at_the_end_is_the_output_of_a_command_that_moves_the_cursor() {
    in_every_shell(|server, pane, _| {
        for (command, output) in [
            ("printf '10 %%\\r50 %%\\r100 %%\\r'", "100 %"),
            ("printf '10 %%\\r\\033[Kdone\\n'", "done"),
            ("printf 'a\\nb\\nc\\n\\033[3AX\\n'", "X\nb\nc"),
            ("printf 'one\\n\\033[H\\033[2Jtwo\\n'", "one\ntwo"),
            ("printf 'one\\n\\033[?1049hfull screen\\033[?1049ltwo\\n'", "one\ntwo"),
            ("printf '全部 👩‍💻 %s|' é", "全部 👩‍💻 é|"),
        ] {
            expect(server, pane, command, 0, output);
        }
        expect(server, pane, "clear; echo alone", 0, "alone");
    });
}

#[test]
fn a_pane_that_is_resized_while_a_command_runs_changes_nothing() {
    in_every_shell(|server, pane, shell| {
        server.ok(&["create-pane", "--pane", pane, "--direction", "right", "--", "cat"]);
        expect(server, pane, LEFTOVERS, 0, LEFTOVER_TEXT);
        let text = "0123456789 全部 ".repeat(30);
        let wait = match shell {
            "fish" => "while not test -e resized; sleep 0.05; end",
            _ => "until test -e resized; do sleep 0.05; done",
        };
        let command = format!("echo '{text}'; echo > begun; {wait}; echo end");
        thread::scope(|scope| {
            let ran = scope.spawn(|| run(server, pane, &command));
            until("the command has begun", || server.path().join("begun").exists());
            server.ok(&["resize-pane", "-t", pane, "--cols", "25"]);
            std::fs::write(server.path().join("resized"), "").expect("a file");
            assert_eq!(ran.join().expect("a result")["output"], format!("{text}\nend").replace(" \n", "\n"));
        });
        expect(server, pane, "echo next", 0, "next");
    });
}

#[test]
fn what_a_shell_traces_about_the_prompt_is_no_output() {
    for shell in shells_among(&["bash", "zsh"]) {
        let server = test_server();
        let pane = server.session(shell, &[shell]);
        run(&server, &pane, "PS4='+ '; set -x");
        expect(&server, &pane, "echo traced", 0, "+ echo traced\ntraced");
        run(&server, &pane, "set +x");
        if shell == "bash" {
            run(&server, &pane, "trap 'echo before' DEBUG");
            expect(&server, &pane, "false", 1, "before");
        }
    }
}

#[test]
fn what_a_background_job_prints_at_the_prompt_is_neither_output_nor_a_draft() {
    in_every_shell(|server, pane, _| {
        expect(server, pane, "sh -c '(until test -e go; do sleep 0.05; done; echo background) &'", 0, "");
        std::fs::write(server.path().join("go"), "").expect("a file");
        until("it is printed at the prompt", || server.text(pane).trim_end().ends_with("background"));
        expect(server, pane, "echo next", 0, "next");
        std::fs::remove_file(server.path().join("go")).expect("removed");
    });
}

#[test]
fn what_the_hooks_of_a_prompt_print_is_no_output() {
    for (shell, file, text) in
        [("bash", ".bashrc", "PROMPT_COMMAND='echo hook'"), ("zsh", ".zshrc", "precmd() { echo hook }")]
    {
        for shell in shells_among(&[shell]) {
            let server = test_server();
            std::fs::write(server.path().join(file), text).expect("a user file");
            let pane = server.session(shell, &[shell]);
            for n in ["1", "2", "3"] {
                expect(&server, &pane, &format!("echo {n}; (exit {n})"), n.parse().expect("a number"), n);
            }
            server.wait_for(&pane, "^hook");
        }
    }
}

#[test]
fn a_command_of_any_length_runs_where_the_terminal_edits_lines() {
    let server = test_server();
    let pane = server.session("dash", &["dash"]);
    let text = "it's 漢 ".repeat(1_500);
    let text = text.trim_end();
    expect(&server, &pane, &format!("printf '%s' '{}'", text.replace('\'', "'\\''")), 0, text);
}

#[test]
fn a_shell_without_marks_runs_the_next_command_after_one_that_was_interrupted() {
    for words in [&["bash", "--norc"] as &[&str], &["zsh", "-f"], &["fish", "--no-config"], &["dash"]] {
        for _ in shells_among(&words[..1]) {
            let server = test_server();
            let pane = server.session("work", words);
            thread::scope(|scope| {
                let ran = scope.spawn(|| run(&server, &pane, "echo begun; sleep 1000; echo end"));
                server.wait_for(&pane, "^begun");
                server.ok(&["send-input", "-t", &pane, "--key", "C-c"]);
                let result = ran.join().expect("a result");
                assert_eq!(result["outcome"], "finished", "{words:?}: {result}");
                let output = result["output"].as_str().expect("text");
                assert!(["begun", "begun\n^C"].contains(&output.trim_end()), "{words:?}: {result}");
            });
            expect(&server, &pane, "echo next", 0, "next");
        }
    }
}

/// A process for each processor that uses it until it is dropped.
struct Load(Vec<Child>);

impl Load {
    fn new() -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let burn = |_| {
            let mut shell = Command::new("sh");
            shell.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
            shell.spawn().expect("a shell")
        };
        Self((0..processors).map(burn).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The number of panes in which commands run at once.
const PANES: usize = 8;

fn runs() -> usize {
    let runs = std::env::var("FUGUE_RUN_OUTPUT_RUNS").ok();
    runs.map_or(20, |runs| runs.parse().expect("a whole number"))
}

/// Runs commands in a shell without prompt marks and compares what comes back.
fn shells_without_marks(words: &[&str]) {
    expect_program(words[0], words[0]);
    let (server, runs, _load) = (test_server(), runs(), Load::new());
    let panes: Vec<_> = (0..PANES).map(|number| server.session(&format!("s{number}"), words)).collect();
    thread::scope(|scope| {
        for (first, pane) in panes.iter().enumerate() {
            let server = &server;
            scope
                .spawn(move || (first..runs).step_by(PANES).for_each(|number| compare(server, pane, number)));
        }
    });
    eprintln!("{}: {runs} runs were exact", words.join(" "));
}

/// Runs one command of a kind that depends on the number, with the number in it.
fn compare(server: &TestServer, pane: &str, number: usize) {
    let family = "👩‍👩‍👧‍👦";
    let n = number;
    let (command, exit_code, output) = match number % 13 {
        0 => (format!("printf '{family} é %s\\n' {n}"), 0, format!("{family} é {n}")),
        1 => (format!("echo {n}; sh -c 'exit 37'"), 37, n.to_string()),
        2 => (format!("printf 'no newline {n}'"), 0, format!("no newline {n}")),
        3 => (format!("seq 1 {}", n + 60), 0, numbered(n + 60)),
        4 => {
            let words = format!("{n} word ").repeat(40);
            (format!("echo '{words}|'"), 0, format!("{words}|"))
        }
        5 => {
            let emoji = format!("{family}👩‍💻{n} ").repeat(12);
            (format!("printf '%s\\n' '{emoji}|' \"{emoji}|\""), 0, format!("{emoji}|\n{emoji}|"))
        }
        6 => (format!("echo {n}; echo two >&2; false"), 1, format!("{n}\ntwo")),
        7 => (format!("echo a{n}\necho b{n}\n\nsh -c 'exit 3'"), 3, format!("a{n}\nb{n}")),
        8 => {
            let wide = "漢".repeat(50);
            (format!("printf '{n} {wide}x%s' '{wide}'"), 0, format!("{n} {wide}x{wide}"))
        }
        9 => (format!("printf '50 %%\\r{n} %% done\\n'"), 0, format!("{n} % done")),
        10 => {
            let text = format!("it'\"'\"'s \"{n}\" $HOME \\ ! `x` #");
            (format!("printf '%s\\n' '{text}'"), 0, text.replace("'\"'\"'", "'"))
        }
        11 => {
            // Something in the background prints just before, but not before the last command is answered.
            let [go, flag] = ["go", "done"].map(|name| server.path().join(format!("{name}-{n}")));
            let waits = format!("until [ -e {} ]; do sleep 0.1; done", go.display());
            let late = format!("sh -c '({waits}; echo background; echo > {}) &'", flag.display());
            expect(server, pane, &late, 0, "");
            std::fs::write(&go, "").expect("a file");
            until("it has printed", || flag.exists());
            (format!("echo after {n}"), 0, format!("after {n}"))
        }
        _ => {
            expect(server, pane, LEFTOVERS, 0, LEFTOVER_TEXT);
            (format!("echo hi; echo {n}"), 0, format!("hi\n{n}"))
        }
    };
    expect(server, pane, &command, exit_code, &output);
}

fn numbered(last: usize) -> String {
    (1..=last).map(|number| number.to_string()).collect::<Vec<_>>().join("\n")
}

#[test]
fn shells_without_marks_bash_norc() {
    shells_without_marks(&["bash", "--norc"]);
}

#[test]
fn shells_without_marks_bash_posix() {
    shells_without_marks(&["bash", "--posix"]);
}

#[test]
fn shells_without_marks_zsh() {
    shells_without_marks(&["zsh", "-f"]);
}

#[test]
fn shells_without_marks_fish() {
    shells_without_marks(&["fish", "--no-config"]);
}

#[test]
fn shells_without_marks_dash() {
    shells_without_marks(&["dash"]);
}
