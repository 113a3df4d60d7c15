//! `fugue setup` on the files of all four agents: what it adds, and that undoing it restores every byte.

mod concurrency;
mod entries;
mod off_switches;
mod undo;
mod unusual_files;

use std::fs;
use std::path::PathBuf;

use fugue_testkit::{CommandOutput, TestServer};
use serde_json::Value;

const AGENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// The files that setup changes.
const FILES: [&str; 6] = [
    ".claude.json",
    ".claude/settings.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".gemini/settings.json",
    "config/opencode/opencode.jsonc",
];

/// A home directory in which all agents are installed.
struct Home {
    server: TestServer,
}

impl Home {
    fn new() -> Self {
        let home = Self { server: TestServer::new(env!("CARGO_BIN_EXE_fugue")) };
        for agent in AGENTS {
            home.write(&format!("bin/{agent}"), "#!/bin/sh\n");
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.server.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("written");
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    fn all(&self) -> Vec<Option<String>> {
        FILES.iter().map(|name| self.read(name)).collect()
    }

    fn run(&self, words: &[&str]) -> CommandOutput {
        self.run_in("", words)
    }

    /// Runs a command in a directory below the home directory.
    fn run_in(&self, directory: &str, words: &[&str]) -> CommandOutput {
        let mut command = self.server.command(words);
        command.current_dir(self.path(directory));
        command.env("PATH", self.path("bin"));
        let ran = command.output().expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        CommandOutput { code: ran.status.code().unwrap_or(-1), out: text(ran.stdout), err: text(ran.stderr) }
    }

    /// Runs a command that must succeed.
    fn setup(&self, words: &[&str]) -> String {
        let ran = self.run(&[&["setup"], words].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        ran.out
    }

    /// Changes the record of what setup did to a file.
    fn edit_record(&self, name: &str, edit: impl Fn(&str) -> String) {
        let records = fs::read_dir(self.path("state/fugue/setup")).expect("the records");
        let mut paths = records.map(|record| record.expect("a record").path());
        let path = paths.find(|path| path.to_string_lossy().ends_with(name)).expect("its record");
        let text = fs::read_to_string(&path).expect("a record");
        fs::write(path, edit(&text)).expect("written");
    }

    /// Returns the first thing that is reported about an agent.
    fn check(&self, agent: &str) -> Value {
        self.check_in("", agent)
    }

    fn check_in(&self, directory: &str, agent: &str) -> Value {
        let ran = self.run_in(directory, &["setup", "--check", "--json", agent]);
        let checks: Value = serde_json::from_str(&ran.out).expect("JSON");
        checks[0].clone()
    }
}

/// Settings as users have them: with comments, in several styles, and empty.
const STYLES: [[&str; 6]; 4] = [
    [
        "{\n  \"numStartups\": 5,\n  \"projects\": {\n    \"/w\": {\n      \"history\": []\n    }\n  }\n}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"say done\"\n          }\n        ]\n      }\n    ]\n  },\n  \"theme\": \"dark\"\n}\n",
        "# my settings\nmodel = \"m\" # a comment\n\n[mcp_servers.docs] # mine\ncommand = \"docs\"\n\n\n[projects.\"/w\"]\ntrust_level = \"trusted\"\n",
        "{\"hooks\": {\"PostToolUse\": []}}",
        "// comments are allowed\n{\n\t\"mcpServers\": {\n\t\t\"docs\": {\"command\": \"docs\"} // mine\n\t},\n\t/* and here */\n\t\"ui\": {},\n}\n",
        "{\n    \"$schema\": \"https://opencode.ai/config.json\",\n    \"mcp\": {\n        // \"off\": {},\n    },\n}\n",
    ],
    [
        "{\"numStartups\":5,\"mcpServers\":{}}",
        "{\r\n   \"theme\": \"dark\", // why\r\n   \"permissions\": {\"allow\": [\"Bash(ls)\"]}\r\n}\r\n",
        "model = \"m\"\r\n[features]\r\nx = true # mine\r\n[mcp_servers]\r\n[mcp_servers.a]\r\ncommand = \"a\"",
        "{}",
        "{ }",
        "\u{feff}{\"theme\": \"system\"}",
    ],
    ["{\n}", "{}\n", "", "\n", "", "{\"mcp\": {\"x\": {\"type\": \"local\", \"command\": [\"x\"]}}}"],
    [
        "{\"mcpServers\": {\"a\": {\"command\": \"a\", \"args\": [\"b c\", \"}\"]}}, \"x\": [1, [2, {}]]}\n\n\n",
        "{\"hooks\":{\"SessionStart\":[{\"matcher\":\"*\",\"hooks\":[]}]}}",
        "mcp_servers.docs.command = \"docs\"\nnotify = [\n  \"a\", # b\n]\n\n",
        "  {\n  \"hooks\":\n  {\n  }\n  }",
        "{\n \"hooks\": {\"AfterTool\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
        "/* one line */ {\"mcp\":{},\"y\":\"// no comment\"}",
    ],
];
