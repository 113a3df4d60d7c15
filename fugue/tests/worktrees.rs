//! Worktrees of sessions with real repositories: made, listed and removed, and nothing lost or left behind.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use fugue_testkit::{TestServer, signal, until};
use serde_json::{Value, json};

const FUGUE: &str = env!("CARGO_BIN_EXE_fugue");

/// A repository with a commit, and a server whose commands run in it.
struct Scene {
    server: TestServer,
    app: PathBuf,
}

fn git(directory: &Path, words: &[&str]) -> String {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(identity).args(words).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = git.output().expect("git runs");
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    std::fs::write(path, text).expect("a file");
}

fn scene() -> Scene {
    let server = TestServer::new(FUGUE);
    let app = server.path().canonicalize().expect("it exists").join("src/app");
    write(&app.join("a.txt"), "one\n");
    git(&app, &["init", "-q", "-b", "main"]);
    git(&app, &["add", "."]);
    git(&app, &["commit", "-q", "-m", "first"]);
    Scene { server, app }
}

impl Scene {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.server.command(words);
        command.current_dir(&self.app);
        command
    }

    /// Runs a command in the repository. Returns whether it succeeded, and what it printed.
    fn run(&self, words: &[&str]) -> (bool, String) {
        let output = self.command(words).output().expect("the binary runs");
        let text = if output.status.success() { output.stdout } else { output.stderr };
        (output.status.success(), String::from_utf8_lossy(&text).trim_end().to_owned())
    }

    #[track_caller]
    fn ok(&self, words: &[&str]) -> Value {
        let words: Vec<_> = words.iter().copied().chain(["--json"]).collect();
        let (done, text) = self.run(&words);
        assert!(done, "{words:?}: {text}");
        serde_json::from_str(&text).expect("JSON")
    }

    #[track_caller]
    fn refused(&self, words: &[&str]) -> String {
        let (done, text) = self.run(words);
        assert!(!done, "{words:?}: {text}");
        text.trim_start_matches("fugue: ").to_owned()
    }

    /// Makes a worktree for a session whose program waits.
    fn start(&self, words: &[&str]) -> Value {
        let waits = ["--command", "exec cat"];
        self.ok(&[&["new", "-d"], words, &waits].concat())
    }

    fn beside(&self, branch: &str) -> PathBuf {
        self.app.with_file_name("app.worktrees").join(branch)
    }

    /// Everything that a failed attempt could leave: sessions, worktrees, branches and directories.
    fn traces(&self) -> (usize, String, String, bool) {
        let sessions = self.ok(&["list-sessions"])["sessions"].as_array().expect("a list").len();
        let worktrees = git(&self.app, &["worktree", "list", "--porcelain"]);
        let branches = git(&self.app, &["for-each-ref", "refs/heads"]);
        (sessions, worktrees, branches, self.app.with_file_name("app.worktrees").exists())
    }

    fn worktrees(&self) -> Vec<Value> {
        self.ok(&["list-worktrees"])["worktrees"].as_array().expect("a list").clone()
    }
}

#[test]
fn a_session_starts_in_a_new_worktree_beside_the_repository() {
    let scene = scene();
    let created = scene.start(&["--worktree", "feature/login"]);
    let path = scene.beside("feature-login");
    assert_eq!(created["worktree"], json!({ "path": path.to_str(), "branch": "feature/login" }));
    assert_eq!(git(&path, &["branch", "--show-current"]), "feature/login");
    assert_eq!(git(&path, &["rev-parse", "HEAD"]), git(&scene.app, &["rev-parse", "main"]));
    let session = &scene.ok(&["list-sessions"])["sessions"][0];
    assert_eq!((&session["name"], &session["own_worktree"]), (&json!("feature-login"), &created["worktree"]));
    assert_eq!(session["windows"][0]["panes"][0]["cwd"], json!(path.to_str()));
    let (_, listed) = scene.run(&["ls"]);
    assert!(listed.contains(&format!("(worktree {})", path.display())), "{listed}");
}

#[test]
fn a_branch_starts_from_its_base_and_an_existing_one_is_checked_out() {
    let scene = scene();
    let first = git(&scene.app, &["rev-parse", "HEAD"]);
    git(&scene.app, &["branch", "old"]);
    git(&scene.app, &["commit", "-q", "--allow-empty", "-m", "second"]);
    scene.start(&["--worktree", "fix", "--base", "main~1", "--worktree-path", "../elsewhere"]);
    assert_eq!(git(&scene.app.with_file_name("elsewhere"), &["rev-parse", "HEAD"]), first);
    scene.start(&["--worktree", "old"]);
    assert_eq!(git(&scene.beside("old"), &["rev-parse", "old"]), first);
    let refused = scene.refused(&["new", "-d", "--worktree", "main", "--base", "old"]);
    assert!(refused.contains("the branch already exists, so `base` cannot be used"), "{refused}");
}

