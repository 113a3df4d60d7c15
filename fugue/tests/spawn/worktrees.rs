//! Agents in worktrees: made if missing, set up before the agent starts and torn down when they are removed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::scene::{FUGUE, Scene, git};

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn an_agent_works_in_a_worktree_that_is_made_if_the_branch_has_none() {
    let scene = Scene::new();
    fs::write(scene.app.join(".worktreeinclude"), ".env\n").expect("a file");
    fs::write(scene.app.join(".env"), "KEY=1\n").expect("a file");
    let (told, succeeded) = scene.spawn(&["robot", "--worktree", "fix/login"]);
    assert!(succeeded, "{told}");
    let path = scene.beside("fix-login");
    assert_eq!(told["worktree"], json!({ "path": path.to_str(), "branch": "fix/login" }));
    assert_eq!((&told["session_name"], &told["copied_files"]), (&json!("fix-login"), &json!(1)));
    assert_eq!(git(&path, &["rev-parse", "HEAD"]), git(&scene.app, &["rev-parse", "main"]));
    assert!(scene.log().starts_with(&format!("{}:", path.display())), "{}", scene.log());
    // The second agent gets the same worktree, which still belongs to the first one's session.
    let (again, succeeded) = scene.spawn(&["robot", "--worktree", "fix/login"]);
    assert!(succeeded, "{again}");
    assert_eq!((&again["worktree"], &again["session_name"]), (&told["worktree"], &json!("robot")));
    let worktrees = scene.server.json(&["list-worktrees"])["worktrees"].clone();
    assert_eq!(worktrees.as_array().map(Vec::len), Some(1));
    assert_eq!(worktrees[0]["session_name"], "fix-login");
    let refused = scene.refused(&["spawn", "robot", "--worktree", "main"]);
    assert!(refused.contains("Cannot create a worktree for branch `main`"), "{refused}");
}

#[test]
fn a_worktree_is_set_up_in_its_pane_before_the_agent_starts() {
    let scene = Scene::new();
    scene.project("[worktree]\nsetup = \"echo preparing; touch set-up\"\n");
    let (told, succeeded) = scene.spawn(&["robot", "--worktree", "one", "--prompt", "x", "--wait"]);
    assert!(succeeded, "{told}");
    let shown = scene.server.text(text(&told["pane_id"]));
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[1..3], ["preparing", "the answer is 42"], "{shown}");
    assert!(scene.beside("one").join("set-up").exists());
    fs::remove_file(scene.beside("one").join("set-up")).expect("a file");
    scene.spawn(&["robot", "--worktree", "one"]);
    assert!(!scene.beside("one").join("set-up").exists(), "a worktree is set up once");
}

#[test]
fn an_agent_is_not_started_if_the_set_up_fails() {
    let scene = Scene::new();
    scene.project("[worktree]\nsetup = \"echo no database; exit 7\"\n");
    let (told, succeeded) = scene.spawn(&["robot", "--worktree", "one"]);
    assert!(!succeeded, "{told}");
    assert_eq!((&told["status"], &told["exit"]), (&json!("setup_failed"), &json!({ "code": 7 })));
    assert_eq!(told["reason"], "The setup command failed (exit code 7), so robot was not started");
    assert!(text(&told["last_lines"]).contains("\nno database\n"), "{told}");
    assert_eq!(scene.log(), "", "the agent was not started");
    assert_eq!(scene.server.json(&["list-panes"])["panes"][0]["state"], "exited", "its output can be read");
    // A program that is no agent is not started either.
    scene.run(&["new", "-d", "--worktree", "two", "-s", "two", "--on-exit", "keep", "--", "robot"]);
    let (_, out, _) = scene.run(&["wait", "-s", "two", "--until", "exit"]);
    assert!(out.contains("exit code 7") && scene.log().is_empty(), "{out}");
}

