//! Starting programs and claiming files: where a pane opens, in which directory, what is left when its program fails, and
//! which spellings of a path name one lease.

use std::path::Path;
use std::process::Command;

use fugue_testkit::TestServer;
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, McpClient, test_server};

/// An agent in a pane, whose MCP server runs in a directory.
fn agent_in(server: &TestServer, pane: &str, directory: &Path) -> McpClient {
    let mut command = server.command_for(pane, &["mcp"]);
    command.current_dir(directory);
    McpClient::start(command, ERAS[1])
}

fn git(directory: &Path, words: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(identity).args(words).env("GIT_CONFIG_GLOBAL", "/dev/null");
    assert!(git.output().expect("git runs").status.success(), "git {words:?}");
}

/// A repository with a file, and a worktree of it.
fn repository(server: &TestServer) -> std::path::PathBuf {
    let repository = server.path().canonicalize().expect("it exists").join("app");
    std::fs::create_dir_all(repository.join("src")).expect("a directory");
    std::fs::write(repository.join("src/a.rs"), "").expect("a file");
    git(&repository, &["init", "-q", "-b", "main"]);
    git(&repository, &["add", "."]);
    git(&repository, &["commit", "-q", "-m", "first"]);
    git(&repository, &["worktree", "add", "-q", "../fix"]);
    repository
}

#[test]
fn an_agent_gets_a_window_when_a_split_would_be_too_small() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = agent_in(&server, &pane, server.path());
    let panes: Vec<_> = (0..6).map(|_| agent.ok("fugue_create_pane", json!({ "command": "cat" }))).collect();
    let window = &panes[0]["window_id"];
    assert!(panes[0].get("note").is_none() && panes[1]["window_id"] == *window, "{panes:?}");
    let note = panes[5]["note"].as_str().expect("a note");
    assert!(note.contains("smaller than 20x5") && panes[5]["window_id"] != *window, "{panes:?}");
    assert_eq!(panes[5]["dimensions"], json!({ "cols": 80, "rows": 24 }));
}

#[test]
fn the_last_words_of_an_agents_program_can_be_read_after_it_failed() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = agent_in(&server, &pane, server.path());
    let failing = agent.ok("fugue_create_pane", json!({ "command": "echo last words; exit 3" }));
    let id = failing["pane_id"].clone();
    agent.ok("fugue_wait", json!({ "pane_id": id, "until": "exit" }));
    // A wait that comes too late is told the same.
    let late = agent.ok("fugue_wait", json!({ "pane_id": id, "until": "exit" }));
    assert_eq!((&late["tail"], &late["already"]), (&json!("last words"), &json!(true)), "{late}");
    assert_eq!((&late["cursor"], &late["exit"]), (&json!("1:0"), &json!({ "code": 3 })), "{late}");
    assert!(agent.text("fugue_get_output", json!({ "pane_id": id })).contains("last words"));
    agent.ok("fugue_respawn_pane", json!({ "pane_id": id, "command": "cat" }));
}

#[test]
fn a_directory_may_be_relative_or_in_the_home_directory() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let (home, place) = (server.path().canonicalize().expect("it exists"), server.path().join("place/inner"));
    std::fs::create_dir_all(&place).expect("a directory");
    let mut agent = agent_in(&server, &pane, &server.path().join("place"));
    for (cwd, expected) in
        [("~", home.clone()), ("~/place", home.join("place")), ("inner", home.join("place/inner"))]
    {
        let ran = agent.text("fugue_run", json!({ "command": "pwd -P", "cwd": cwd }));
        assert!(ran.lines().any(|line| Path::new(line) == expected), "{cwd}: {ran}");
    }
}

