//! The entries of setup and those of the user.

use std::fs;
use std::os::unix::fs::symlink;

use super::Home;

#[test]
fn without_a_terminal_or_yes_the_changes_are_shown_but_not_made() {
    let home = Home::new();
    home.write(".claude/settings.json", "{\n  \"theme\": \"dark\"\n}\n");
    let before = home.all();
    let ran = home.run(&["setup", "claude"]);
    assert!(ran.code != 0 && ran.err.contains("--yes"), "{ran:?}");
    let summary = "claude    ~/.claude.json: create the file, add mcpServers.fugue\n\
                   claude    ~/.claude/settings.json: add hooks for SessionStart, UserPromptSubmit, \
                   PermissionRequest, PostToolUse, Stop\n\
                   `fugue setup --undo` undoes this.\n";
    assert_eq!(ran.out, summary);
    assert_eq!(home.setup(&["claude", "--dry-run"]), ran.out, "the same changes");
    let plugin = home.setup(&["opencode", "--dry-run"]);
    assert!(plugin.contains("plugins/fugue.js: create the file, add fugue's plugin\n"), "{plugin}");
    let diff = home.setup(&["claude", "--dry-run", "--diff"]);
    assert!(diff.contains("+  \"hooks\": {") && diff.contains("+++ "), "{diff}");
    assert_eq!(home.all(), before);
}

#[test]
fn on_a_terminal_the_user_is_asked() {
    let home = Home::new();
    let path = home.path("bin");
    let variables = [("PATH", path.to_str().expect("UTF-8"))];
    for (answer, set_up) in [("n\r", false), ("\r", false), ("d\r", false), ("y\r", true)] {
        let mut terminal = home.server.terminal_with(&["setup", "claude"], 100, 30, &variables);
        terminal.shows("Make these changes? [y/N, d for the diff]");
        terminal.send(answer);
        if answer == "d\r" {
            // The diff is longer than the screen; its end and the question again are what remains.
            terminal.shows("fugue hook claude");
            terminal.send("\r");
        }
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
        &format!(
            "{{\"mcpServers\": {{\"fugue\": {{\"command\": {:?}, \"args\": [\"mcp\"]}}}}}}",
            env!("CARGO_BIN_EXE_fugue")
        ),
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
    // What an older version wrote is what its record says.
    home.write(path, &written.replace("RESTART_MS", "OLDER_NAME"));
    home.edit_record("fugue.js", |record| record.replace("RESTART_MS", "OLDER_NAME"));
    home.setup(&["opencode", "--yes"]);
    assert_eq!(home.read(path), Some(written.clone()), "an older version is replaced");
    let edited = format!("{written}// edited\n");
    home.write(path, &edited);
    home.setup(&["opencode", "--yes"]);
    assert_eq!(home.read(path), Some(edited), "what a user changed stays");
    let out = home.setup(&["opencode", "--undo", "--yes"]);
    assert!(out.contains("left fugue's plugin in ") && out.contains("changed since"), "{out}");
    assert!(home.path(path).exists() && home.path("config/opencode/plugins/mine.js").exists());
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