#[test]
fn a_set_up_command_must_be_trusted() {
    let scene = Scene::new();
    fs::write(scene.app.join(".fugue.toml"), "[worktree]\nsetup = \"touch set-up\"\n").expect("a file");
    let before = scene.traces();
    let refused = scene.refused(&["spawn", "robot", "--worktree", "one"]);
    let file = scene.app.join(".fugue.toml");
    assert_eq!(
        refused,
        format!(
            "{} has a setup command for worktrees, but is not trusted\n\
             hint: ask the user to review it, then run `fugue allow` in its directory",
            file.display()
        )
    );
    assert_eq!(scene.traces(), before);
}

#[test]
fn a_worktree_is_torn_down_before_it_is_removed() {
    let scene = Scene::new();
    scene.project("[worktree]\nteardown = \"echo in use; test -e $HOME/free && pwd > $HOME/torn-down\"\n");
    let (told, _) = scene.spawn(&["robot", "--worktree", "one"]);
    let path = text(&told["worktree"]["path"]).to_owned();
    scene.server.ok(&["kill-session", "-s", "one"]);
    let refused = scene.refused(&["remove-worktree", &path]);
    assert!(refused.contains("its teardown command failed (exit status: 1): in use"), "{refused}");
    assert!(scene.beside("one").exists());
    fs::write(scene.server.path().join("free"), "").expect("a file");
    scene.server.ok(&["remove-worktree", &path]);
    let torn_down = fs::read_to_string(scene.server.path().join("torn-down")).expect("it ran");
    assert_eq!(torn_down.trim(), path);
    assert!(!scene.beside("one").exists());
}

#[test]
fn ten_agents_start_at_once_in_ten_worktrees() {
    let scene = Scene::new();
    scene.project("[worktree]\nsetup = \"touch set-up\"\n");
    std::thread::scope(|scope| {
        let spawns: Vec<_> = (0..10)
            .map(|number| {
                let scene = &scene;
                scope.spawn(move || {
                    let (branch, prompt) = (format!("work-{number}"), format!("task {number}"));
                    scene.spawn(&["robot", "--worktree", &branch, "--prompt", &prompt])
                })
            })
            .collect();
        for (number, spawn) in spawns.into_iter().enumerate() {
            let (told, succeeded) = spawn.join().expect("a reply");
            assert!(succeeded, "{told}");
            assert_eq!(told["worktree"]["branch"], format!("work-{number}"));
            let started =
                format!("{}: --ask task {number}\n", scene.beside(&format!("work-{number}")).display());
            assert!(scene.log().contains(&started), "{}", scene.log());
        }
    });
    assert_eq!(scene.server.json(&["list-worktrees"])["worktrees"].as_array().map(Vec::len), Some(10));
}

#[test]
fn the_first_commands_of_the_page_about_worktrees_work_as_they_are_written() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let page = fs::read_to_string(repository.join("docs/worktrees.md")).expect("the page");
    let block = page.split("```").find_map(|part| part.strip_prefix("sh\n")).expect("commands");
    // In a terminal, this attaches.
    let block = block.replace("fugue new ", "fugue new -d ");
    let scene = Scene::new();
    let bin = scene.server.path().join("bin");
    symlink(FUGUE, bin.join("fugue")).expect("a link");
    symlink("/bin/cat", bin.join("vim")).expect("a link");
    let mut shell = scene.server.command_from(Path::new("/bin/sh"), &["-ec", &block]);
    let path = std::env::var("PATH").unwrap_or_default();
    shell.env("PATH", format!("{}:{path}", bin.display())).current_dir(&scene.app);
    // What the stand-in for Claude Code shows.
    shell.env("SCREEN", repository.join("fugue-agents/captured/claude/empty.ansi"));
    let ran = shell.output().expect("a shell");
    let printed = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
    assert!(ran.status.success(), "{printed}");
    assert!(!scene.beside("fix-login").exists() && scene.beside("fix-colors").exists(), "{printed}");
}
