//! When the reply comes: the agent is ready, has accepted its prompt, has finished, asks, has ended, or takes too long.

use std::process::Stdio;

use fugue_testkit::until;
use serde_json::json;

use crate::mcp_client::{ERAS, McpClient};
use crate::scene::Scene;

#[test]
fn an_agent_is_ready_when_it_waits_for_input() {
    let scene = Scene::new();
    let (told, succeeded) = scene.spawn(&["robot", "--model", "m1", "--tag", "worker", "--", "--fast"]);
    assert!(succeeded, "{told}");
    assert_eq!((&told["status"], &told["reason"]), (&json!("ready"), &json!("robot is ready")));
    assert_eq!((&told["agent"]["name"], &told["agent"]["state"]), (&json!("robot"), &json!("idle")));
    assert_eq!(told["session_name"], "robot");
    assert_eq!(scene.log(), format!("{}: --model=m1 --fast\n", scene.app.display()));
    let session = &scene.server.json(&["list-sessions"])["sessions"][0];
    assert_eq!((&session["tags"], &session["session_id"]), (&json!(["worker"]), &told["session_id"]));
    assert_eq!(session["windows"][0]["panes"][0]["pane_id"], told["pane_id"]);
}

#[test]
fn a_prompt_is_taken_when_the_agent_works_and_the_turn_is_over_when_it_says_so() {
    let scene = Scene::new();
    let (told, succeeded) = scene.spawn(&["robot", "--prompt", "-what is it?"]);
    assert!(succeeded, "{told}");
    assert_eq!(told["status"], "prompt_accepted");
    assert!(scene.log().ends_with(": --ask -what is it?\n"), "{}", scene.log());
    let (told, succeeded) = scene.spawn(&["robot", "--prompt", "again", "--wait", "-s", "waits"]);
    assert!(succeeded, "{told}");
    assert_eq!((&told["status"], &told["session_name"]), (&json!("done"), &json!("waits")));
    assert_eq!(told["last_message"], json!({ "text": "the answer is 42\n", "source": "screen" }));
    let (_, out, _) = scene.run(&["spawn", "robot", "--prompt", "again", "--wait"]);
    assert!(out.starts_with("robot has finished (session robot-2, pane "), "{out}");
    assert!(out.ends_with("(from its screen)\nthe answer is 42\n"), "{out}");
}

#[test]
fn a_dialog_is_shown_with_its_choices_and_no_key_is_pressed() {
    let scene = Scene::new();
    let screen = "fugue-agents/captured/claude/startup-trust.ansi";
    let screen = format!("SCREEN={}/../{screen}", env!("CARGO_MANIFEST_DIR"));
    let (told, succeeded) = scene.spawn(&["claude", "--prompt", "go", "--wait", "-e", &screen]);
    assert!(!succeeded, "{told}");
    assert_eq!((&told["status"], &told["agent"]["state"]), (&json!("dialog"), &json!("blocked")));
    let question = told["dialog"]["question"].as_str().expect("a question");
    assert!(question.contains("trust"), "{told}");
    assert_eq!(told["reason"], format!("claude asks: {question}"));
    assert!(told["dialog"]["choices"].as_array().is_some_and(|choices| choices.len() > 1), "{told}");
    assert_eq!(scene.server.json(&["permissions"])["permissions"][0]["dialog_id"], told["dialog_id"]);
    assert!(!scene.server.path().join("keys").exists(), "nothing was typed");
}

#[test]
fn an_agent_that_asks_without_a_dialog_is_quoted() {
    let scene = Scene::new();
    let (told, succeeded) = scene.spawn(&["robot", "--", "--login"]);
    assert!(!succeeded, "{told}");
    assert_eq!(told["reason"], "robot asks: please log in");
    assert_eq!((&told["status"], &told["agent"]["waits_for"]), (&json!("dialog"), &json!("login")));
    assert!(!scene.log().contains("typed"), "nothing was typed");
}

#[test]
fn an_agent_that_exits_at_once_is_reported_with_its_last_lines() {
    let scene = Scene::new();
    let (told, succeeded) = scene.spawn(&["robot", "--", "--fail"]);
    assert!(!succeeded, "{told}");
    assert_eq!((&told["status"], &told["exit"]), (&json!("exited"), &json!({ "code": 3 })));
    assert_eq!(told["last_lines"], "wrong flag\n");
    let (_, out, _) = scene.run(&["spawn", "robot", "--", "--fail"]);
    assert!(out.starts_with("robot exited (exit code 3) (session robot-2"), "{out}");
    assert!(out.ends_with("\nwrong flag\n"), "{out}");
}

