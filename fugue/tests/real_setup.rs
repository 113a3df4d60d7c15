//! `fugue setup` and `fugue teams` with the real agents. They are large, so this runs only on request: `FUGUE_STAGE_KIT`
//! is the directory of the script `stage`, `FUGUE_STAGE` one prepared by `stage install`.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use fugue_testkit::{TestServer, agent_stage, until};
use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// The agents, installed for a user whose home directory is new.
struct Stage {
    server: TestServer,
    kit: PathBuf,
    port: u16,
    model: Option<Child>,
}

impl Stage {
    fn new() -> Self {
        let (kit, installed) = agent_stage();
        let server = TestServer::new(BINARY);
        symlink(installed.join("node_modules"), server.path().join("node_modules")).expect("a link");
        fs::create_dir(server.path().join("bin")).expect("a directory");
        symlink(BINARY, server.path().join("bin/fugue")).expect("a link");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let stage = Self { server, kit, port: free.expect("a free port").port(), model: None };
        let mut command = Command::new(stage.kit.join("stage"));
        let written = command.arg("home").arg(stage.path()).arg(stage.port.to_string()).status();
        assert!(written.is_ok_and(|written| written.success()), "the agents' home");
        stage
    }

    fn path(&self) -> &Path {
        self.server.path()
    }

    fn home(&self, name: &str) -> PathBuf {
        self.path().join("home").join(name)
    }

    /// The shell line that makes the agents and fugue known.
    fn environment(&self) -> String {
        let (kit, directory) = (self.kit.display(), self.path().display());
        format!(
            "eval \"$({kit}/stage env {directory} {})\"; export PATH={directory}/bin:$PATH; unset XDG_CONFIG_HOME; cd {directory}/proj",
            self.port
        )
    }

    /// Runs a shell line with the agents, and returns everything it prints.
    fn sh(&self, line: &str) -> String {
        let mut command =
            self.server.command_from(Path::new("bash"), &["-c", &format!("{}; {line}", self.environment())]);
        let ran = command.output().expect("bash runs");
        let text = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
        assert!(ran.status.success(), "{line}: {text}");
        text
    }

