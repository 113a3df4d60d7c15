//! Transcripts: the commands of a page are run in order, those of each section on a server of its own, and must print what
//! the page shows.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use fugue_testkit::TestServer;
use regex::Regex;

use crate::{code_blocks, pages, test_server};

/// Stands for every id, and for the time of every line.
const ID: &str = "01a1dd72-d633-7c8a-8c3d-7399fc82bc19";
const TIME: &str = "12:00:00";

#[test]
fn the_recipes_of_the_cookbook_print_what_the_page_shows() {
    check("docs/cookbook.md");
}

#[test]
fn the_exit_codes_are_those_of_the_page() {
    check("docs/operating/exit-codes.md");
}

#[test]
fn the_errors_of_the_troubleshooting_page_are_real() {
    check("docs/operating/troubleshooting.md");
}

#[test]
fn the_first_steps_of_the_readme_print_what_it_shows() {
    check("README.md");
}

/// Runs the `console` blocks of a page, and compares or renews them.
fn check(page: &str) {
    let old = pages::text(page);
    let mut new = old.clone();
    let blocks: Vec<_> =
        code_blocks::of(&old).into_iter().filter(|block| block.language == "console").collect();
    assert!(!blocks.is_empty(), "{page} has no transcripts");
    let mut section: Option<(String, Stage)> = None;
    let mut printed = Vec::new();
    for block in &blocks {
        if section.as_ref().is_none_or(|(heading, _)| *heading != block.heading) {
            section = Some((block.heading.clone(), Stage::new()));
        }
        let stage = section.as_mut().map(|(_, stage)| stage).expect("a stage");
        printed.push(
            code_blocks::steps(&block.text).iter().map(|step| stage.play(&step.command)).collect::<String>(),
        );
    }
    for (block, printed) in blocks.iter().zip(&printed).rev() {
        new.replace_range(block.start..block.start + block.text.len(), printed);
    }
    if std::env::var_os("FUGUE_RENEW").is_some() {
        std::fs::write(pages::root().join(page), &new).expect("the page is written");
        return;
    }
    for (block, printed) in blocks.iter().zip(&printed) {
        assert_eq!(block.text, *printed, "{page}, {}: run this test with FUGUE_RENEW=1", block.heading);
    }
}

/// Where the commands of a section run: a server and a home directory of its own, with an empty git repository's identity.
struct Stage {
    server: TestServer,
    directory: String,
}

impl Stage {
    fn new() -> Self {
        let server = test_server();
        let bin = server.path().join("bin");
        std::fs::create_dir(&bin).expect("a directory");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fugue"), bin.join("fugue")).expect("a link");
        std::fs::write(server.path().join(".gitconfig"), "[user]\nname = me\nemail = me@example.org\n")
            .expect("a file");
        let directory = server.path().display().to_string();
        Self { server, directory }
    }

    /// Runs a command in the directory in which the one before it ended. Returns the lines of the transcript.
    fn play(&mut self, command: &str) -> String {
        let path = format!(
            "{}:{}",
            self.server.path().join("bin").display(),
            std::env::var("PATH").unwrap_or_default()
        );
        let place = self.server.path().join(".place");
        let script = format!("exec 2>&1\n{command}\npwd > '{}'", place.display());
        let mut shell: Command = self.server.command_from(Path::new("/bin/sh"), &["-c", &script]);
        let output = shell
            .current_dir(&self.directory)
            .env("PATH", path)
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        if let Ok(directory) = std::fs::read_to_string(place) {
            self.directory = directory.trim().to_owned();
        }
        let prompted = command.trim_end().replace('\n', "\n> ").replace("> \n", ">\n");
        format!("$ {prompted}\n{}", self.shown(&String::from_utf8_lossy(&output.stdout)))
    }

    /// The output with what differs from run to run replaced.
    fn shown(&self, output: &str) -> String {
        static IDS: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").expect("a pattern")
        });
        static TIMES: LazyLock<Regex> =
            LazyLock::new(|| Regex::new("[0-9]{2}:[0-9]{2}:[0-9]{2}").expect("a pattern"));
        static PIDS: LazyLock<Regex> = LazyLock::new(|| Regex::new("pid [0-9]+").expect("a pattern"));
        let output = output.replace(&self.server.path().display().to_string(), "/home/me");
        let output = IDS.replace_all(&output, ID);
        PIDS.replace_all(&TIMES.replace_all(&output, TIME), "pid 4711").into_owned()
    }
}
