//! Undoing the setup.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::{AGENTS, FILES, Home, STYLES};

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
        assert!(out.contains("gemini: removed the entries that setup added"), "{out}");
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
        // An object on one line is spread over lines when something is added to it.
        let text = if name == ".codex/hooks.json" { without_spread(&home, name) } else { home.read(name) };
        assert_eq!(text.as_deref(), Some(before.replace(from, to).as_str()), "{name}");
    }
}

fn without_spread(home: &Home, name: &str) -> Option<String> {
    Some(home.read(name)?.lines().map(str::trim).collect())
}

/// An entry of the user, with an environment of its own, in each agent's file.
const HAND_WRITTEN: [(&str, &str, &str); 5] = [
    (
        "claude",
        ".claude.json",
        "{\"mcpServers\": {\"fugue\": {\"command\": \"fugue\", \"args\": [\"mcp\"], \"env\": {\"X\": \"1\"}}}}",
    ),
    (
        "claude",
        ".claude/settings.json",
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"fugue hook claude\"}]}]}}",
    ),
    (
        "codex",
        ".codex/config.toml",
        "[mcp_servers.fugue]\ncommand = \"fugue\"\nargs = [\"mcp\"]\nenv_vars = [\"FUGUE_PANE_ID\", \"FUGUE_PANE_KEY\", \"FUGUE_SOCKET\"]\n",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\"mcpServers\": {\"fugue\": {\"command\": \"fugue\", \"args\": [\"mcp\"]}}}",
    ),
    (
        "opencode",
        "config/opencode/opencode.jsonc",
        "{\"mcp\": {\"fugue\": {\"type\": \"local\", \"command\": [\"fugue\", \"mcp\"], \"environment\": {\"X\": \"1\"}}}}",
    ),
];

#[test]
fn an_entry_that_the_user_wrote_is_never_removed() {
    for (agent, name, text) in HAND_WRITTEN {
        let home = Home::new();
        home.write(name, text);
        let out = home.setup(&[agent, "--undo", "--yes"]);
        assert!(out.contains("nothing to undo") && out.contains("no record of adding it"), "{out}");
        assert!(out.contains(name) && out.contains("remove it yourself"), "{out}");
        assert_eq!(home.read(name).as_deref(), Some(text), "undone without a setup");
        home.setup(&[agent, "--yes"]);
        let out = home.setup(&[agent, "--undo", "--yes"]);
        assert!(out.contains("left "), "{out}");
        assert_eq!(home.read(name).as_deref(), Some(text), "set up, then undone");
    }
}

#[test]
fn an_entry_that_was_changed_since_is_left_and_named() {
    let home = Home::new();
    home.setup(&["--yes"]);
    let changes = [
        (".claude.json", "\"env\": {}", "\"env\": {\"X\": \"1\"}"),
        (".codex/config.toml", "tool_timeout_sec = 120", "tool_timeout_sec = 60"),
        (".gemini/settings.json", "\"small\"]", "\"all\"]"),
        ("config/opencode/opencode.json", "\"enabled\": true", "\"enabled\": false"),
    ];
    for (name, from, to) in changes {
        let text = home.read(name).expect("a file");
        assert!(text.contains(from), "{text}");
        home.write(name, &text.replace(from, to));
    }
    let again = home.all();
    home.setup(&["--yes"]);
    assert_eq!(home.all(), again, "setup does not overwrite them either");
    let dry = home.setup(&["--undo", "--dry-run", "--json"]);
    assert_eq!(dry.matches("\"leave\"").count(), changes.len(), "{dry}");
    let out = home.setup(&["--undo", "--yes"]);
    assert_eq!(out.matches("it was changed since setup added it").count(), changes.len(), "{out}");
    for (name, _, to) in changes {
        let text = home.read(name).expect("the file is kept for the entry");
        assert!(text.contains(to) && !text.contains("hook"), "{text}");
        assert!(!text.contains("daemon_auto_start"), "{text}");
    }
}

#[test]
fn a_setup_that_is_only_told_by_an_older_record_is_undone_and_one_of_a_newer_fugue_is_refused() {
    let home = Home::new();
    home.write(".gemini/settings.json", "{\n  \"a\": 1\n}\n");
    home.setup(&["gemini", "--yes"]);
    home.edit_record("settings.json", |record| {
        assert!(record.starts_with("{\"version\":1,"), "{record}");
        record.replace("{\"version\":1,", "{\"version\":2,")
    });
    let set_up = home.all();
    for words in [["setup", "gemini", "--yes"].as_slice(), &["setup", "gemini", "--undo", "--yes"]] {
        let ran = home.run(words);
        assert!(ran.code != 0 && ran.err.contains("a newer version of fugue wrote it"), "{ran:?}");
        assert_eq!(home.all(), set_up);
    }
    home.edit_record("settings.json", |record| record.replace("{\"version\":2,", "{"));
    home.setup(&["gemini", "--undo", "--yes"]);
    assert_eq!(home.read(".gemini/settings.json").as_deref(), Some("{\n  \"a\": 1\n}\n"));
}

#[test]
fn the_records_can_be_read_only_by_the_user() {
    let home = Home::new();
    home.write(".claude.json", "{\"token\": \"secret\"}");
    home.setup(&["claude", "--yes"]);
    for record in fs::read_dir(home.path("state/fugue/setup")).expect("the records") {
        let mode = record.expect("a record").metadata().expect("its mode").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_file_of_the_user_stays_even_if_nothing_is_left_in_it() {
    let home = Home::new();
    home.write(".codex/config.toml", "");
    home.setup(&["codex", "--yes"]);
    home.write(".codex/config.toml", &(home.read(".codex/config.toml").expect("a file") + "# mine\n"));
    home.write(
        ".codex/config.toml",
        &home.read(".codex/config.toml").expect("a file").replace("# mine\n", "\n"),
    );
    home.setup(&["codex", "--undo", "--yes"]);
    let text = home.read(".codex/config.toml").expect("it stays");
    assert_eq!(text.trim(), "");
    assert!(!home.path(".codex/hooks.json").exists(), "setup created it");
}
