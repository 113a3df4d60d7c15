//! Confined sessions with the real daemon: what their programs can do, and that they still reach fugue.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fugue_testkit::{TestServer, until};
use serde_json::Value;

/// A server, and a repository with a worktree that is linked to it.
struct Scene {
    server: TestServer,
    worktree: PathBuf,
}

impl Scene {
    fn new(config: &str) -> Self {
        let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
        let at = |name: &str| server.path().join(name);
        fs::create_dir_all(at("config/fugue")).expect("a directory");
        fs::write(at("config/fugue/config.toml"), config).expect("a configuration");
        fs::create_dir_all(at("app")).expect("a directory");
        git(&at("app"), &["init", "-q"]);
        git(&at("app"), &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&at("app"), &["worktree", "add", "-q", "../fix"]);
        let worktree = at("fix").canonicalize().expect("a worktree");
        Self { server, worktree }
    }

    #[track_caller]
    fn ok(&self, words: &[&str]) -> Value {
        let mut command = self.server.command(words);
        let output = command.arg("--json").current_dir(&self.worktree).output().expect("the binary runs");
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    /// Runs a command in a session's pane; returns whether it succeeded, and its output.
    fn run(&self, session: &str, line: &str) -> (bool, String) {
        let mut command = self.server.command(&["run", "-s", session, line]);
        let output = command.current_dir(&self.worktree).output().expect("the binary runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

fn git(directory: &Path, words: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let status = Command::new("git").arg("-C").arg(directory).args(identity).args(words).status();
    assert!(status.expect("git").success(), "git {words:?}");
}

#[test]
fn a_program_of_a_confined_session_changes_its_worktree_and_nothing_else() {
    let scene = Scene::new("");
    scene.ok(&["new", "-d", "-s", "fix", "--confine", "worktree"]);
    let secret = scene.server.path().join("secret");
    fs::write(&secret, "x").expect("a file");
    assert!(
        scene
            .run("fix", "touch made && git add made && git -c user.name=a -c user.email=a@b commit -qm made")
            .0
    );
    assert!(scene.worktree.join("made").exists());
    for line in [
        format!("cat {}", secret.display()),
        format!("touch {}", scene.server.path().join("other").display()),
        format!("touch {}", scene.server.path().join("app/.git/hooks/pre-commit").display()),
        "kill -0 $PPID".to_owned(),
    ] {
        let (done, output) = scene.run("fix", &line);
        assert!(!done, "{line}: {output}");
    }
    assert_eq!(scene.run("fix", "echo $FUGUE_CONFINED").1, "worktree");
    let sessions = scene.ok(&["ls"]);
    assert_eq!(sessions["sessions"][0]["confined_by"][0], "worktree");
}

#[test]
fn a_confined_program_reaches_fugue_and_what_it_creates_there_is_confined() {
    let scene = Scene::new("[confine]\n\"worker-*\" = \"worktree\"\n");
    scene.ok(&["new", "-d", "-s", "worker-1"]);
    let fugue = env!("CARGO_BIN_EXE_fugue");
    let (done, output) = scene.run("worker-1", &format!("{fugue} whoami"));
    assert!(done && output.contains("worker-1"), "{output}");
    let (done, output) = scene.run("worker-1", &format!("{fugue} new -d -s helper"));
    assert!(done, "{output}");
    assert_eq!(scene.run("helper", "echo $FUGUE_CONFINED").1, "worktree");
    scene.ok(&["new", "-d", "-s", "free"]);
    let (done, output) =
        scene.run("worker-1", &format!("{fugue} send-input -s free 'touch escaped' --submit 2>&1"));
    assert!(!done && output.contains("outside the scope"), "{output}");
}

#[test]
fn a_program_is_not_started_by_a_profile_that_does_not_exist() {
    let scene = Scene::new("[confine]\n\"worker-*\" = \"worktre\"\n");
    scene.ok(&["new", "-d", "-s", "worker-1", "--on-exit", "keep"]);
    let shown = || scene.ok(&["get-output", "-s", "worker-1"]).to_string();
    until("the pane says why", || shown().contains("There is no confinement profile `worktre`"));
    let output = scene.server.command(&["config", "check"]).output().expect("the binary runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("did you mean \"worktree\"?"), "{printed}");
}
