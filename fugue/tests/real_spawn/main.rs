//! The real agents started by `fugue spawn`, with a scripted model on loopback. They are large, so this runs only on
//! request: `FUGUE_STAGE_KIT` is the directory of the script `stage`, `FUGUE_STAGE` one prepared by `stage install`.

#[allow(dead_code, reason = "shared with the other tests")]
#[path = "../real_delivery/stage.rs"]
mod stage;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use stage::{Stage, has_text};

const AGENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

fn git(directory: &Path, words: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    let status = Command::new("git").arg("-C").arg(directory).args(identity).args(words).status();
    assert!(status.is_ok_and(|status| status.success()), "git {words:?}");
}

/// A repository whose worktrees for these branches the agents trust.
fn repository(stage: &Stage, branches: &[String]) -> PathBuf {
    let app = stage.path().canonicalize().expect("it exists").join("app");
    fs::create_dir(&app).expect("a directory");
    fs::write(app.join("a.txt"), "one\n").expect("a file");
    git(&app, &["init", "-q", "-b", "main"]);
    git(&app, &["add", "."]);
    git(&app, &["commit", "-q", "-m", "first"]);
    let worktrees = branches.iter().map(|branch| app.with_file_name("app.worktrees").join(branch));
    let trusted: Vec<_> = worktrees.chain([app.clone()]).collect();
    let home = stage.path().join("home");
    let path = home.join(".claude.json");
    let mut claude: Value = serde_json::from_str(&fs::read_to_string(&path).expect("a file")).expect("JSON");
    let mut codex = fs::read_to_string(home.join(".codex/config.toml")).expect("a file");
    for directory in trusted.iter().filter_map(|path| path.to_str()) {
        claude["projects"][directory] =
            json!({ "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true });
        codex += &format!("[projects.{directory:?}]\ntrust_level = \"trusted\"\n");
    }
    fs::write(path, claude.to_string()).expect("written");
    fs::write(home.join(".codex/config.toml"), codex).expect("written");
    app
}

/// Starts an agent. Returns the reply.
fn spawn(stage: &Stage, agent: &str, directory: &Path, words: &[&str]) -> Value {
    let environment = stage.environment();
    let mut all = vec!["spawn", agent, "--json", "--timeout-ms", "300000", "-c"];
    all.push(directory.to_str().expect("a path"));
    environment.iter().for_each(|entry| all.extend(["-e", entry.as_str()]));
    all.extend(words);
    let ran = stage.server.run(&all);
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{agent}: {} {}", ran.out, ran.err))
}

fn model_saw(stage: &Stage, text: &str) -> bool {
    stage.requests().iter().any(|(_, body)| has_text(body, &|part| part.contains(text)))
}

/// An agent is ready, accepts a prompt, and has a last message.
fn starts(agent: &str) {
    let stage = Stage::open();
    let project = stage.path().join("proj");
    let close = |told: &Value| {
        stage.server.ok(&["kill-session", "-s", told["session_name"].as_str().expect("a name")]);
    };
    let ready = spawn(&stage, agent, &project, &[]);
    assert_eq!(ready["status"], "ready", "{ready}");
    println!("{agent}: ready after {} ms", ready["elapsed_ms"]);
    close(&ready);
    let taken = spawn(&stage, agent, &project, &["--prompt", &format!("@delay 3 take {agent}")]);
    assert_eq!(taken["status"], "prompt_accepted", "{taken}");
    println!("{agent}: prompt taken after {} ms", taken["elapsed_ms"]);
    fugue_testkit::until("the model sees the prompt", || model_saw(&stage, &format!("take {agent}")));
    close(&taken);
    let done = spawn(&stage, agent, &project, &["--wait", "--prompt", &format!("@delay 1 finish {agent}")]);
    assert_eq!(done["status"], "done", "{done}");
    assert!(model_saw(&stage, &format!("finish {agent}")), "{agent}: the model saw the prompt");
    println!("{agent}: done after {} ms, last message {}", done["elapsed_ms"], done["last_message"]);
    assert_eq!(done["last_message"], json!({ "text": "DONE", "source": "conversation" }), "{done}");
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn claude_code_is_ready_accepts_a_prompt_and_has_a_last_message() {
    starts("claude");
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn codex_is_ready_accepts_a_prompt_and_has_a_last_message() {
    starts("codex");
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn gemini_cli_is_ready_accepts_a_prompt_and_has_a_last_message() {
    starts("gemini");
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn opencode_is_ready_accepts_a_prompt_and_has_a_last_message() {
    starts("opencode");
}

/// A split is half as wide, so that agents draw their input fields differently there.
#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn each_agent_is_ready_and_takes_a_prompt_in_a_split() {
    let only = std::env::var("FUGUE_STAGE_AGENTS").unwrap_or_default();
    for agent in AGENTS.iter().filter(|agent| only.is_empty() || only.contains(**agent)) {
        let stage = Stage::open();
        let (pane, project) = (stage.server.session("work", &["sh"]), stage.path().join("proj"));
        let ready = spawn(&stage, agent, &project, &["-t", &pane, "--split", "right"]);
        assert_eq!(ready["status"], "ready", "{ready}");
        stage.server.ok(&["close-pane", "-t", ready["pane_id"].as_str().expect("an id")]);
        let prompt = format!("@delay 3 take {agent}");
        let taken = spawn(&stage, agent, &project, &["-t", &pane, "--split", "right", "--prompt", &prompt]);
        assert_eq!(taken["status"], "prompt_accepted", "{taken}");
        fugue_testkit::until("the model sees the prompt", || model_saw(&stage, &format!("take {agent}")));
        println!("{agent} in a split: {} ms, {} ms", ready["elapsed_ms"], taken["elapsed_ms"]);
    }
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn a_start_up_dialog_is_reported_and_stays() {
    let stage = Stage::open();
    stage.ask_at_the_start();
    let strange = stage.path().join("other");
    for agent in ["claude", "codex", "gemini"] {
        let told = spawn(&stage, agent, &strange, &["--prompt", "go"]);
        assert_eq!(told["status"], "dialog", "{told}");
        println!("{agent}: {} after {} ms", told["reason"], told["elapsed_ms"]);
        assert!(told["dialog"]["choices"].as_array().is_some_and(|choices| choices.len() > 1), "{told}");
        let listed = stage.server.json(&["permissions"])["permissions"].clone();
        let open = listed.as_array().expect("a list").iter().any(|one| one["dialog_id"] == told["dialog_id"]);
        assert!(open, "{agent}: it is still open: {listed}");
        stage.server.ok(&["kill-session", "-s", told["session_name"].as_str().expect("a name")]);
    }
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn ten_agents_start_at_once_in_ten_worktrees_and_take_their_prompts() {
    let stage = Stage::open();
    let branches: Vec<_> = (0..10).map(|number| format!("task-{number}")).collect();
    let app = repository(&stage, &branches);
    let begun = Instant::now();
    let told: Vec<_> = std::thread::scope(|scope| {
        let start = |(number, branch): (usize, &String)| {
            let (stage, app, agent, branch) = (&stage, &app, AGENTS[number % 4], branch.clone());
            scope.spawn(move || {
                let prompt = format!("@delay 2 number-{number}-");
                (agent, spawn(stage, agent, app, &["--worktree", &branch, "--prompt", &prompt]))
            })
        };
        let spawns: Vec<_> = branches.iter().enumerate().map(start).collect();
        spawns.into_iter().map(|spawn| spawn.join().expect("a reply")).collect()
    });
    println!("ten agents after {:.1} s", begun.elapsed().as_secs_f32());
    for (number, (agent, told)) in told.iter().enumerate() {
        println!("{agent} in {}: {} after {} ms", branches[number], told["status"], told["elapsed_ms"]);
    }
    for (number, (agent, told)) in told.iter().enumerate() {
        assert_eq!(told["status"], "prompt_accepted", "{agent}: {told}");
        assert_eq!(told["worktree"]["branch"], branches[number].as_str());
        fugue_testkit::until("the model sees the prompt", || model_saw(&stage, &format!("number-{number}-")));
    }
}
