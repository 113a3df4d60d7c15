//! tmux's commands and flags, one by one, with the real binary: `table.txt` says what each should do, and `docs/tmux.md`
//! is generated from it. Run this test with `FUGUE_RENEW=1` to regenerate the page.

mod page;
mod table;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use fugue_testkit::{CommandOutput, TestServer, TestTerminal};
use table::{Check, Row};

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// A daemon with an attached client, and a link named `tmux`.
struct Bench {
    server: TestServer,
    client: TestTerminal,
    tmux: PathBuf,
    file: PathBuf,
}

impl Bench {
    fn new() -> Self {
        let server = TestServer::new(BINARY);
        let (tmux, file) = (server.path().join("tmux"), server.path().join("commands.conf"));
        symlink(BINARY, &tmux).expect("a link");
        fs::write(&file, "# comment\nrename-window -t w:0 sourced\n").expect("a file");
        let mut client = server.terminal(&["new", "-s", "home", "--", "cat"], 100, 30);
        client.shows("home");
        Self { server, client, tmux, file }
    }

    fn command(&self, words: &[&str], is_person: bool) -> Command {
        match is_person {
            true => self.server.command(words),
            false => self.server.command_from(&self.tmux, words),
        }
    }

    fn run(&self, words: &[&str], is_person: bool) -> CommandOutput {
        let ran = self.command(words, is_person).output().expect("it runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        CommandOutput { code: ran.status.code().unwrap_or(-1), out: text(ran.stdout), err: text(ran.stderr) }
    }

    /// Closes everything but the client's session, and creates the one that a line acts on.
    fn reset(&self) {
        let line = "kill-session -a -t home ; select-pane -M ; set-buffer -b keep kept ; \
             new-session -d -s w -n one -x 81 -y 24 cat ; split-window -d -h -t w cat ; \
             new-window -d -t w: -n two cat";
        let words: Vec<_> = line.split_whitespace().collect();
        let ran = self.run(&words, false);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    }

    /// Deletes the buffers that a line left, and closes what it opened in the client.
    fn clean_up(&mut self) {
        self.client.send("\x1b");
        let buffers = self.run(&["list-buffers", "-F", "#{buffer_name}"], false).out;
        for name in buffers.lines() {
            self.run(&["delete-buffer", "-b", name], false);
        }
    }

    /// Runs a line; what it does instead of what it should is the error.
    fn check(&mut self, row: &Row) -> Result<(), String> {
        self.reset();
        let file = self.file.display().to_string();
        let words: Vec<String> =
            table::words(&row.line).iter().map(|word| word.replace("$FILE", &file)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = self.run(&words, row.is_persons);
        let holds = match &row.check {
            Check::Refused(why) => ran.code != 0 && ran.err.contains(why.as_str()),
            _ if ran.code != 0 => false,
            Check::Prints(text) => ran.out.starts_with(text.as_str()),
            Check::Shows(format, expected) => {
                let shown = self.run(&["display-message", "-p", "-t", "=w:", format], false).out;
                if shown.trim_end() != expected {
                    return Err(format!("`{}`: {format} is {shown}", row.line));
                }
                true
            }
            Check::Screen(text) => {
                self.client.shows(text);
                true
            }
            Check::Nothing => true,
        };
        self.clean_up();
        if holds { Ok(()) } else { Err(format!("`{}`: {} {}{}", row.line, ran.code, ran.out, ran.err)) }
    }
}

/// Checks every fourth line, so that the tests run side by side.
fn check_part(part: usize) {
    let mut bench = Bench::new();
    let rows = table::rows();
    let rows = rows.iter().filter(|row| !row.line.is_empty()).skip(part).step_by(4);
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
    assert_eq!(bench.run(&["kill-server"], false).code, 0);
    let after = bench.run(&["list-sessions"], false);
    assert!(after.code == 1 && after.err.starts_with("no server running on "), "{after:?}");
}

#[test]
fn the_table_lists_every_command_of_tmux() {
    let all = include_str!("../../../fugue-tui/src/tmux/tmux-commands.txt");
    let listed: Vec<String> = table::rows().into_iter().flat_map(|row| row.names).collect();
    let missing: Vec<_> = all.split_whitespace().filter(|name| !listed.iter().any(|of| of == name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
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
