//! tmux's commands and flags, one by one, with the real binary: `table.txt` says what each should do, and `docs/tmux.md`
//! is generated from it. Run this test with `FUGUE_RENEW=1` to regenerate the page.

mod page;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use fugue_testkit::{CommandOutput, TestServer, TestTerminal, signal, until};
use fugue_tmux::command_table::COMMANDS;
use table::{Check, Row};

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// A daemon with an attached client, and a link named `tmux`.
struct Bench {
    server: TestServer,
    client: TestTerminal,
    tmux: PathBuf,
    file: PathBuf,
    out: PathBuf,
    /// How often it was cleaned up.
    cleaned: usize,
}

/// What a line acts on: a window with a pane that shows a word and echoes its input and one that sleeps, and another
/// window.
const START: &str = "kill-session -a -t home ; select-pane -M ; set-buffer -b keep kept ; \
    new-session -d -s w -n one -x 81 -y 24 'printf \"\\033[1mhello\\033[m\\n\"; exec cat' ; \
    split-window -d -h -t w sleep 9999 ; new-window -d -t w: -n two cat";

impl Bench {
    fn new() -> Self {
        let server = TestServer::new(BINARY);
        let path = |name| server.path().join(name);
        let (tmux, file, out) = (path("tmux"), path("commands.conf"), path("out"));
        symlink(BINARY, &tmux).expect("a link");
        fs::write(&file, "# comment\nrename-window -t w:0 sourced\n").expect("a file");
        let mut client = server.terminal(&["new", "-s", "home", "--", "cat"], 100, 30);
        client.shows("home");
        Self { server, client, tmux, file, out, cleaned: 0 }
    }

