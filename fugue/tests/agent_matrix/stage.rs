//! A stage for the real agents: their homes, and the scripted model.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use fugue_testkit::{agent_stage, until};
use serde_json::json;

/// The agents' programs, an isolated home and the model.
pub(super) struct Stage {
    programs: PathBuf,
    home: tempfile::TempDir,
    port: u16,
    model: Child,
}

impl Stage {
    /// The stage that the environment names.
    pub(super) fn from_environment() -> Self {
        let (kit, installed) = agent_stage();
        let programs = installed.join("node_modules/.bin");
        let home = tempfile::Builder::new().prefix("agents").tempdir().expect("a home");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = free.expect("a free port").port();
        let model = Command::new("python3")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agent_matrix/say_model.py"))
            .arg(kit.join("scene_llm.py"))
            .args([port.to_string().as_ref(), home.path().join("model.jsonl").as_os_str()])
            .spawn()
            .expect("the model");
        until("the model listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        let stage = Self { programs, home, port, model };
        stage.write_settings();
        let packages = stage.programs.join("../../opencode-config");
        link_entries(&packages, &stage.directory(".config/opencode"));
        stage
    }

    /// A directory in the home.
    pub(super) fn directory(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The shell commands that give a pane the agents' environment.
    pub(super) fn environment(&self) -> String {
        let (home, programs, port) = (self.home.path().display(), self.programs.display(), self.port);
        format!(
            "export HOME={home} PATH={programs}:$PATH ANTHROPIC_BASE_URL=http://127.0.0.1:{port} \
             ANTHROPIC_API_KEY={KEY} OPENAI_API_KEY=none GEMINI_API_KEY=none \
             GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:{port} DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 \
             CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1; \
             unset XDG_CONFIG_HOME XDG_STATE_HOME http_proxy https_proxy; clear"
        )
    }

    fn write_settings(&self) {
        let (home, port) = (self.home.path(), self.port);
        let project = home.join("proj").display().to_string();
        for directory in [
            "proj",
            "strange/.codex",
            ".codex",
            ".codex-new",
            ".gemini",
            ".claude",
            ".config/opencode/plugins",
        ] {
            fs::create_dir_all(home.join(directory)).expect("a directory");
        }
        let trusted = json!({ "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true });
        let approved = json!({ "approved": [&KEY[KEY.len() - 20..]], "rejected": [] });
        let claude = json!({
            "hasCompletedOnboarding": true, "theme": "dark", "numStartups": 5,
            "customApiKeyResponses": approved, "projects": { project.as_str(): trusted },
        });
        write(home, ".claude.json", &claude.to_string());
        write(home, ".claude/settings.json", &json!({ "tui": "default" }).to_string());
        let codex = format!(
            "model = \"gpt-5.5-codex\"\nmodel_provider = \"mock\"\napproval_policy = \"on-request\"\n\
             sandbox_mode = \"workspace-write\"\n[model_providers.mock]\nname = \"mock\"\n\
             base_url = \"http://127.0.0.1:{port}/v1\"\nwire_api = \"responses\"\n\
             [projects.{project:?}]\ntrust_level = \"trusted\"\n"
        );
        write(home, ".codex/config.toml", &codex);
        // Codex asks whether a directory is trusted if it has settings, and the user has none about that.
        let undecided =
            codex.replace("approval_policy = \"on-request\"\nsandbox_mode = \"workspace-write\"\n", "");
        write(home, ".codex-new/config.toml", &undecided);
        write(home, "strange/.codex/config.toml", "model_reasoning_effort = \"low\"\n");
        fs::create_dir_all(home.join("strange/.git/objects")).expect("a directory");
        fs::create_dir_all(home.join("strange/.git/refs")).expect("a directory");
        write(home, "strange/.git/HEAD", "ref: refs/heads/main\n");
        let plans = format!(".gemini/tmp/proj/{GEMINI_SESSION}/plans");
        fs::create_dir_all(home.join(&plans)).expect("a directory");
        write(home, &format!("{plans}/plan.md"), "# Paint it red\n\n- all of it\n");
        write(home, ".gemini/tmp/proj/.project_root", &project);
        write(
            home,
            ".gemini/projects.json",
            &json!({ "projects": { project.as_str(): "proj" } }).to_string(),
        );
        let security =
            json!({ "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": true } });
        let quiet = json!({ "enableAutoUpdate": false, "enableAutoUpdateNotification": false });
        let settings = json!({ "security": security, "general": quiet, "experimental": { "plan": true } });
        write(home, ".gemini/settings.json", &settings.to_string());
        write(home, ".gemini/trustedFolders.json", &json!({ project.as_str(): "TRUST_FOLDER" }).to_string());
        let model = json!({
            "npm": "@ai-sdk/openai-compatible", "name": "mock", "models": { "m": { "name": "m", "tool_call": true } },
            "options": { "baseURL": format!("http://127.0.0.1:{port}/v1"), "apiKey": "none" },
        });
        let opencode = json!({
            "model": "mock/m", "small_model": "mock/m", "autoupdate": false,
            "permission": { "bash": "ask", "edit": "ask" }, "provider": { "mock": model },
        });
        write(home, ".config/opencode/opencode.json", &opencode.to_string());
        let plugin = include_str!("../../../plugins/opencode/fugue.js");
        let command = format!("FUGUE = {:?}", env!("CARGO_BIN_EXE_fugue"));
        write(home, ".config/opencode/plugins/fugue.js", &plugin.replace("FUGUE = \"fugue\"", &command));
        write(home, "start.sh", "#!/bin/sh\necho starting\n\"$@\"\n");
    }

    /// Gives Codex a hook that nobody has reviewed, or takes it away.
    pub(super) fn set_codex_hook(&self, on: bool) {
        let hook = json!({ "type": "command", "command": "true", "timeout": 5 });
        let hooks = json!({ "hooks": { "SessionStart": [{ "hooks": [hook] }] } });
        match on {
            true => write(self.home.path(), ".codex/hooks.json", &hooks.to_string()),
            false => fs::remove_file(self.directory(".codex/hooks.json")).unwrap_or_default(),
        }
    }
}

/// The session of Gemini CLI that has a plan.
pub(super) const GEMINI_SESSION: &str = "22222222-2222-4333-8444-555555555555";

/// Any key will do.
const KEY: &str = "sk-dummy-0123456789-stage";

fn write(home: &Path, name: &str, text: &str) {
    fs::write(home.join(name), text).expect("a settings file");
}

/// Links what is in a directory, if it exists. With a plugin, OpenCode installs packages before it is ready; it does not
/// if they are there.
fn link_entries(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).into_iter().flatten().flatten() {
        std::os::unix::fs::symlink(entry.path(), to.join(entry.file_name())).expect("a link");
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.model.kill();
        let _ = self.model.wait();
    }
}