#[test]
fn a_branch_of_a_remote_is_checked_out() {
    let scene = scene();
    git(&scene.app, &["branch", "shared"]);
    let clone = scene.app.with_file_name("clone");
    git(&scene.app, &["clone", "-q", ".", clone.to_str().expect("text")]);
    let mut command = scene.server.command(&["new", "-d", "--worktree", "shared", "--json"]);
    assert!(command.current_dir(&clone).status().expect("the binary runs").success());
    let path = scene.app.with_file_name("clone.worktrees").join("shared");
    assert_eq!(git(&path, &["rev-parse", "--abbrev-ref", "shared@{upstream}"]), "origin/shared");
}

#[test]
fn whatever_fails_nothing_is_left_behind() {
    let scene = scene();
    scene.server.session("other", &["cat"]);
    write(&scene.app.with_file_name("taken").join("file"), "mine");
    std::fs::create_dir(scene.app.with_file_name("empty")).expect("a directory");
    let before = scene.traces();
    for (words, reason) in [
        (&["--worktree", "main"][..], "already used by worktree"),
        (&["--worktree", "a..b"], "`a..b` is not a valid branch name"),
        (&["--worktree=-x"], "`-x` is not a valid branch name"),
        (&["--worktree", "x", "--base", "nothing"], "commit not found: `nothing`"),
        (&["--worktree", "x", "--base=--all"], "commit not found: `--all`"),
        (&["--worktree", "x", "--worktree-path", "../taken"], "src/taken` already exists"),
        (&["--worktree", "x", "--worktree-path", "../empty"], "src/empty` already exists"),
        (&["--worktree", "x", "-c", "/"], "`/` is not in a git repository"),
    ] {
        let refused = scene.refused(&[&["new", "-d"], words].concat());
        let lines: Vec<_> = refused.lines().collect();
        assert!(refused.starts_with("Cannot create a worktree for branch `"), "{words:?}: {refused}");
        assert!(lines[0].contains(reason) && lines.len() == 2, "{words:?}: {refused}");
        assert_eq!(scene.traces(), before, "{words:?}");
    }
    let refused = scene.refused(&["new", "-d", "-s", "other", "--worktree", "x"]);
    assert!(refused.starts_with("Session already exists: other"), "{refused}");
    let refused = scene.refused(&["new", "-d", "--worktree", "x", "--", "/no/such/program"]);
    assert!(refused.starts_with("Cannot start `/no/such/program`"), "{refused}");
    assert_eq!(scene.traces(), before);
    assert_eq!(
        std::fs::read_to_string(scene.app.with_file_name("taken").join("file")).expect("a file"),
        "mine"
    );
}

#[test]
fn a_hook_that_fails_leaves_nothing() {
    let scene = scene();
    let hook = scene.app.join(".git/hooks/post-checkout");
    write(&hook, "#!/bin/sh\necho 'fatal: not today' >&2\nexit 1\n");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    scene.server.session("other", &["cat"]);
    let before = scene.traces();
    let refused = scene.refused(&["new", "-d", "--worktree", "x"]);
    assert!(refused.starts_with("Cannot create a worktree for branch `x`: not today\nhint: "), "{refused}");
    assert_eq!(scene.traces(), before);
}

#[test]
fn the_variables_of_a_daemon_that_git_started_do_not_lead_to_another_repository() {
    let scene = scene();
    let mut first = scene.command(&["new", "-d", "-s", "other", "--command", "exec cat"]);
    let first = first.env("GIT_DIR", "/nowhere").env("GIT_INDEX_FILE", "/nowhere/index");
    assert!(first.output().expect("the binary runs").status.success());
    scene.start(&["--worktree", "fix"]);
    assert_eq!(git(&scene.beside("fix"), &["branch", "--show-current"]), "fix");
}

