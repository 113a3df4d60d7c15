//! Undoing the setup.

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