#[test]
fn an_agent_that_is_not_installed_or_not_known_leaves_nothing_behind() {
    let scene = Scene::new();
    let before = scene.traces();
    let refused = scene.refused(&["spawn", "gemini", "--worktree", "fix", "-e", "PATH=/nowhere"]);
    assert_eq!(
        refused,
        "Cannot start gemini: `gemini` was not found in PATH\n\
         hint: nothing was created; install it, or add its directory to PATH"
    );
    let refused = scene.refused(&["spawn", "robto"]);
    assert_eq!(refused, "Cannot start robto: there is no such agent\nhint: did you mean `robot`?");
    let refused = scene.refused(&["spawn", "robot", "--permission-mode", "yolo"]);
    assert!(refused.starts_with("Cannot start robot: fugue does not know how to set its permission mode"));
    assert_eq!(scene.traces(), before);
}

#[test]
fn the_time_limit_says_what_is_known_and_the_agent_keeps_running() {
    let scene = Scene::new();
    let words = ["robot", "--prompt", "x", "--timeout-ms", "1500", "--", "--silent"];
    let (told, succeeded) = scene.spawn(&words);
    assert!(!succeeded, "{told}");
    assert_eq!(told["status"], "timeout");
    assert_eq!(told["reason"], "robot did not accept the prompt within 1 s; its state is unknown");
    let panes = scene.server.json(&["list-panes"])["panes"].clone();
    assert_eq!((&panes[0]["pane_id"], &panes[0]["state"]), (&told["pane_id"], &json!("running")));
}

#[test]
fn a_client_that_goes_away_leaves_the_agent_running() {
    let scene = Scene::new();
    let mut command = scene.command(&["spawn", "robot", "--", "--silent"]);
    let mut client = command.stdout(Stdio::null()).spawn().expect("it runs");
    until("the agent is started", || scene.log().contains("--silent"));
    client.kill().expect("it waits");
    client.wait().expect("it is killed");
    // The program may run before its pane is stored.
    let listed = || scene.server.json(&["list-panes"])["panes"][0]["pane_id"].clone();
    until("its pane is listed", || listed().is_string());
    let pane = listed().as_str().expect("an id").to_owned();
    scene.server.ok(&["send-input", "-t", &pane, "hello", "--submit"]);
    until("it is running", || scene.log().contains("typed hello"));
}

#[test]
fn an_agent_opens_in_a_window_or_a_split_of_another_session() {
    let scene = Scene::new();
    let (_, created, _) = scene.run(&["new", "-d", "-s", "work", "--json", "--", "cat"]);
    let created: serde_json::Value = serde_json::from_str(&created).expect("JSON");
    let pane = created["pane_id"].as_str().expect("a pane").to_owned();
    let (window, _) = scene.spawn(&["robot", "-t", &pane]);
    let (split, succeeded) = scene.spawn(&["robot", "-t", &pane, "--split", "right"]);
    assert!(succeeded, "{split}");
    assert_eq!((&window["session_name"], &split["session_name"]), (&json!("work"), &json!("work")));
    let panes = scene.server.json(&["list-panes"])["panes"].clone();
    let window_of = |id: &serde_json::Value| {
        let found = panes.as_array().expect("panes").iter().find(|pane| pane["pane_id"] == *id);
        found.expect("the pane")["window_id"].clone()
    };
    assert_eq!(window_of(&split["pane_id"]), window_of(&json!(pane)));
    assert_ne!(window_of(&window["pane_id"]), window_of(&json!(pane)));
}

#[test]
fn an_agent_that_spawns_another_is_its_parent() {
    let scene = Scene::new();
    let (_, created, _) = scene.run(&["new", "-d", "-s", "lead", "--json", "--", "cat"]);
    let created: serde_json::Value = serde_json::from_str(&created).expect("JSON");
    let lead = created["pane_id"].as_str().expect("a pane");
    let mut command = scene.server.command_for(lead, &["mcp"]);
    command.current_dir(&scene.app);
    let mut agent = McpClient::start(command, ERAS[1]);
    let told = agent.ok("fugue_spawn_agent", json!({ "agent": "robot", "prompt": "go", "tags": ["worker"] }));
    assert_eq!(told["status"], "prompt_accepted", "{told}");
    let sessions = scene.server.json(&["list-sessions"])["sessions"].clone();
    assert_eq!(sessions[1]["parent_id"], sessions[0]["session_id"]);
    assert_eq!(sessions[1]["tags"], json!(["child:lead", "worker"]));
    assert!(scene.log().starts_with(&format!("{}: --ask go", scene.app.display())), "{}", scene.log());
}

#[test]
fn a_users_agent_that_has_ended_is_resumed_as_its_table_says() {
    let scene = Scene::new();
    let (told, _) = scene.spawn(&["robot", "--resume", "talk-7", "--", "--fail"]);
    assert_eq!(told["conversation"], json!({ "agent": "robot", "id": "talk-7" }));
    let pane = told["pane_id"].as_str().expect("a pane");
    let (code, out, err) = scene.run(&["resume", pane]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("started robot --load talk-7") && out.contains("dropped: --fail\n"), "{out}");
    until("it runs", || scene.log().ends_with(": --load talk-7\n"));
}
