//! `fugue setup` on the files of all four agents: what it adds, and that undoing it restores every byte.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
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
        let mut command = self.server.command(words);
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

    fn check(&self, agent: &str) -> Value {
        let ran = self.run(&["setup", "--check", "--json", agent]);
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

#[test]
fn undoing_the_setup_restores_every_byte_of_every_file() {
    for style in STYLES {
        let home = Home::new();
        FILES.iter().zip(style).for_each(|(name, text)| home.write(name, text));
        let before = home.all();
        let out = home.setup(&["--yes"]);
        assert!(AGENTS.iter().all(|agent| out.contains(&format!("{agent}: fugue is set up"))), "{out}");
        let after = home.all();
        assert!(before.iter().zip(&after).all(|(before, after)| before != after), "{after:?}");
        for agent in AGENTS {
            assert_eq!(home.check(agent)["result"], "ok", "{:?} {after:#?}", home.check(agent));
        }
        assert!(home.setup(&["all", "--yes"]).contains("codex: fugue is already set up"));
        assert_eq!(home.all(), after, "a second time changes nothing");
        let out = home.setup(&["--undo", "--yes"]);
        assert!(out.contains("gemini: removed fugue's entries"), "{out}");
        assert_eq!(home.all(), before);
        assert!(!home.path("config/opencode/plugins").exists());
        assert!(home.setup(&["--undo", "--yes"]).contains("claude: nothing to undo"));
    }
}

#[test]
fn files_and_directories_that_setup_created_are_gone_after_it_is_undone() {
    let home = Home::new();
    home.setup(&["--yes"]);
    let config: Value = serde_json::from_str(&home.read(".claude.json").expect("a file")).expect("JSON");
    assert_eq!(config["mcpServers"]["fugue"]["args"][0], "mcp", "{config}");
    let opencode = home.read("config/opencode/opencode.json").expect("a file");
    assert!(opencode.contains("\"local\""), "{opencode}");
    let plugin = home.read("config/opencode/plugins/fugue.js").expect("a plugin");
    assert!(plugin.contains(&format!("const FUGUE = {:?}", env!("CARGO_BIN_EXE_fugue"))), "{plugin}");
    let codex = home.read(".codex/config.toml").expect("a file");
    assert!(
        codex.contains("env_vars = [\"FUGUE_PANE_ID\", \"FUGUE_PANE_KEY\", \"FUGUE_SOCKET\"]"),
        "{codex}"
    );
    home.setup(&["--undo", "--yes"]);
    for name in [".claude.json", ".claude", ".codex", ".gemini", "config"] {
        assert!(!home.path(name).exists(), "{name} is still there");
    }
}

#[test]
fn in_a_file_that_was_edited_since_only_fugues_entries_are_removed() {
    let home = Home::new();
    FILES.iter().zip(STYLES[0]).for_each(|(name, text)| home.write(name, text));
    home.setup(&["--yes"]);
    let edits = [
        (".claude.json", "\"numStartups\": 5", "\"numStartups\": 6"),
        (".claude/settings.json", "\"theme\": \"dark\"", "\"theme\": \"light\""),
        (".codex/config.toml", "model = \"m\" # a comment", "model = \"n\" # another"),
        (".codex/hooks.json", "\"PostToolUse\": [", "\"PreToolUse\": [], \"PostToolUse\": ["),
        (".gemini/settings.json", "\"ui\": {}", "\"ui\": {\"x\": 1}"),
        ("config/opencode/opencode.jsonc", "\"mcp\": {", "\"theme\": \"x\", \"mcp\": {"),
    ];
    for (name, from, to) in edits {
        home.write(name, &home.read(name).expect("a file").replace(from, to));
    }
    home.setup(&["--undo", "--yes"]);
    for ((name, from, to), before) in edits.into_iter().zip(STYLES[0]) {
        assert_eq!(home.read(name).as_deref(), Some(before.replace(from, to).as_str()), "{name}");
    }
}

#[test]
fn a_file_that_cannot_be_edited_is_named_and_nothing_is_changed() {
    for (name, text, why) in [
        (".claude.json", "{\n\"a\": 1,,\n}", "invalid value on line 2"),
        (".gemini/settings.json", "{\"mcpServers\": []}", "\"mcpServers\" is not an object"),
        (".gemini/settings.json", "[]", "the document is not an object"),
        (".claude/settings.json", "{\"hooks\": {\"Stop\": 3}}", "\"hooks.Stop\" is not a list"),
        (".codex/config.toml", "model = \n", "on line 1"),
        (".codex/config.toml", "features = {}\n", "cannot be added to [features]"),
        (".codex/config.toml", "mcp_servers = {}\n", "[mcp_servers.fugue] cannot be appended to the file"),
        (
            ".claude.json",
            "{\"mcpServers\": {\"fugue\": {\"command\": \"other\"}}}",
            "runs `other`; rename or remove it",
        ),
    ] {
        let home = Home::new();
        FILES.iter().zip(STYLES[0]).for_each(|(name, text)| home.write(name, text));
        home.write(name, text);
        let before = home.all();
        let ran = home.run(&["setup", "--yes"]);
        assert_ne!(ran.code, 0, "{name} {text}");
        assert!(ran.err.contains(name) && ran.err.contains(why), "{text}: {}", ran.err);
        assert_eq!(home.all(), before, "{name}");
    }
}

#[test]
fn a_read_only_file_is_refused_and_no_other_file_is_changed() {
    let home = Home::new();
    FILES.iter().zip(STYLES[0]).for_each(|(name, text)| home.write(name, text));
    fs::set_permissions(home.path(".gemini/settings.json"), Permissions::from_mode(0o444)).expect("a mode");
    let before = home.all();
    let ran = home.run(&["setup", "--yes"]);
    assert!(ran.err.contains(".gemini/settings.json is read-only"), "{ran:?}");
    assert_eq!(home.all(), before);
    home.setup(&["claude", "--yes"]);
    assert_ne!(home.all(), before, "the others can still be set up");
}

#[test]
fn a_link_stays_a_link_and_a_file_keeps_its_mode() {
    let home = Home::new();
    home.write("dotfiles/claude.json", "{\"a\": 1}\n");
    fs::set_permissions(home.path("dotfiles/claude.json"), Permissions::from_mode(0o640)).expect("a mode");
    symlink("dotfiles/claude.json", home.path(".claude.json")).expect("a link");
    home.setup(&["claude", "--yes"]);
    let check = |text: &str| {
        assert!(fs::symlink_metadata(home.path(".claude.json")).expect("a link").is_symlink());
        let mode = fs::metadata(home.path("dotfiles/claude.json")).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert!(home.read("dotfiles/claude.json").expect("a file").contains(text));
    };
    check("mcpServers");
    home.setup(&["claude", "--undo", "--yes"]);
    check("{\"a\": 1}\n");
}

#[test]
fn setups_at_the_same_time_wait_for_each_other_and_are_undone_as_one() {
    for style in [STYLES[0], STYLES[2]] {
        let home = Home::new();
        // Some files exist, and some do not.
        FILES.iter().zip(style).skip(2).for_each(|(name, text)| home.write(name, text));
        let before = home.all();
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| home.setup(&["--yes"]))));
        });
        assert_eq!(home.run(&["setup", "--check"]).code, 0);
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| home.setup(&["--undo", "--yes"]))));
        });
        assert_eq!(home.all(), before);
    }
}