#[test]
fn ignored_files_that_the_repository_names_are_copied_and_nothing_else() {
    let scene = scene();
    let app = &scene.app;
    write(&app.join(".gitignore"), ".env\nbuild/\nlink\nconfig/\n");
    write(&app.join(".worktreeinclude"), ".env\nlink\nconfig/\nsub/.env\nnotes.txt\n../secret\n");
    git(app, &["add", "."]);
    symlink("/tmp", app.join("conf-link")).expect("a link");
    git(app, &["add", "."]);
    git(app, &["commit", "-q", "-m", "second"]);
    for (path, text) in [
        (".env", "KEY=1"),
        ("sub/.env", "KEY=2"),
        ("build/out", "big"),
        ("notes.txt", "not ignored"),
        ("config/local.toml", "x = 1"),
        ("../secret", "outside"),
    ] {
        write(&app.join(path), text);
    }
    std::fs::set_permissions(app.join(".env"), std::fs::Permissions::from_mode(0o600)).expect("its mode");
    symlink("/etc/passwd", app.join("link")).expect("a link");
    // On this branch, `config` is a link to a place outside.
    let outside = scene.server.path().join("outside");
    std::fs::create_dir(&outside).expect("a directory");
    git(app, &["checkout", "-q", "--detach"]);
    std::fs::rename(app.join("config"), app.join("../config")).expect("moved");
    symlink(&outside, app.join("config")).expect("a link");
    git(app, &["add", "-f", "config"]);
    git(app, &["commit", "-q", "-m", "link"]);
    git(app, &["branch", "linked"]);
    git(app, &["checkout", "-q", "main"]);
    std::fs::rename(app.join("../config"), app.join("config")).expect("moved");

    let created = scene.start(&["--worktree", "fix"]);
    assert_eq!(created["note"], "3 git-ignored files copied (.worktreeinclude)", "{created}");
    let fix = scene.beside("fix");
    assert_eq!(std::fs::read_to_string(fix.join(".env")).expect("copied"), "KEY=1");
    assert_eq!(std::fs::metadata(fix.join(".env")).expect("a file").permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_to_string(fix.join("sub/.env")).expect("copied"), "KEY=2");
    for absent in ["build", "notes.txt", "link", "../secret"] {
        assert!(fix.join(absent).symlink_metadata().is_err(), "{absent}");
    }
    assert_eq!(git(&fix, &["status", "--porcelain"]), "");
    scene.start(&["--worktree", "linked"]);
    assert_eq!(std::fs::read_dir(&outside).expect("a directory").count(), 0, "nothing goes through a link");
}

#[test]
fn worktrees_are_listed_with_their_state_and_survive_a_restart() {
    let scene = scene();
    scene.start(&["--worktree", "fix"]);
    let fix = scene.beside("fix");
    write(&fix.join("b.txt"), "b");
    git(&fix, &["add", "."]);
    git(&fix, &["commit", "-q", "-m", "b"]);
    git(&scene.app, &["commit", "-q", "--allow-empty", "-m", "other"]);
    write(&fix.join("a.txt"), "changed");
    write(&fix.join("c.txt"), "new");
    let state = |worktree: &Value| {
        let fields = ["state", "changed_files", "ahead", "behind", "only_here"];
        fields.map(|field| worktree[field].clone())
    };
    let expected = [json!("dirty"), json!(2), json!(1), json!(1), json!(1)];
    assert_eq!(state(&scene.worktrees()[0]), expected);
    let (_, listed) = scene.run(&["list-worktrees"]);
    assert_eq!(listed, format!("{} [fix] fix: dirty (2 changed), 1 ahead, 1 behind", fix.display()));
    signal("KILL", scene.server.daemon_pid());
    assert_eq!(state(&scene.worktrees()[0]), expected);
    let session = &scene.ok(&["list-sessions"])["sessions"][0];
    assert_eq!(session["own_worktree"]["branch"], "fix");
}

#[test]
fn a_worktree_is_removed_only_if_nothing_is_lost() {
    let scene = scene();
    let created = scene.start(&["--worktree", "fix"]);
    let fix = scene.beside("fix");
    let path = fix.to_str().expect("text");
    let pane = created["pane_id"].as_str().expect("an id");
    let refused = scene.refused(&["remove-worktree", "-s", "fix"]);
    assert!(refused.contains(&format!("a program is running in it (pane {pane})")), "{refused}");
    scene.ok(&["kill-session", "-s", "fix"]);
    write(&fix.join("a.txt"), "changed");
    let refused = scene.refused(&["remove-worktree", path]);
    assert!(refused.contains("it has 1 file with uncommitted changes"), "{refused}");
    git(&fix, &["commit", "-q", "-a", "-m", "changed"]);
    let refused = scene.refused(&["remove-worktree", path]);
    assert!(refused.contains("it has 1 commit not on any other branch or remote"), "{refused}");
    assert!(fix.join("a.txt").exists());
    git(&scene.app, &["merge", "-q", "fix"]);
    let removed = scene.ok(&["remove-worktree", path, "--delete-branch"]);
    assert_eq!(removed, json!({ "path": path, "branch": "fix", "branch_deleted": true }));
    assert!(!fix.exists());
    assert_eq!(git(&scene.app, &["for-each-ref", "--format=%(refname)", "refs/heads"]), "refs/heads/main");
    until("it is forgotten", || scene.worktrees().is_empty());
}

