//! A repository, a server, and programs that behave like agents.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use fugue_testkit::TestServer;
use serde_json::Value;

pub(crate) const FUGUE: &str = env!("CARGO_BIN_EXE_fugue");

/// The user's own agent.
const AGENTS: &str = r#"
[[agent]]
name = "robot"
reports = true

[agent.start]
prompt = ["--ask", "{}"]
model = ["--model={}"]
resume = ["--load", "{}"]
"#;

/// Reports its state as agents do. What it is asked, and how it was started, goes to a log.
const ROBOT: &str = r#"#!/bin/sh
state() { printf '\033]7501;state=%s:app=robot\007' "$1"; }
echo "$PWD: $*" >>"$HOME/robot.log"
case "$*" in
  *--fail*) echo 'wrong flag'; exit 3 ;;
  *--silent*) ;;
  *--login*) state 'blocked:kind=auth:msg=cGxlYXNlIGxvZyBpbg==' ;;
  *--ask*) state working; sleep 1; echo 'the answer is 42'; state done ;;
  *) state idle ;;
esac
while read -r line; do echo "typed $line" >>"$HOME/robot.log"; done
"#;

/// Shows a captured dialog of Claude Code, and writes down every key.
const CLAUDE: &str = r#"#!/bin/sh
printf '\033[2J\033[H'; sed 's/$/\r/' "$SCREEN"
stty raw -echo
while key=$(dd bs=8 count=1 2>/dev/null) && [ -n "$key" ]; do echo "$key" >>"$HOME/keys"; done
"#;

pub(crate) struct Scene {
    pub(crate) server: TestServer,
    pub(crate) app: PathBuf,
}

pub(crate) fn git(directory: &Path, words: &[&str]) -> String {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(identity).args(words).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = git.output().expect("git runs");
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Scene {
    pub(crate) fn new() -> Self {
        let server = TestServer::new(FUGUE);
        let home = server.path().canonicalize().expect("it exists");
        fs::create_dir_all(home.join("config/fugue")).expect("a directory");
        fs::write(home.join("config/fugue/agents.toml"), AGENTS).expect("a file");
        fs::create_dir_all(home.join("bin")).expect("a directory");
        for (name, script) in [("robot", ROBOT), ("claude", CLAUDE)] {
            let program = home.join("bin").join(name);
            fs::write(&program, script).expect("a program");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode");
        }
        let app = home.join("src/app");
        fs::create_dir_all(&app).expect("a directory");
        fs::write(app.join(".gitignore"), ".env\nset-up\n").expect("a file");
        git(&app, &["init", "-q", "-b", "main"]);
        git(&app, &["add", "."]);
        git(&app, &["commit", "-q", "-m", "first"]);
        Self { server, app }
    }

    /// A command in the repository, with the stand-ins in its path.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.server.command(words);
        let path = std::env::var("PATH").unwrap_or_default();
        let bin = self.server.path().join("bin");
        command.current_dir(&self.app).env("PATH", format!("{}:{path}", bin.display()));
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> (i32, String, String) {
        let output = self.command(words).output().expect("the binary runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    /// Starts an agent. Returns the reply, and whether the command succeeded.
    #[track_caller]
    pub(crate) fn spawn(&self, words: &[&str]) -> (Value, bool) {
        let (code, out, err) = self.run(&[&["spawn", "--json"], words].concat());
        let reply = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{words:?}: {code} {out}{err}"));
        (reply, code == 0)
    }

    #[track_caller]
    pub(crate) fn refused(&self, words: &[&str]) -> String {
        let (code, out, err) = self.run(words);
        assert_eq!(code, 1, "{words:?}: {out}{err}");
        err.trim_end().trim_start_matches("fugue: ").to_owned()
    }

    /// How the robot was started, and what was typed into it.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.server.path().join("robot.log")).unwrap_or_default()
    }

    pub(crate) fn beside(&self, branch: &str) -> PathBuf {
        self.app.with_file_name("app.worktrees").join(branch)
    }

    /// Everything that a failed attempt could leave: sessions, worktrees, branches and directories.
    pub(crate) fn traces(&self) -> (usize, String, String, bool) {
        let (_, sessions, _) = self.run(&["list-sessions", "--json"]);
        // A command that only reads starts no daemon; without one there is nothing to list.
        let sessions: Value = match sessions.as_str() {
            "" => serde_json::json!({ "sessions": [] }),
            sessions => serde_json::from_str(sessions).expect("JSON"),
        };
        let sessions = sessions["sessions"].as_array().expect("a list").len();
        let worktrees = git(&self.app, &["worktree", "list", "--porcelain"]);
        let branches = git(&self.app, &["for-each-ref", "refs/heads"]);
        (sessions, worktrees, branches, self.app.with_file_name("app.worktrees").exists())
    }

    /// Writes the project's file, and has the user trust it.
    pub(crate) fn project(&self, text: &str) {
        fs::write(self.app.join(".fugue.toml"), text).expect("a file");
        let (code, _, err) = self.run(&["allow"]);
        assert_eq!(code, 0, "{err}");
    }
}