    /// Starts the scripted model, and returns the file of its log.
    fn start_model(&mut self) -> PathBuf {
        let log = self.path().join("model.jsonl");
        let script = self.kit.join("scene_llm.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(self.port.to_string()).arg(&log).env("BASE_DELAY", "0.2");
        self.model = Some(command.spawn().expect("a model"));
        until("the model listens", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
        log
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(model) = &mut self.model {
            let _ = model.kill();
            let _ = model.wait();
        }
    }
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn the_real_agents_list_fugue_after_the_setup_and_their_files_are_restored() {
    let stage = Stage::new();
    let files = [
        ".codex/config.toml",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".config/opencode/opencode.json",
    ];
    let read = || files.map(|name| fs::read(stage.home(name)).ok());
    // Claude Code rewrites its file whenever it runs; after that, only fugue's entries are ours to remove.
    stage.sh("claude mcp list");
    let claude = || {
        let mut settings: Value =
            serde_json::from_slice(&fs::read(stage.home(".claude.json")).expect("a file")).expect("JSON");
        settings.as_object_mut().expect("an object").remove("mcpServers")
    };
    let before = (read(), claude());
    stage.sh("fugue setup --yes");
    assert!(stage.sh("fugue setup --check").contains("ok       opencode  fugue is set up"));
    for (command, expected) in [
        ("claude mcp list", "fugue: fugue mcp - ✔ Connected"),
        ("codex mcp get fugue", "env: FUGUE_PANE_ID=*****, FUGUE_PANE_KEY=*****, FUGUE_SOCKET=*****"),
        ("gemini mcp list", "fugue: fugue mcp --tools small (stdio) - Connected"),
        ("opencode mcp list", "fugue"),
    ] {
        let listed = stage.sh(command);
        assert!(listed.contains(expected), "{command}: {listed}");
    }
    stage.sh("fugue setup --undo --yes");
    assert_eq!((read(), claude()), before);
    assert!(!stage.sh("claude mcp list").contains("fugue"));
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn the_plugins_pass_the_validators_of_the_agents_and_can_be_installed_and_removed() {
    let stage = Stage::new();
    let plugins = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins");
    stage.sh(&format!("claude plugin validate --strict {plugins}/claude/.claude-plugin/plugin.json"));
    stage.sh(&format!("claude plugin validate --strict {plugins}/claude"));
    stage.sh(&format!("gemini extensions validate {plugins}/gemini"));
    stage.sh("claude plugin list");
    let settings = || fs::read(stage.home(".claude/settings.json")).ok();
    let before = settings();
    stage.sh("fugue setup claude gemini --plugin --yes");
    assert!(stage.sh("claude mcp list").contains("plugin:fugue:fugue: fugue mcp - ✔ Connected"));
    assert!(stage.sh("gemini mcp list").contains("fugue (from fugue): fugue mcp (stdio) - Connected"));
    stage.sh("fugue setup claude gemini --plugin --undo --yes");
    assert_eq!(settings(), before);
    assert!(!stage.sh("claude plugin list; gemini extensions list").contains("fugue@"));
}

/// A prompt that makes the model start a teammate, which asks who it is.
fn prompt(name: &str) -> String {
    let task = r#"hello\n@call Bash {\"command\": \"fugue whoami --json\"}\nthank you"#;
    format!(
        r#"@call Agent {{"description": "a mate", "name": "{name}", "subagent_type": "general-purpose", "run_in_background": true, "prompt": "{task}"}}"#
    )
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn a_real_team_of_three_knows_its_panes_and_is_closed_with_its_lead() {
    let mut stage = Stage::new();
    let log = stage.start_model();
    fs::create_dir_all(stage.home(".claude")).expect("a directory");
    fs::write(
        stage.home(".claude/settings.json"),
        "{\"permissions\": {\"allow\": [\"mcp__fugue\", \"Agent\", \"Bash\"]}}",
    )
    .expect("settings");
    stage.sh("fugue setup claude --yes");
    // The daemon gets the key of the model here: Claude Code does not pass it on to teammates.
    stage.sh("fugue new -d -s lead -- bash --norc");
    let lead = stage.server.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("an id").to_owned();
    let type_line = |text: &str| stage.server.ok(&["send-input", "-t", &lead, text, "--submit"]);
    let prompt = format!("go\n{}\n{}\n@call fugue_whoami {{}}", prompt("anna"), prompt("bert"));
    fs::write(stage.path().join("prompt"), prompt).expect("a prompt");
    // In auto mode, which is the default, Claude Code has its server check each action.
    type_line("fugue teams -- claude --permission-mode default \"$(cat ../prompt)\"");
    let session = |name: &str| {
        let sessions = stage.server.json(&["list-sessions"])["sessions"].clone();
        sessions.as_array().expect("a list").iter().find(|session| session["name"] == name).cloned()
    };
    for name in ["lead", "lead-anna", "lead-bert"] {
        until("the member of the team is there", || session(name).is_some());
        let pane = session(name).expect("a session")["windows"][0]["panes"][0]["pane_id"].clone();
        let (pane, name) = (pane.as_str().expect("an id").to_owned(), name.to_owned());
        // Identity as the model sees it: the pane and the session of one and the same reply.
        let told = |line: &str| line.contains(&pane) && line.contains(&name);
        until(&format!("the model of {name} is told who it is"), || {
            fs::read_to_string(&log).unwrap_or_default().lines().any(told)
        });
    }
    // It may ask whether auto mode is to be the default.
    stage.server.ok(&["send-input", "-t", &lead, "--key", "Escape"]);
    type_line("/exit");
    until("the team is closed", || {
        if stage.server.text(&lead).contains("1. Exit and stop tasks") {
            stage.server.ok(&["send-input", "-t", &lead, "--key", "Enter"]);
        }
        session("lead-anna").is_none() && session("lead-bert").is_none()
    });
    assert!(session("lead").is_some());
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn three_panes_of_the_real_codex_know_who_they_are_after_the_setup() {
    let mut stage = Stage::new();
    let log = stage.start_model();
    stage.sh("fugue setup codex --yes");
    // Codex asks the user about new hooks before it does anything else; this is not about hooks.
    fs::remove_file(stage.home(".codex/hooks.json")).expect("the hooks");
    for name in ["one", "two", "three"] {
        let line = format!("{}; codex '@call fugue_whoami {{}}'; exec cat", stage.environment());
        let pane = stage.server.session(name, &["bash", "-c", &line]);
        let session = format!("session_name\\\":\\\"{name}\\\"");
        let told = |line: &str| line.contains(&pane) && line.contains(&session);
        until(&format!("the model of {name} is told who it is"), || {
            fs::read_to_string(&log).unwrap_or_default().replace("\\\\\"", "\\\"").lines().any(told)
        });
    }
}
