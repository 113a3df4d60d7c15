//! The same lines of tmux's commands over all ways on which they reach fugue: each has the same effect, or is refused for the
//! reason in the table.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use fugue_testkit::{SshHosts, TestServer, TestTerminal, until};

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// The way of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Typed in a shell.
    Shell,
    /// Typed at the prompt of an attached client.
    Prompt,
    /// Run by a key of an attached client.
    Key,
    /// In a file that is sourced.
    File,
    /// Run by a hook.
    Hook,
    /// Run as `tmux` by a program in a pane.
    Link,
    /// Typed in a shell of another host.
    Host,
}

/// A line, what shows its effect, and the ways on which it is refused with the reason.
struct Row {
    line: &'static str,
    /// A line that prints the effect, and what it prints.
    shows: (&'static str, &'static str),
    refused: &'static [(Way, &'static str)],
}

const fn row(line: &'static str, shown_by: &'static str, shows: &'static str) -> Row {
    Row { line, shows: (shown_by, shows), refused: &[] }
}

/// The rows. `work:0` has two panes that echo what is typed.
const ROWS: &[Row] = &[
    row("send-keys -t work.1 typed Enter", "capture-pane -p -t work:0.1", "typed\ntyped"),
    row("set -g @x y", "show -gqv @x", "y"),
    row("set-buffer -b kept content", "show-buffer -b kept", "content"),
    row("show-buffer -b shown", "show-buffer -b shown", "before"),
    row("select-pane -m -t work:0.1", "display-message -p -t work:0.1 '#{pane_marked}'", "1"),
    row("wait-for -S done", "run-shell 'FUGUE tmux wait-for done; echo over'", "over"),
    row("split-window -h -t work:0.1", "display-message -p -t work:0 '#{window_panes}'", "3"),
    Row {
        line: "pipe-pane -t work:0.0 'cat >> piped'",
        shows: ("display-message -p -t work:0.0 '#{pane_pipe}'", "1"),
        // It would start a process of the host on which it was typed.
        refused: &[(Way::Host, "`fugue --host` cannot start `cat >> piped`")],
    },
];

/// The words of a line.
fn words(line: &str) -> Vec<String> {
    let commands = fugue_tmux::reader::parse(line, &|_| None, &|format| Ok(format.to_owned()));
    commands.expect("it is valid").remove(0).words
}

/// A daemon with what the lines act on.
fn prepare(server: &TestServer) {
    server.ok(&["new", "-d", "-s", "work", "--size", "100x30", "--", "cat"]);
    server.ok(&["split-window", "-d", "-v", "-t", "work:0", "cat"]);
    server.ok(&["set-buffer", "-b", "shown", "before"]);
}

fn configure(server: &TestServer, text: &str) {
    fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    fs::write(server.path().join("config/fugue/config.toml"), text).expect("a configuration");
}

/// The key of a row: a letter with Meta.
fn key(at: usize) -> char {
    char::from(b'a' + u8::try_from(at).expect("few rows"))
}

/// What the lines of a way are run with.
struct Bench {
    way: Way,
    server: TestServer,
    client: Option<TestTerminal>,
}

impl Bench {
    fn new(way: Way) -> Self {
        let server = TestServer::new(BINARY);
        let mut config = "tmux_link = true\n[keys]\n".to_owned();
        for (at, row) in ROWS.iter().enumerate() {
            let _ = writeln!(config, "\"M-{}\" = \"{}\"", key(at), row.line);
        }
        configure(&server, &config);
        prepare(&server);
        let client = matches!(way, Way::Prompt | Way::Key).then(|| {
            let mut client = server.terminal(&["attach", "work"], 100, 31);
            client.shows("work");
            client
        });
        Self { way, server, client }
    }

    /// Runs a line. What it is refused with is the error.
    fn run(&mut self, at: usize, line: &str) -> Result<(), String> {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match self.way {
            Way::Shell => return ended(self.server.run(&words).err),
            Way::Prompt => {
                let client = self.client.as_mut().expect("a client");
                client.prefix(":");
                client.send(format!("{line}\r"));
            }
            Way::Key => self.client.as_mut().expect("a client").send(format!("\x1b{}", key(at))),
            Way::File => {
                let file: PathBuf = self.server.path().join("lines.conf");
                fs::write(&file, format!("{line}\n")).expect("a file");
                return ended(self.server.run(&["source-file", &file.display().to_string()]).err);
            }
            Way::Hook => {
                self.server.ok(&["set-hook", "-g", "window-renamed", line]);
                self.server.ok(&["rename-window", "-w", "0", &format!("renamed-{at}")]);
            }
            Way::Link => {
                let line = format!("tmux {line}; exec cat");
                self.server.ok(&["neww", "-d", "-t", "work:", &line]);
            }
            Way::Host => unreachable!("it has a test of its own"),
        }
        Ok(())
    }
}

fn ended(errors: String) -> Result<(), String> {
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Waits until a line prints what it should.
fn expect(server: &TestServer, way: Way, row: &Row) {
    let (line, text) = row.shows;
    let words: Vec<_> = words(line).into_iter().map(|word| word.replace("FUGUE", BINARY)).collect();
    let words: Vec<&str> = std::iter::once("tmux").chain(words.iter().map(String::as_str)).collect();
    until(&format!("{way:?}: `{}` has had its effect", row.line), || {
        server.run(&words).out.trim_end().trim_start_matches('\n').starts_with(text)
    });
}

fn refusal(way: Way, row: &Row) -> Option<&'static str> {
    row.refused.iter().find(|(of, _)| *of == way).map(|(_, why)| *why)
}

/// Runs every row on a way.
fn check(way: Way) {
    let mut bench = Bench::new(way);
    for (at, row) in ROWS.iter().enumerate() {
        assert_eq!(refusal(way, row), None, "each refusal on this way needs a check here");
        assert_eq!(bench.run(at, row.line), Ok(()), "{way:?}: {}", row.line);
        expect(&bench.server, way, row);
    }
}

#[test]
fn lines_typed_in_a_shell() {
    check(Way::Shell);
}

#[test]
fn lines_at_the_prompt_of_a_client() {
    check(Way::Prompt);
}

#[test]
fn lines_of_keys() {
    check(Way::Key);
}

#[test]
fn lines_of_a_file() {
    check(Way::File);
}

#[test]
fn lines_of_a_hook() {
    check(Way::Hook);
}

#[test]
fn lines_of_programs_that_run_tmux() {
    check(Way::Link);
}

#[test]
fn lines_for_another_host() {
    let hosts = SshHosts::start(BINARY);
    let (code, _, err) = hosts.run(&["hosts", "add", "gpu", "box"]);
    assert_eq!(code, 0, "{err}");
    prepare(&hosts.there);
    for row in ROWS {
        let words = words(row.line);
        let words: Vec<&str> =
            ["--host", "gpu", "tmux"].into_iter().chain(words.iter().map(String::as_str)).collect();
        let (code, _, err) = hosts.run(&words);
        match refusal(Way::Host, row) {
            Some(why) => assert!(code != 0 && err.starts_with(why), "{}: {err}", row.line),
            None => {
                assert_eq!((code, err.as_str()), (0, ""), "{}", row.line);
                expect(&hosts.there, Way::Host, row);
            }
        }
    }
}
