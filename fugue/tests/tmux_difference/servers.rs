//! tmux and fugue, each with a daemon of its own. All scripts are one file for `source-file`, so that they take one process;
//! after each line, the file prints what there is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use fugue_testkit::{TestServer, expect_program};

use crate::scripts::Script;

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// What is printed of each pane after a line. `%` and `@` numbers differ between the programs, and become the order in which
/// a script's panes and windows appeared.
const STATE: &str = "#{window_index}:#{window_name}#{?window_active,*,}#{?window_last_flag,-,}\
#{?window_zoomed_flag,Z,} #{window_id} .#{pane_index}#{?pane_active,*,}#{?pane_last,-,} #{pane_id} \
#{pane_width}x#{pane_height} at #{pane_left},#{pane_top}#{?#{m:T*,#{pane_title}}, #{pane_title},} layout=#{window_layout}";

/// A program that runs tmux's lines.
pub(crate) trait Multiplexer {
    /// Runs a line from a shell.
    fn output(&self, words: &[&str]) -> Output;

    /// The directory in which files may be made.
    fn directory(&self) -> &Path;

    /// Runs scripts, and returns what there was after each line of each script.
    fn run(&self, scripts: &[Script]) -> Vec<Vec<String>> {
        let file = self.directory().join("scripts");
        fs::write(&file, text(scripts)).expect("a file");
        let ran = self.output(&["source-file", file.to_str().expect("UTF-8")]);
        let printed = String::from_utf8_lossy(&ran.stdout);
        if let Ok(directory) = std::env::var("FUGUE_DIFFERENCE_KEEP") {
            let name = std::any::type_name::<Self>().rsplit(':').next().unwrap_or_default();
            let text = format!("{printed}\n{}", String::from_utf8_lossy(&ran.stderr));
            fs::write(Path::new(&directory).join(name), text).expect("a file");
            fs::copy(&file, Path::new(&directory).join("scripts")).expect("a copy");
        }
        let lines = |at: usize, script: &Script| {
            let mut names = Names::default();
            (0..script.lines.len()).map(|line| state(&printed, at, line, &mut names)).collect()
        };
        scripts.iter().enumerate().map(|(at, script)| lines(at, script)).collect()
    }
}

/// The file of all scripts. A line prints `done` if it succeeds: the rest of a line is skipped after an error.
fn text(scripts: &[Script]) -> String {
    let mut text = String::new();
    for (at, script) in scripts.iter().enumerate() {
        for (number, line) in script.lines.iter().enumerate() {
            text += &format!("display-message -p '<{at}.{number} prints'\n");
            text += &format!("{line} ; display-message -p '<{at}.{number} done'\n");
            text += &format!("list-panes -s -t '={}' -F '<{at}.{number} {STATE}'\n", script.session);
        }
        text += &format!("display-message -p '<{at} ends'\nkill-session -t '={}'\n", script.session);
        text.extend(script.ends.iter().map(|line| format!("{line}\n")));
    }
    text
}

/// What a line of a script printed, and what was printed after it.
fn state(printed: &str, script: usize, line: usize, names: &mut Names) -> String {
    let mark = format!("<{script}.{line} ");
    let begins = |printed: &&str| **printed != format!("{mark}prints");
    let own = printed.lines().skip_while(begins).skip(1).take_while(|printed| !printed.starts_with('<'));
    let own = own.map(|line| format!("prints {line}"));
    let after = printed.lines().filter_map(|printed| printed.strip_prefix(&mark));
    let lines = own.chain(after.filter(|line| *line != "prints").map(str::to_owned));
    lines.map(|line| names.replace(&line)).collect::<Vec<_>>().join("\n")
}

/// The panes and windows of a script by their numbers, in the order in which they appeared.
#[derive(Default)]
struct Names {
    known: BTreeMap<String, String>,
    counts: BTreeMap<char, usize>,
}

impl Names {
    fn replace(&mut self, line: &str) -> String {
        line.split(' ').map(|word| self.name(word)).collect::<Vec<_>>().join(" ")
    }

    fn name(&mut self, word: &str) -> String {
        let Some(sign) = word.chars().next().filter(|sign| word.len() > 1 && "@%".contains(*sign)) else {
            return word.to_owned();
        };
        if let Some(known) = self.known.get(word) {
            return known.clone();
        }
        let count = self.counts.entry(sign).or_default();
        let name = format!("{sign}{count}");
        *count += 1;
        self.known.insert(word.to_owned(), name.clone());
        name
    }
}

/// fugue, called as `fugue tmux`.
pub(crate) struct Fugue(TestServer);

impl Fugue {
    pub(crate) fn new() -> Self {
        let fugue = Self(TestServer::new(BINARY));
        start(&fugue);
        fugue
    }
}

impl Multiplexer for Fugue {
    fn output(&self, words: &[&str]) -> Output {
        self.0.command(&[&["tmux"], words].concat()).output().expect("fugue runs")
    }

    fn directory(&self) -> &Path {
        self.0.path()
    }
}

/// tmux with a socket of its own.
pub(crate) struct Tmux(tempfile::TempDir);

impl Tmux {
    pub(crate) fn new() -> Self {
        expect_program("tmux", "tmux");
        let tmux = Self(tempfile::Builder::new().prefix("tm").tempdir().expect("a directory for tmux"));
        start(&tmux);
        tmux
    }
}

impl Multiplexer for Tmux {
    fn output(&self, words: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.args(["-L", "d", "-f", "/dev/null"]).args(words).env_clear().current_dir(self.0.path());
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env("PATH", path).env("HOME", self.0.path()).env("TMUX_TMPDIR", self.0.path());
        command.env("SHELL", "/bin/sh").env("LANG", "C.UTF-8").output().expect("tmux runs")
    }

    fn directory(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.output(&["kill-server"]);
    }
}

/// Starts a daemon, which stays while a script has no session.
fn start(program: &impl Multiplexer) {
    let ran = program.output(&["new-session", "-d", "-s", "keep", "-x", "80", "-y", "24", "cat"]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