#[test]
fn all_spellings_of_a_path_are_one_lease() {
    let server = test_server();
    let repository = repository(&server);
    std::os::unix::fs::symlink(&repository, server.path().join("link")).expect("a link");
    let (first, second) = (server.session("one", &["cat"]), server.session("two", &["cat"]));
    let mut owner = agent_in(&server, &first, &repository);
    let claimed = owner.ok("fugue_claim", json!({ "name": "src/a.rs" }));
    let name = repository.join("src/a.rs");
    assert_eq!(claimed["name"], Value::from(name.to_str()), "{claimed}");
    let mut other = agent_in(&server, &second, &repository.join("src"));
    let absolute = name.to_str().expect("text");
    let linked = server.path().join("link/src/a.rs");
    let worktree = server.path().join("fix/src/a.rs");
    for spelling in [
        "a.rs",
        "./a.rs",
        "../src/a.rs",
        absolute,
        linked.to_str().expect("text"),
        worktree.to_str().expect("text"),
        "~/app/src/a.rs",
    ] {
        let refused = other.refused("fugue_claim", json!({ "name": spelling }));
        assert!(
            refused.starts_with(&format!("Lease `{absolute}` is held by pane {first}")),
            "{spelling}: {refused}"
        );
    }
    let wait = json!({ "pane_id": first, "pattern": "never", "events": ["lease"], "lease": "a.rs", "timeout_ms": 10 });
    assert_eq!(other.ok("fugue_wait", wait.clone())["outcome"], "timeout", "it is held");
    other.ok("fugue_claim", json!({ "name": "b.rs" }));
    other.ok("fugue_claim", json!({ "name": "port:3000" }));
    owner.ok("fugue_release", json!({ "name": "./src/a.rs" }));
    assert_eq!(other.ok("fugue_wait", wait)["outcome"], "lease", "it is free");
    other.ok("fugue_claim", json!({ "name": "a.rs" }));
}

#[test]
fn all_spellings_of_a_file_without_a_slash_or_a_dot_are_one_lease() {
    let server = test_server();
    let repository = repository(&server);
    std::fs::write(repository.join("Makefile"), "").expect("a file");
    let (first, second) = (server.session("one", &["cat"]), server.session("two", &["cat"]));
    let mut owner = agent_in(&server, &first, &repository);
    let mut other = agent_in(&server, &second, &repository);
    for (claimed, spellings) in [("Makefile", ["./Makefile", "src/../Makefile"]), ("src", ["src/", "./src"])]
    {
        let path = repository.join(claimed).to_str().expect("text").to_owned();
        assert_eq!(owner.ok("fugue_claim", json!({ "name": claimed }))["name"], json!(path));
        for spelling in spellings.into_iter().chain([path.as_str(), claimed]) {
            let refused = other.refused("fugue_claim", json!({ "name": spelling }));
            assert!(
                refused.starts_with(&format!("Lease `{path}` is held by pane {first}")),
                "{spelling}: {refused}"
            );
        }
    }
    other.ok("fugue_claim", json!({ "name": "deploy" }));
    owner.ok("fugue_release", json!({ "name": "./Makefile" }));
    other.ok("fugue_claim", json!({ "name": "Makefile" }));
}

#[test]
fn a_path_outside_a_repository_is_a_lease_on_its_absolute_path() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = agent_in(&server, &pane, server.path());
    let claimed = agent.ok("fugue_claim", json!({ "name": "./notes/plan.md" }));
    let expected = server.path().canonicalize().expect("it exists").join("notes/plan.md");
    assert_eq!(claimed["name"], Value::from(expected.to_str()));
}

#[test]
fn a_worker_gets_a_worktree_and_it_is_removed_when_the_work_is_merged() {
    let server = test_server();
    let repository = repository(&server);
    let lead = server.session("lead", &["cat"]);
    let mut agent = agent_in(&server, &lead, &repository);
    let worktree = json!({ "branch": "task/1", "base": "main" });
    let created = agent.ok("fugue_create_session", json!({ "worktree": worktree, "command": "exec cat" }));
    let path = created["worktree"]["path"].as_str().expect("a path").to_owned();
    assert_eq!(Path::new(&path), repository.with_file_name("app.worktrees").join("task-1"));
    git(Path::new(&path), &["commit", "-q", "--allow-empty", "-m", "work"]);
    let listed = agent.ok("fugue_list_worktrees", json!({}));
    let state = |field: &str| listed["worktrees"][0][field].clone();
    assert_eq!([state("state"), state("ahead"), state("behind")], [json!("clean"), json!(1), json!(0)]);
    let refused = agent.refused("fugue_remove_worktree", json!({ "session": "task-1" }));
    assert!(refused.contains("a program is running in it"), "{refused}");
    agent.ok("fugue_kill_session", json!({ "session": "task-1" }));
    let refused = agent.refused("fugue_remove_worktree", json!({ "path": path }));
    assert!(refused.contains("it has 1 commit not on any other branch or remote"), "{refused}");
    let refused = agent.refused("fugue_remove_worktree", json!({ "path": path, "force": true }));
    assert!(refused.contains("agents cannot force the removal"), "{refused}");
    git(&repository, &["merge", "-q", "task/1"]);
    // The closed session is listed with its name, so the name is accepted.
    let removed = agent.ok("fugue_remove_worktree", json!({ "session": "task-1", "delete_branch": true }));
    assert_eq!(removed["branch_deleted"], true);
    assert_eq!(agent.ok("fugue_list_worktrees", json!({}))["worktrees"], json!([]));
}