#[test]
fn a_setup_waits_for_one_that_is_running() {
    let home = Home::new();
    home.setup(&["--yes"]);
    let lock = fs::File::open(home.path("state/fugue/setup/.lock")).expect("a lock");
    lock.lock().expect("locked");
    let mut command = home.server.command(&["setup", "--undo", "--yes"]);
    command.env("PATH", home.path("bin")).stdout(std::process::Stdio::null());
    let mut undo = command.spawn().expect("the binary runs");
    fugue_testkit::until("it waits for the lock", || {
        let waiters = fs::read_to_string("/proc/locks").expect("the locks");
        waiters.lines().any(|line| line.contains("->") && line.contains(&undo.id().to_string()))
    });
    assert!(home.read(".claude.json").is_some_and(|text| text.contains("fugue")), "nothing is undone yet");
    drop(lock);
    assert!(undo.wait().expect("its end").success());
    assert_eq!(home.read(".claude.json"), None);
}

#[test]
fn a_fifo_or_a_device_in_the_place_of_a_file_is_refused() {
    for name in FILES {
        let home = Home::new();
        let path = home.path(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        let ran = home.run(&["setup", "--yes"]);
        let is_opencode = name.contains("opencode");
        // OpenCode has several names for its file, and only a file counts.
        assert!(is_opencode || ran.code != 0 && ran.err.contains("not a regular file"), "{name}: {ran:?}");
        fs::remove_file(&path).expect("removed");
        symlink("/dev/zero", &path).expect("a link");
        let ran = home.run(&["setup", "--check"]);
        assert!(is_opencode || ran.out.contains("not a regular file"), "{name}: {ran:?}");
    }
}

#[test]
fn an_entry_that_is_switched_off_is_reported() {
    for (agent, name, text, why) in [
        ("codex", ".codex/config.toml", "enabled = false\n", "(\"enabled\" is false)"),
        ("claude", ".claude/settings.json", "{\"disableAllHooks\": true}", "disableAllHooks"),
        ("gemini", ".gemini/settings.json", "{\"hooksConfig\": {\"enabled\": false}}", "hooksConfig.enabled"),
        (
            "opencode",
            "config/opencode/opencode.jsonc",
            "{\"mcp\": {\"fugue\": {\"command\": [\"fugue\", \"mcp\"], \"enabled\": false}}}",
            "(\"enabled\" is false)",
        ),
    ] {
        let home = Home::new();
        if agent == "codex" {
            home.setup(&["--yes"]);
            let set_up = home.read(name).expect("a file");
            home.write(
                name,
                &set_up.replacen("[mcp_servers.fugue]\n", &format!("[mcp_servers.fugue]\n{text}"), 1),
            );
        } else {
            home.write(name, text);
            home.setup(&["--yes"]);
        }
        let check = home.check(agent);
        assert!(check["finding"].as_str().is_some_and(|finding| finding.contains(why)), "{check}");
        assert_eq!(home.run(&["setup", "--check", agent]).code, 1);
    }
}

#[test]
fn without_a_terminal_or_yes_the_changes_are_shown_but_not_made() {
    let home = Home::new();
    home.write(".claude/settings.json", "{\n  \"theme\": \"dark\"\n}\n");
    let before = home.all();
    let ran = home.run(&["setup", "claude"]);
    assert!(ran.code != 0 && ran.err.contains("--yes"), "{ran:?}");
    assert!(ran.out.contains("+  \"hooks\": {") && ran.out.contains("+++ "), "{}", ran.out);
    let dry = home.setup(&["claude", "--dry-run"]);
    assert_eq!(dry, ran.out, "the same changes");
    assert_eq!(home.all(), before);
}

#[test]
fn on_a_terminal_the_user_is_asked() {
    let home = Home::new();
    let path = home.path("bin");
    let variables = [("PATH", path.to_str().expect("UTF-8"))];
    for (answer, set_up) in [("n\r", false), ("\r", false), ("y\r", true)] {
        let mut terminal = home.server.terminal_with(&["setup", "claude"], 100, 30, &variables);
        terminal.shows("Make these changes? [y/N]");
        terminal.send(answer);
        assert_eq!(terminal.wait_for_exit(), 0);
        assert_eq!(home.path(".claude.json").exists(), set_up, "{answer:?}");
    }
}

#[test]
fn a_plugin_and_plain_entries_exclude_each_other() {
    let home = Home::new();
    home.setup(&["claude", "--yes"]);
    let ran = home.run(&["setup", "claude", "--plugin", "--yes"]);
    assert!(ran.err.contains("fugue setup claude --undo"), "{ran:?}");
    home.setup(&["claude", "--undo", "--yes"]);
    home.write(".claude/settings.json", "{\"enabledPlugins\": {\"fugue@fugue\": true}}");
    assert_eq!(home.check("claude")["finding"], "fugue is set up (plugin)");
    assert!(home.setup(&["claude", "--yes"]).contains("claude: fugue is already set up"));
    assert!(!home.path(".claude.json").exists());
    assert!(home.run(&["setup", "codex", "--plugin", "--yes"]).err.contains("Only claude and gemini"));
}

#[test]
fn the_entries_of_a_user_are_left_alone() {
    let home = Home::new();
    let own = "{\"mcpServers\": {\"fugue\": {\"command\": \"/opt/fugue\", \"args\": [\"mcp\", \"--tools\", \"all\"]}}}";
    home.write(".claude.json", own);
    home.setup(&["claude", "--yes"]);
    assert_eq!(home.read(".claude.json").as_deref(), Some(own));
    home.setup(&["claude", "--undo", "--yes", "--dry-run"]);
    home.write(".codex/config.toml", "[mcp_servers.fugue]\ncommand = \"fugue\"\nargs = [\"mcp\"]\n");
    assert!(home.check("codex")["finding"].as_str().expect("a finding").contains("variables"));
    home.setup(&["codex", "--yes"]);
    assert!(home.read(".codex/config.toml").expect("a file").contains("FUGUE_PANE_KEY"));
}

#[test]
fn the_check_and_the_doctor_say_what_is_missing_and_how_to_add_it() {
    let home = Home::new();
    let ran = home.run(&["setup", "--check"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.out.contains("missing: the MCP server in ") && ran.out.contains("fix: fugue setup codex"),
        "{}",
        ran.out
    );
    home.write(
        ".claude.json",
        "{\"mcpServers\": {\"fugue\": {\"command\": \"fugue\", \"args\": [\"mcp\"]}}}",
    );
    assert!(
        home.check("claude")["finding"].as_str().expect("a finding").starts_with("missing: the hooks in ")
    );
    assert!(home.run(&["doctor"]).out.contains("fix: fugue setup gemini"));
    home.setup(&["--yes"]);
    assert_eq!(home.run(&["setup", "--check"]).code, 0);
    home.write(".claude/settings.json", "{");
    assert_eq!(home.check("claude")["result"], "problem");
    let home = Home::new();
    fs::remove_file(home.path("bin/codex")).expect("removed");
    assert!(!home.run(&["doctor"]).out.contains("codex"), "it is not installed");
    assert!(home.run(&["setup", "codex", "--yes"]).err.contains("codex was not found on PATH"));
}

#[test]
fn the_plugin_of_opencode_is_missed_renewed_and_removed_and_another_file_of_its_name_is_left_alone() {
    let (home, path) = (Home::new(), "config/opencode/plugins/fugue.js");
    home.write("config/opencode/plugins/mine.js", "// mine\n");
    home.setup(&["opencode", "--yes"]);
    let written = home.read(path).expect("a plugin");
    fs::remove_file(home.path(path)).expect("removed");
    let finding = home.check("opencode")["finding"].as_str().expect("a finding").to_owned();
    assert!(finding.starts_with("missing: the plugin in ") && finding.ends_with(path), "{finding}");
    home.setup(&["opencode", "--yes"]);
    home.write(path, &written.replace("RESTART_MS", "OLDER_NAME"));
    home.setup(&["opencode", "--yes"]);
    assert_eq!(home.read(path), Some(written.clone()), "an older version is replaced");
    home.write(path, &format!("{written}// edited\n"));
    home.setup(&["opencode", "--undo", "--yes"]);
    assert!(!home.path(path).exists() && home.path("config/opencode/plugins/mine.js").exists());
    home.write(path, "export const Other = async () => ({})\n");
    let ran = home.run(&["setup", "opencode", "--yes"]);
    assert!(ran.err.contains("it is not fugue's plugin; rename or remove it"), "{ran:?}");
    assert!(!home.path("config/opencode/opencode.json").exists(), "no other file is changed");
}

#[test]
fn entries_that_setup_wrote_follow_a_fugue_that_moved() {
    let home = Home::new();
    let before = "{\n  \"theme\": \"dark\"\n}\n";
    home.write(".gemini/settings.json", before);
    home.setup(&["gemini", "--yes"]);
    assert!(home.read(".gemini/settings.json").expect("a file").contains(env!("CARGO_BIN_EXE_fugue")));
    symlink(env!("CARGO_BIN_EXE_fugue"), home.path("bin/fugue")).expect("a link");
    home.setup(&["gemini", "--yes"]);
    let text = home.read(".gemini/settings.json").expect("a file");
    assert!(text.contains("\"fugue hook gemini\"") && !text.contains(env!("CARGO_BIN_EXE_fugue")), "{text}");
    home.setup(&["gemini", "--undo", "--yes"]);
    assert_eq!(home.read(".gemini/settings.json").as_deref(), Some(before));
}