#[test]
fn a_person_may_force_the_removal_and_the_branch_stays() {
    let scene = scene();
    scene.start(&["--worktree", "fix"]);
    write(&scene.beside("fix").join("a.txt"), "changed");
    let removed = scene.ok(&["remove-worktree", "../app.worktrees/fix", "--force"]);
    assert_eq!(removed["branch_deleted"], false);
    assert!(!scene.beside("fix").exists());
    git(&scene.app, &["rev-parse", "--verify", "fix"]);
}

#[test]
fn a_worktree_that_is_gone_or_replaced_is_not_confused_with_another_directory() {
    let scene = scene();
    for branch in ["gone", "replaced"] {
        scene.start(&["--worktree", branch]);
        scene.ok(&["kill-session", "-s", branch]);
        std::fs::remove_dir_all(scene.beside(branch)).expect("removed");
    }
    let states: Vec<_> = scene.worktrees().iter().map(|worktree| worktree["state"].clone()).collect();
    assert_eq!(states, ["missing", "missing"]);
    scene.ok(&["remove-worktree", scene.beside("gone").to_str().expect("text")]);
    let replaced = scene.beside("replaced");
    write(&replaced.join("mine"), "mine");
    git(&replaced, &["init", "-q"]);
    let refused = scene.refused(&["remove-worktree", replaced.to_str().expect("text")]);
    assert!(refused.contains("the directory no longer contains that worktree"), "{refused}");
    let refused = scene.refused(&["remove-worktree", scene.app.to_str().expect("text")]);
    assert!(refused.starts_with("Worktree not found"), "{refused}");
    assert!(replaced.join("mine").exists() && scene.app.join("a.txt").exists());
}

#[test]
fn an_agent_that_may_only_observe_makes_and_removes_nothing() {
    let scene = scene();
    let config = scene.server.path().join("config/fugue/config.toml");
    write(&config, "[scopes]\n\"worker\" = \"observe\"\n");
    let worker = scene.server.session("worker", &["cat"]);
    scene.start(&["--worktree", "fix"]);
    let as_worker = |words: &[&str]| {
        let mut command = scene.server.command_for(&worker, words);
        let output = command.current_dir(&scene.app).output().expect("the binary runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let before = scene.traces();
    for words in [&["new", "-d", "--worktree", "x"][..], &["remove-worktree", "-s", "fix"]] {
        let (done, text) = as_worker(words);
        assert!(!done && text.contains("outside the scope (`observe`)"), "{words:?}: {text}");
    }
    assert_eq!(scene.traces(), before);
    assert!(as_worker(&["list-worktrees"]).0);
}

#[test]
fn the_daemon_goes_on_while_git_is_busy_and_the_name_is_taken() {
    let scene = scene();
    let (hook, begun, go) = (
        scene.app.join(".git/hooks/post-checkout"),
        scene.server.path().join("begun"),
        scene.server.path().join("go"),
    );
    write(&hook, &format!("#!/bin/sh\ntouch {}\nread word < {}\n", begun.display(), go.display()));
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("its mode");
    assert!(Command::new("mkfifo").arg(&go).status().expect("mkfifo runs").success());
    let mut slow = scene.command(&["new", "-d", "--worktree", "slow", "--command", "exec cat"]);
    let mut slow = slow.stdout(std::process::Stdio::null()).spawn().expect("the binary runs");
    until("the hook runs", || begun.exists());
    assert_eq!(scene.ok(&["list-sessions"])["sessions"], json!([]));
    let refused = scene.refused(&["new", "-d", "-s", "slow"]);
    assert!(refused.starts_with("Session already exists: slow"), "{refused}");
    write(&go, "go\n");
    assert!(slow.wait().expect("it ends").success());
    assert_eq!(scene.ok(&["list-sessions"])["sessions"][0]["own_worktree"]["branch"], "slow");
}