    fn command(&self, words: &[String], is_person: bool) -> Command {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = match is_person {
            true => self.server.command(&words),
            false => self.server.command_from(&self.tmux, &words),
        };
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The words of a line, with the files that it names.
    fn words(&self, line: &str) -> Vec<String> {
        let path = |path: &PathBuf| path.display().to_string();
        let places = [("$FILE", path(&self.file)), ("$OUT", path(&self.out)), ("$NL", "\n".to_owned())];
        let named = |word: String| places.iter().fold(word, |word, (name, is)| word.replace(name, is));
        table::words(line).into_iter().map(named).collect()
    }

    fn run(&self, line: &str, is_person: bool) -> CommandOutput {
        output(self.command(&self.words(line), is_person).spawn().expect("it runs"))
    }

    /// Closes everything but the client's session, and creates the one that a line acts on.
    fn reset(&self) {
        let _ = fs::remove_file(&self.out);
        let ran = self.run(START, false);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        self.until_printed("capture-pane -p -t w", "hello").expect("the pane shows a word");
    }

    /// Waits until a line prints a text, or nothing if the text is empty.
    fn until_printed(&self, line: &str, text: &str) -> Result<(), String> {
        let mut printed = String::new();
        for _ in 0..WAITS {
            let ran = self.run(line, false);
            printed = ran.out + &ran.err;
            if begins_with(&printed, text) && (!text.is_empty() || printed.is_empty()) {
                return Ok(());
            }
            std::thread::yield_now();
        }
        Err(format!("`{line}` prints {printed}"))
    }

    /// Deletes the buffers that a line left, and closes what it opened in the client.
    fn clean_up(&mut self) {
        let ran =
            self.run("display-popup -C ; switch-client -t home ; list-buffers -F #{buffer_name}", false);
        for name in ran.out.lines() {
            self.run(&format!("delete-buffer -b {name}"), false);
        }
        self.until_printed("list-clients -F #{session_name}", "home").expect("the client is back");
        // Escape closes a box and `q` leaves copy mode; neither must close that of the next line: the text after them
        // shows that they were handled. It is erased, so that it does not scroll.
        self.cleaned += 1;
        let done = format!("(done {})", self.cleaned);
        self.client.send(format!("\x1b[27uq{done}"));
        self.client.shows(&done);
        self.client.send("\x15");
    }

    /// Runs a line; what it does instead of what it should is the error.
    fn check(&mut self, row: &Row) -> Result<(), String> {
        self.reset();
        let child = self.command(&self.words(&row.line), row.is_persons).spawn().expect("it runs");
        if let Check::Screen(text) = &row.check {
            self.client.shows(text);
            self.clean_up();
            output(child);
            return Ok(());
        }
        let ran = output(child);
        let held = match &row.check {
            Check::Refused(why) if ran.code != 0 && ran.err.contains(why.as_str()) => Ok(()),
            _ if ran.code != 0 => Err(String::new()),
            Check::Prints(text) if begins_with(&ran.out, text) => Ok(()),
            Check::Shows(format, value) => {
                let shown = self.run(&format!("display-message -p -t =w: '{format}'"), false).out;
                if shown.trim_end() == value { Ok(()) } else { Err(format!("{format} is {shown}")) }
            }
            Check::Then(line, text) => self.until_printed(line, text),
            _ => Err(String::new()),
        };
        self.clean_up();
        held.map_err(|why| format!("`{}`: {} {}{}{why}", row.line, ran.code, ran.out, ran.err))
    }
}

/// How often a line is run until it prints what is expected: for some seconds.
const WAITS: usize = 500;

fn output(child: Child) -> CommandOutput {
    let ran = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    CommandOutput { code: ran.status.code().unwrap_or(-1), out: text(ran.stdout), err: text(ran.stderr) }
}

/// Whether a text begins so, however its words are spaced.
fn begins_with(text: &str, start: &str) -> bool {
    let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    spaced(text).starts_with(&spaced(start).replace("$ESC", "\x1b"))
}

/// Checks every fourth line, so that the tests run side by side.
fn check_part(part: usize) {
    let mut bench = Bench::new();
    let rows = table::rows();
    let rows = rows.iter().filter(|row| !matches!(row.check, Check::Apart(_))).skip(part).step_by(4);
    let wrong: Vec<_> = rows.filter_map(|row| bench.check(row).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_line_of_the_table_does_what_it_says_1() {
    check_part(0);
}

#[test]
fn every_line_of_the_table_does_what_it_says_2() {
    check_part(1);
}

#[test]
fn every_line_of_the_table_does_what_it_says_3() {
    check_part(2);
}

#[test]
fn every_line_of_the_table_does_what_it_says_4() {
    check_part(3);
}

#[test]
fn kill_server_shuts_the_daemon_down() {
    let bench = Bench::new();
    assert_eq!(bench.run("kill-server", false).code, 0);
    let after = bench.run("list-sessions", false);
    assert!(after.code == 1 && after.err.starts_with("no server running on "), "{after:?}");
}

#[test]
fn suspend_client_stops_the_client_until_it_is_continued() {
    let mut bench = Bench::new();
    let client = bench.client.process();
    let is_stopped =
        || fs::read_to_string(format!("/proc/{client}/stat")).is_ok_and(|stat| stat.contains(") T "));
    assert_eq!(bench.run("suspend-client", false).code, 0);
    until("the client is stopped", is_stopped);
    signal("CONT", client);
    bench.run("display-message back-again", false);
    bench.client.shows("back-again");
}

#[test]
fn attach_session_attaches_this_terminal() {
    let bench = Bench::new();
    bench.reset();
    let attached = |line: &str| {
        let words: Vec<&str> = std::iter::once("tmux").chain(line.split(' ')).collect();
        bench.server.terminal(&words, 100, 30)
    };
    let listed =
        |format: &str, text: &str| bench.until_printed(&format!("list-clients -t w -F {format}"), text);
    let mut first = attached("attach-session -t w");
    first.shows("hello");
    assert_eq!(listed("#{client_readonly}", "0"), Ok(()));
    let mut second = attached("attach-session -d -r -t w");
    second.shows("hello");
    assert_eq!(first.wait_for_exit(), 0);
    assert_eq!(listed("#{client_readonly}", "1"), Ok(()));
    let mut third = attached("attach-session -x -f read-only -t w");
    third.shows("hello");
    assert_eq!(second.wait_for_exit(), 0);
    assert_eq!(listed("#{client_readonly}", "1"), Ok(()));
    let mut fourth = attached("new-session -s other -n fresh cat");
    fourth.shows("fresh");
}

#[test]
fn every_row_that_is_tested_apart_names_its_test() {
    let tests = include_str!("main.rs");
    for row in table::rows() {
        if let Check::Apart(test) = &row.check {
            assert!(tests.contains(&format!("fn {test}()")), "{test}");
        }
    }
}

/// Two names of `COMMANDS` are aliases that tmux has by default (`command-alias`).
const ALIASES: [&str; 2] = ["choose-session", "choose-window"];

/// The flags before a command.
const GLOBAL: (&str, &str) = ("tmux", "2CDLNSTVcfluv");

#[test]
fn the_table_has_a_row_for_every_command_and_flag_of_tmux() {
    let letters = |flags: &str| flags.chars().filter(|letter| *letter != ':').collect();
    let commands = COMMANDS.iter().filter(|row| !ALIASES.contains(&row.name()));
    let all = commands.map(|row| (row.name(), row.flags)).chain([GLOBAL]);
    let all: BTreeMap<&str, BTreeSet<char>> = all.map(|(name, flags)| (name, letters(flags))).collect();
    let mut rows: BTreeMap<String, BTreeSet<char>> = BTreeMap::new();
    for row in table::rows() {
        let flags = row.flag.split(' ').filter_map(|flag| flag.strip_prefix('-')?.chars().next());
        rows.entry(row.names[0].clone()).or_default().extend(flags);
    }
    for (name, flags) in all {
        assert_eq!(rows.remove(name), Some(flags), "{name}");
    }
    assert!(rows.is_empty(), "tmux has no such commands: {:?}", rows.keys());
}

#[test]
fn the_page_is_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/tmux.md");
    let page = page::page(&table::rows());
    if std::env::var_os("FUGUE_RENEW").is_some() {
        fs::write(&path, &page).expect("written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == page, "docs/tmux.md is out of date: run this test with FUGUE_RENEW=1");
}
