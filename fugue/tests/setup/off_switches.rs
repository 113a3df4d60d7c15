//! What `fugue setup --check` reports about settings that turn fugue off, and about entries that run something else.

use std::fs;

use serde_json::Value;

use super::{AGENTS, Home};

/// A setting in a file, in a home directory where everything is set up, and what is reported.
const SWITCHES: [(&str, &str, &str, &str); 20] = [
    (
        "claude",
        ".claude/settings.json",
        r#"{"disableAllHooks": true}"#,
        "the hooks are disabled by disableAllHooks in ",
    ),
    (
        "claude",
        ".claude/settings.json",
        r#"{"permissions": {"deny": ["mcp__fugue"]}}"#,
        "disabled by permissions.deny in ",
    ),
    (
        "claude",
        ".claude/settings.json",
        r#"{"permissions": {"deny": ["mcp__*"]}}"#,
        "disabled by permissions.deny in ",
    ),
    (
        "claude",
        ".claude/settings.json",
        r#"{"deniedMcpServers": [{"serverName": "fugue"}]}"#,
        "by deniedMcpServers in ",
    ),
    (
        "claude",
        ".claude/settings.json",
        r#"{"deniedMcpServers": [{"serverCommand": ["fugue", "mcp"]}]}"#,
        "by deniedMcpServers in ",
    ),
    (
        "claude",
        ".claude/settings.json",
        r#"{"allowedMcpServers": [{"serverName": "x"}]}"#,
        "by allowedMcpServers in ",
    ),
    (
        "codex",
        ".codex/config.toml",
        "[features]\ndaemon_auto_start = true",
        "in which fugue refuses every call, is enabled by features.daemon_auto_start in ",
    ),
    (
        "codex",
        ".codex/config.toml",
        "[features]\nhooks = false",
        "the hooks are disabled by features.hooks in ",
    ),
    (
        "codex",
        ".codex/config.toml",
        "[mcp_servers.fugue]\nenabled = false",
        "disabled by mcp_servers.fugue.enabled in ",
    ),
    (
        "codex",
        ".codex/config.toml",
        "[mcp_servers.fugue]\nenabled_tools = []",
        "by mcp_servers.fugue.enabled_tools in ",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        r#"{"hooksConfig": {"enabled": false}}"#,
        "by hooksConfig.enabled in ",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        r#"{"mcp": {"excluded": ["fugue"]}}"#,
        "the MCP server is disabled by mcp.excluded in ",
    ),
    ("gemini", ".gemini/settings.json", r#"{"tools": {"core": ["read_file"]}}"#, "by tools.core in "),
    ("gemini", ".gemini/settings.json", r#"{"mcp": {"allowed": ["docs"]}}"#, "by mcp.allowed in "),
    ("gemini", ".gemini/settings.json", r#"{"tools": {"exclude": ["mcp_fugue_*"]}}"#, "by tools.exclude in "),
    (
        "gemini",
        ".gemini/mcp-server-enablement.json",
        r#"{"fugue": {"enabled": false}}"#,
        "by fugue.enabled in ",
    ),
    ("opencode", "config/opencode/opencode.json", r#"{"tools": {"fugue_*": false}}"#, "by tools in "),
    (
        "opencode",
        "config/opencode/opencode.json",
        r#"{"permission": {"fugue*": "deny"}}"#,
        "by permission in ",
    ),
    (
        "opencode",
        "config/opencode/opencode.json",
        r#"{"mcp": {"fugue": {"enabled": false}}}"#,
        "by mcp.fugue.enabled in ",
    ),
    ("opencode", "project/opencode.json", r#"{"tools": {"fugue_*": false}}"#, "by tools in "),
];

/// Adds settings to those that are there.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            from.iter().for_each(|(key, value)| merge(into.entry(key).or_insert(Value::Null), value));
        }
        (into, from) => *into = from.clone(),
    }
}

/// Adds settings to a file, which may be TOML.
fn write_settings(home: &Home, name: &str, settings: &str) {
    let old = home.read(name).unwrap_or_default();
    let text = if name.ends_with(".toml") {
        let (header, line) = settings.split_once('\n').expect("a table and a line");
        let key = line.split(' ').next().expect("a key");
        let others = old.lines().filter(|line| !line.starts_with(key)).collect::<Vec<_>>().join("\n");
        others.replacen(header, settings, 1)
    } else {
        let mut values = serde_json::from_str(if old.is_empty() { "{}" } else { &old }).expect("JSON");
        merge(&mut values, &serde_json::from_str(settings).expect("JSON"));
        values.to_string()
    };
    home.write(name, &text);
}

#[test]
fn every_setting_that_turns_fugue_off_is_reported_with_its_file() {
    for (agent, name, settings, why) in SWITCHES {
        let home = Home::new();
        home.setup(&["--yes"]);
        fs::create_dir_all(home.path("project")).expect("a directory");
        assert_eq!(home.check_in("project", agent)["result"], "ok");
        write_settings(&home, name, settings);
        let check = home.check_in("project", agent);
        let finding = check["finding"].as_str().expect("a finding");
        assert!(finding.contains(why) && finding.contains(name), "{settings}: {check}");
        assert_eq!(
            home.run(&["setup", "--check", agent]).code == 1,
            !name.starts_with("project"),
            "{settings}"
        );
        let doctor = home.run_in("project", &["doctor"]);
        assert!(doctor.out.contains(why), "{}", doctor.out);
    }
}

#[test]
fn the_settings_of_a_project_overrule_those_of_the_user() {
    for (agent, name, settings, why) in [
        ("claude", "project/.claude/settings.local.json", r#"{"disableAllHooks": true}"#, "disableAllHooks"),
        (
            "claude",
            "project/.claude/settings.json",
            r#"{"permissions": {"deny": ["mcp__fugue__*"]}}"#,
            "permissions.deny",
        ),
        (
            "claude",
            "project/.mcp.json",
            r#"{"mcpServers": {"fugue": {"command": "false"}}}"#,
            "another MCP server",
        ),
        ("gemini", "project/.gemini/settings.json", r#"{"mcp": {"excluded": ["fugue"]}}"#, "mcp.excluded"),
        (
            "gemini",
            "project/.gemini/settings.json",
            r#"{"mcpServers": {"fugue": {"command": "false"}}}"#,
            "another MCP server",
        ),
        (
            "opencode",
            "project/opencode.json",
            r#"{"mcp": {"fugue": {"enabled": false}}}"#,
            "mcp.fugue.enabled",
        ),
    ] {
        let home = Home::new();
        home.setup(&["--yes"]);
        fs::create_dir_all(home.path("project/.git")).expect("a repository");
        fs::create_dir_all(home.path("project/deep/below")).expect("a directory");
        write_settings(&home, name, settings);
        let check = home.check_in("project/deep/below", agent);
        assert!(check["finding"].as_str().expect("a finding").contains(why), "{settings}: {check}");
        assert_eq!(home.check(agent)["result"], "ok", "elsewhere, it works");
    }
    let home = Home::new();
    home.setup(&["--yes"]);
    let project = home.path("project");
    fs::create_dir_all(&project).expect("a directory");
    for state in [
        serde_json::json!({ "disabledMcpServers": ["fugue"] }),
        serde_json::json!({ "mcpServers": { "fugue": { "command": "false" } } }),
    ] {
        let projects = serde_json::json!({ "projects": { project.to_str().expect("UTF-8"): state } });
        write_settings(&home, ".claude.json", &projects.to_string());
        assert!(
            home.check_in("project", "claude")["finding"]
                .as_str()
                .expect("a finding")
                .contains(".claude.json")
        );
        assert_eq!(home.check("claude")["result"], "ok", "elsewhere, it works");
    }
    write_settings(&home, "config/opencode/opencode.json", r#"{"tools": {"fugue_*": false}}"#);
    write_settings(&home, "project/opencode.json", r#"{"tools": {"fugue_*": true}}"#);
    assert_eq!(home.check_in("project", "opencode")["result"], "ok");
    assert_ne!(home.check("opencode")["result"], "ok");
}

#[test]
fn settings_about_something_else_are_not_reported() {
    let home = Home::new();
    home.setup(&["--yes"]);
    for (name, settings) in [
        (
            ".claude/settings.json",
            r#"{"permissions": {"deny": ["mcp__docs", "Bash(fugue kill:*)", "mcp__fugue__fugue_shutdown"]}}"#,
        ),
        (".claude/settings.json", r#"{"disabledMcpjsonServers": ["fugue"], "disableAllHooks": false}"#),
        (".gemini/settings.json", r#"{"mcp": {"allowed": ["fugue", "docs"], "excluded": ["other"]}}"#),
        (
            ".gemini/settings.json",
            r#"{"mcp": {"allowed": []}, "mcpServers": {"fugue": {"excludeTools": ["fugue_*"]}}}"#,
        ),
        ("config/opencode/opencode.json", r#"{"tools": {"bash": false}, "permission": {"fugue_*": "ask"}}"#),
    ] {
        write_settings(&home, name, settings);
    }
    let ran = home.run(&["setup", "--check"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[test]
fn an_entry_that_runs_nothing_or_another_fugue_is_reported() {
    let home = Home::new();
    home.setup(&["--yes"]);
    let own = env!("CARGO_BIN_EXE_fugue");
    home.write("other/fugue", "#!/bin/sh\n");
    let entries = [
        ("claude", ".claude.json", "the MCP server in "),
        ("codex", ".codex/hooks.json", "a hook in "),
        ("gemini", ".gemini/settings.json", "the MCP server in "),
        ("opencode", "config/opencode/opencode.json", "the MCP server in "),
    ];
    for (agent, name, what) in entries {
        let text = home.read(name).expect("a file");
        for (program, why) in [
            ("/gone/fugue", "runs /gone/fugue, which does not exist"),
            ("other/fugue", "runs another fugue, "),
        ] {
            let program = if program.starts_with('/') {
                program.into()
            } else {
                home.path(program).display().to_string()
            };
            home.write(name, &text.replace(own, &program));
            let check = home.check(agent);
            let finding = check["finding"].as_str().expect("a finding");
            assert!(finding.starts_with(what) && finding.contains(why), "{check}");
        }
        home.write(name, &text.replace(own, "fugue"));
        assert!(
            home.check(agent)["finding"]
                .as_str()
                .expect("a finding")
                .contains("`fugue`, which is not on PATH")
        );
        home.write(name, &text);
    }
    home.write("config/opencode/plugins/fugue.js", "// fugue's plugin for OpenCode, of another version\n");
    assert!(
        home.check("opencode")["finding"].as_str().expect("a finding").contains("is from another version")
    );
    assert!(AGENTS[..3].iter().all(|agent| home.check(agent)["result"] == "ok"));
}

#[test]
fn a_hook_that_an_older_fugue_did_not_have_is_missing_and_added() {
    let home = Home::new();
    home.setup(&["claude", "--yes"]);
    let set_up = home.read(".claude/settings.json").expect("a file");
    let mut older: Value = serde_json::from_str(&set_up).expect("JSON");
    older["hooks"].as_object_mut().expect("hooks").remove("PermissionRequest").expect("a hook");
    let older = serde_json::to_string_pretty(&older).expect("JSON");
    home.write(".claude/settings.json", &older);
    home.edit_record("settings.json", |record| {
        let mut record: Value = serde_json::from_str(record).expect("JSON");
        record["after"] = older.as_str().into();
        record.to_string()
    });
    let finding = home.check("claude")["finding"].as_str().expect("a finding").to_owned();
    assert!(finding.starts_with("missing: the hook for PermissionRequest in "), "{finding}");
    home.setup(&["claude", "--yes"]);
    assert_eq!(home.check("claude")["result"], "ok");
    home.setup(&["claude", "--undo", "--yes"]);
    assert!(!home.path(".claude").exists());
}
