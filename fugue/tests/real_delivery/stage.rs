//! A stage for the real agents: their programs, a home of their own, and a scripted model whose log says what it saw.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fugue_testkit::{TestServer, agent_stage, until};
use serde_json::{Value, json};

pub(crate) const FUGUE: &str = env!("CARGO_BIN_EXE_fugue");

/// The model answers at once, unless a prompt says otherwise.
const BASE_DELAY: &str = "0.2";

/// A daemon, and a model for the agents in its panes.
pub(crate) struct Stage {
    pub(crate) server: TestServer,
    kit: PathBuf,
    directory: tempfile::TempDir,
    port: u16,
    model: Child,
}

impl Stage {
    /// A stage; `FUGUE_STAGE_KIT` is the directory of the script `stage`, and `FUGUE_STAGE` one prepared by `stage install`.
    pub(crate) fn open() -> Self {
        let (kit, programs) = agent_stage();
        let directory = tempfile::tempdir().expect("a directory");
        symlink(programs.join("node_modules"), directory.path().join("node_modules")).expect("the programs");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
        let port = free.port();
        let home = Command::new(kit.join("stage"))
            .arg("home")
            .arg(directory.path())
            .args([&port.to_string(), FUGUE, "mcp"])
            .status();
        assert!(home.is_ok_and(|home| home.success()), "the agents' home");
        let model = Command::new("python3")
            .arg(kit.join("scene_llm.py"))
            .arg(port.to_string())
            .arg(directory.path().join("model.jsonl"))
            .env("BASE_DELAY", BASE_DELAY)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a model");
        until("the model listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        let stage = Self { server: TestServer::new(FUGUE), kit, directory, port, model };
        stage.configure();
        stage
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    fn configure(&self) {
        let home = self.path().join("home");
        let model = json!({
            "npm": "@ai-sdk/openai-compatible", "name": "mock", "models": { "m": { "name": "m", "tool_call": true } },
            "options": { "baseURL": format!("http://127.0.0.1:{}/v1", self.port), "apiKey": "none" },
        });
        let fugue = json!({ "type": "local", "command": [FUGUE, "mcp"], "enabled": true });
        let opencode = json!({
            "mcp": { "fugue": fugue }, "provider": { "mock": model }, "model": "mock/m", "permission": { "bash": "ask" },
        });
        fs::write(home.join(".config/opencode/opencode.json"), opencode.to_string()).expect("written");
        let plugin = self.server.ok(&["hook", "opencode", "--settings"]);
        let plugin = plugin.replace("FUGUE = \"fugue\"", &format!("FUGUE = {FUGUE:?}"));
        fs::create_dir_all(home.join(".config/opencode/plugins")).expect("a directory");
        fs::write(home.join(".config/opencode/plugins/fugue.js"), plugin).expect("written");
        // With a plugin, OpenCode installs packages before it is ready; it does not if they are there.
        let packages =
            self.path().join("node_modules").canonicalize().expect("a link").join("../opencode-config");
        for entry in fs::read_dir(packages).into_iter().flatten().flatten() {
            symlink(entry.path(), home.join(".config/opencode").join(entry.file_name())).expect("a link");
        }
        edit(&home.join(".gemini/settings.json"), |settings| settings["hooks"] = self.hooks("gemini"));
        edit(&home.join(".claude.json"), |settings| {
            settings["hasSeenFullscreenUpsell"] = json!(true);
            settings["fullscreenUpsellSeenCount"] = json!(99);
        });
        fs::create_dir_all(home.join(".claude")).expect("a directory");
        let claude = json!({ "tui": "default", "hooks": self.hooks("claude") });
        fs::write(home.join(".claude/settings.json"), claude.to_string()).expect("written");
        fs::create_dir_all(self.path().join("other")).expect("a directory");
    }

    /// The hooks that `fugue setup` writes for an agent. Codex would ask about them at each start.
    fn hooks(&self, agent: &str) -> Value {
        let settings = self.server.ok(&["hook", agent, "--settings"]);
        let settings = settings.replace("fugue hook", &format!("{FUGUE} hook"));
        serde_json::from_str::<Value>(&settings).expect("JSON")["hooks"].clone()
    }

    /// Makes the agents ask before they run a command, where that is not a flag of theirs.
    pub(crate) fn ask_before_commands(&self) {
        let path = self.path().join("home/.codex/config.toml");
        let text = fs::read_to_string(&path).expect("its configuration");
        let text = text.replace("approval_policy = \"never\"", "approval_policy = \"on-request\"");
        let text =
            text.replace("sandbox_mode = \"danger-full-access\"", "sandbox_mode = \"workspace-write\"");
        fs::write(path, text).expect("written");
    }

    /// Makes the agents ask at their start: whether a directory is trusted, or about hooks that they have not seen.
    pub(crate) fn ask_at_the_start(&self) {
        edit(&self.path().join("home/.gemini/settings.json"), |settings| {
            settings["security"]["folderTrust"]["enabled"] = json!(true);
        });
        self.give_codex_hooks();
    }

    /// Gives Codex the hooks that `fugue setup` writes. It asks whether they are trusted.
    pub(crate) fn give_codex_hooks(&self) {
        let hooks = serde_json::json!({ "hooks": self.hooks("codex") });
        fs::write(self.path().join("home/.codex/hooks.json"), hooks.to_string()).expect("written");
    }

    /// The shell line that starts an agent in a directory below the stage.
    pub(crate) fn line(&self, command: &str, directory: &str) -> String {
        let (kit, stage, port) = (self.kit.display(), self.path().display(), self.port);
        format!(
            "eval \"$({kit}/stage env {stage} {port})\"; unset XDG_CONFIG_HOME XDG_STATE_HOME; \
             cd {stage}/{directory}; {command}"
        )
    }

    /// Starts an agent in a session of its own. Returns its pane.
    pub(crate) fn start(&self, name: &str, command: &str, directory: &str) -> String {
        self.server.session(name, &["bash", "-c", &self.line(&format!("exec {command}"), directory)])
    }

    /// The environment of the agents, as `NAME=VALUE`.
    pub(crate) fn environment(&self) -> Vec<String> {
        let script = self.line("unset PWD OLDPWD SHLVL _; env -0", "proj");
        let printed = Command::new("bash").args(["-c", &script]).output().expect("bash runs").stdout;
        let home = self.path().join("home");
        let own = format!("XDG_CONFIG_HOME={}/.config", home.display());
        let printed = String::from_utf8(printed).expect("text");
        let agents = printed.split('\0').filter(|entry| {
            ["HOME=", "PATH=", "ANTHROPIC", "OPENAI", "GEMINI", "GOOGLE", "CLAUDE", "DISABLE"]
                .iter()
                .any(|name| entry.starts_with(name))
        });
        agents.map(str::to_owned).chain([own]).collect()
    }

    /// Starts an agent as the program of a pane that is kept when it ends. Returns the pane.
    pub(crate) fn start_directly(&self, name: &str, command: &str) -> String {
        let environment = self.environment();
        let (mut words, directory) =
            (vec!["new", "-d", "-s", name, "--on-exit", "keep"], self.path().join("proj"));
        words.extend(["--cwd", directory.to_str().expect("a path")]);
        environment.iter().for_each(|entry| words.extend(["-e", entry]));
        let program = self.path().join("node_modules/.bin").join(command).display().to_string();
        words.push("--");
        words.extend(program.split(' '));
        self.server.json(&words)["pane_id"].as_str().expect("a pane").to_owned()
    }

    /// Waits for what an agent shows when it is ready. Some take minutes to start on a busy machine.
    pub(crate) fn wait_for_start(&self, pane: &str, pattern: &str) {
        self.server.run(&["wait", "-t", pane, "--match", pattern, "--timeout-ms", "100000"]);
        self.server.wait_for(pane, pattern);
    }

    /// The requests that the model got, with their times.
    pub(crate) fn requests(&self) -> Vec<(f64, Value)> {
        let log = fs::read_to_string(self.path().join("model.jsonl")).unwrap_or_default();
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let posts = lines.filter(|line| line["kind"] == "POST");
        posts.filter_map(|mut line| Some((line["t"].as_f64()?, line["body"].take()))).collect()
    }
}

fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value = serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON");
    change(&mut value);
    fs::write(path, value.to_string()).expect("written");
}

impl Drop for Stage {
    fn drop(&mut self) {
        // The background server of Codex outlives its panes.
        let stop = self.line("codex app-server daemon stop >/dev/null 2>&1", "proj");
        let _ = Command::new("bash").args(["-c", &stop]).status();
        let _ = self.model.kill();
        let _ = self.model.wait();
    }
}

/// Whether a value contains a text that fits.
pub(crate) fn has_text(value: &Value, fits: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => fits(text),
        Value::Array(values) => values.iter().any(|value| has_text(value, fits)),
        Value::Object(fields) => fields.values().any(|value| has_text(value, fits)),
        _ => false,
    }
}

/// Waits for something that need not happen.
pub(crate) fn happens(within: Duration, holds: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < within {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    holds()
}
