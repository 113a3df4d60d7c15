//! Gemini CLI.

use std::path::PathBuf;

use fugue_protocol::dialogs::DialogChoice;
use serde_json::{Value, json};

use crate::composer::{from_column, with_line_breaks};
use crate::dialog::SelectionKeys;
use crate::dialog::choice_rows::ChoiceRules;
use crate::dialog::dialog_row::DialogRow;
use crate::dialog::numbered::{self, NumberedRules, has_any};
use crate::dialog::shown_command::RowsAbove;
use crate::hooks::{AgentHooks, HookKind, PermissionRequest, TurnPhase};
use crate::known_agent::Environment;
use crate::known_agent::KnownAgent;
use crate::named_conversation::{ConversationIdSyntax, is_uuid};
use crate::record::{ConversationRecord, RecordFiles, texts};
use crate::resume_arguments::FlagKind::{DropValue, Keep, KeepValue};
use crate::resume_arguments::ResumeArguments;
use crate::setup::{
    AgentPlugin, AgentSetup, FileFormat, HOOKS_DISABLED, PluginTrace, SERVER_DISABLED, SMALL_LIST,
    SettingsFiles, SetupEntry, SetupFile, hook_entries, is_false, json_file, leaves_fugue_out,
    leaves_fugue_out_if_any, lists_every_tool, lists_fugue, plugin_files, switch,
};
use crate::shown_screen::{ShownRow, ShownScreen};

/// All that is known of it.
pub(crate) const AGENT: KnownAgent = KnownAgent {
    name: "gemini",
    composer,
    whole_paste: None,
    dialog: |screen| numbered::find(&DIALOGS, screen),
    selection_keys: |_| SelectionKeys::VERTICAL,
    empty_field: Some("Enter a custom value"),
    vague_reason: None,
    interrupt: &["Escape"],
    titles_show_turns: true,
    naming: ConversationIdSyntax {
        flags: &["--resume", "-r", "--session-id"],
        subcommand: None,
        forks: &[],
        is_id: is_uuid,
    },
    arguments: ARGUMENTS,
    server: None,
    data_directory: directory,
    other_places: &[],
    record: ConversationRecord::Files(RECORD),
    mcp_client: "gemini-cli-mcp-client",
    inbox: None,
    hooks: HookKind::Events(HOOKS),
    setup: SETUP,
    team_mode: None,
};

/// Its input field: after the last prompt sign, where the cursor is; earlier prompts look the same.
fn composer(screen: &ShownScreen) -> Option<String> {
    const HINT: &str = "Type your message or @path/to/file";
    let rows = &screen.rows;
    let begin = rows.iter().rposition(|row| row.text().starts_with(" > "))?;
    // What is typed may have empty lines, so the field ends at its border. Some themes draw none.
    let below = |is_end: fn(&ShownRow) -> bool| rows[begin..].iter().position(is_end);
    let border = below(|row| row.text().starts_with('▀')).map(|rest| begin + rest);
    let blank = || below(|row| row.text().is_empty()).map(|rest| with_line_breaks(screen, begin + rest));
    let end = border.or_else(blank)?;
    (begin..end).contains(&screen.cursor_row).then_some(())?;
    // Its themes have grays of all kinds for what people type, so the hint is known by its words.
    let text = rows[begin..end].iter().map(|row| from_column(row, 3)).collect::<Vec<_>>().join("\n");
    Some(if text.trim() == HINT { String::new() } else { text })
}

const DIALOGS: NumberedRules = NumberedRules {
    is_dialog: |_, below| !has_any(below, &["type your message", "? for shortcuts", "/model"]),
    // The box around its first dialog is indented.
    is_edge: |row| row.is_rule() || row.is_box_top(),
    heading: |_| None,
    asks_first: false,
    kind: None,
    command,
    unnumbered: |_| None,
    choices: ChoiceRules { field, opens_field: false, submit: |_| None },
};

/// The last of three or more choices below the heading of its questions is the field.
fn field(above: &[DialogRow], choices: &[DialogChoice]) -> Option<usize> {
    const HEADING: &str = "Answer Questions";
    let last = choices.len().checked_sub(1)?;
    let asks = above.iter().rev().take(8).any(|row| row.text == HEADING);
    (asks && last > 1).then_some(last)
}

/// A frame, the heading, a frame in it with the command, the question.
fn command(above: &RowsAbove) -> Option<String> {
    let rows = &above.texts;
    let asks = rows.iter().rposition(|row| row.starts_with("│ Allow execution of "))?;
    let [top, heading, inner_top, command, inner_bottom] = rows.get(asks.checked_sub(5)?..asks)? else {
        return None;
    };
    let begins = [(top, "╭─"), (heading, "│ ? Shell "), (inner_top, "│ ╭─"), (inner_bottom, "│ ╰─")];
    let is_whole = begins.iter().all(|(row, begin)| row.starts_with(begin));
    let command = command.strip_prefix("│ │ ").filter(|_| is_whole)?;
    Some(command.trim_end_matches(['│', ' ']).to_owned())
}

/// Its own directory, with its settings and records.
fn directory(environment: &Environment<'_>) -> PathBuf {
    environment.directory("GEMINI_CLI_HOME", "").join(".gemini")
}

/// Its record: a file for each session, in the directory of its project.
const RECORD: RecordFiles = RecordFiles {
    directories: &["tmp", "*", "chats"],
    is_named: |name, session| session.get(..8).is_some_and(|short| name.contains(short)),
    has_short_name: true,
    begun: None,
    text: |line| {
        let content = &line["content"];
        let text = || content.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        (line["type"] == "gemini").then(|| text().or_else(|| texts(content, ""))).flatten()
    },
};

/// Its hooks.
const HOOKS: AgentHooks = AgentHooks {
    events: &[
        ("SessionStart", TurnPhase::Begins),
        ("BeforeAgent", TurnPhase::Begins),
        ("Notification", TurnPhase::Asks),
        ("AfterTool", TurnPhase::Works),
        ("AfterAgent", TurnPhase::Ends),
    ],
    units_per_second: 1_000,
    keeps_on: "deny",
    asked,
};

/// A notification has a kind, a text, and the details of the tool.
fn asked(input: &Value) -> Option<PermissionRequest> {
    if input["notification_type"] != "ToolPermission" {
        return None;
    }
    let details = &input["details"];
    let command = details["command"].as_str().filter(|_| details["type"] == "exec");
    let subject = command.or(input["message"].as_str()).unwrap_or_default();
    Some(PermissionRequest::new(subject, command))
}

const SETUP: AgentSetup = AgentSetup {
    server: SERVER,
    files,
    next_steps: &[],
    settings: SettingsFiles {
        format: FileFormat::Json,
        managed: &["/etc/gemini-cli/settings.json"],
        project: &[".gemini/settings.json"],
        project_entry: |_, _| None,
        user: |environment| {
            vec![settings_file(environment), directory(environment).join("mcp-server-enablement.json")]
        },
    },
    off_switches: &[
        switch(&["mcp", "excluded"], lists_fugue, SERVER_DISABLED),
        switch(&["mcp", "allowed"], leaves_fugue_out_if_any, SERVER_DISABLED),
        switch(&["mcpServers", "fugue", "excludeTools"], lists_every_tool, SERVER_DISABLED),
        switch(&["mcpServers", "fugue", "includeTools"], leaves_fugue_out, SERVER_DISABLED),
        switch(&["tools", "exclude"], lists_fugue, SERVER_DISABLED),
        switch(&["tools", "core"], leaves_fugue_out_if_any, SERVER_DISABLED),
        // `gemini mcp disable` writes it, to a file of its own.
        switch(&["fugue", "enabled"], is_false, SERVER_DISABLED),
        switch(&["hooksConfig", "enabled"], is_false, HOOKS_DISABLED),
        switch(&["hooksConfig", "disabled"], lists_fugue, HOOKS_DISABLED),
    ],
    names: &["fugue hook gemini"],
    tool_names: &["mcp_fugue_fugue_whoami"],
    http_server: None,
    plugin: Some(AgentPlugin {
        noun: "extension",
        files: plugin_files!("gemini": "gemini-extension.json", "GEMINI.md", "hooks/hooks.json"),
        install: &[&["extensions", "link", "--consent", "{}"]],
        remove: &[&["extensions", "uninstall", "fugue"]],
        rewritten: None,
        trace: PluginTrace::Directory(|environment| directory(environment).join("extensions/fugue")),
    }),
};

/// The place of fugue's MCP server.
const SERVER: [&str; 2] = ["mcpServers", "fugue"];

/// Its settings.
fn settings_file(environment: &Environment<'_>) -> PathBuf {
    directory(environment).join("settings.json")
}

/// The file for fugue's server and hooks.
fn files(environment: &Environment<'_>, command: &str) -> Vec<SetupFile> {
    let [flag, tools] = SMALL_LIST;
    let value = json!({ "command": command, "args": ["mcp", flag, tools] });
    let mut entries = vec![SetupEntry::Server { path: SERVER, value, variables: None }];
    entries.extend(hook_entries(AGENT.name, &HOOKS, command));
    vec![json_file(settings_file(environment), entries)]
}

/// The arguments of `gemini` that a resumed conversation keeps.
const ARGUMENTS: ResumeArguments = ResumeArguments {
    flags: &[
        ("--allowed-mcp-server-names", KeepValue),
        ("--allowed-tools", KeepValue),
        ("--approval-mode", KeepValue),
        ("--debug", Keep),
        ("-d", Keep),
        ("--extensions", KeepValue),
        ("-e", KeepValue),
        ("--include-directories", KeepValue),
        ("--model", KeepValue),
        ("-m", KeepValue),
        ("--prompt-interactive", DropValue),
        ("-i", DropValue),
        ("--resume", DropValue),
        ("-r", DropValue),
        ("--sandbox", Keep),
        ("-s", Keep),
        ("--screen-reader", Keep),
        ("--session-id", DropValue),
        ("--skip-trust", Keep),
        ("--yolo", Keep),
        ("-y", Keep),
    ],
    one_shot: &["-p", "--prompt", "mcp", "extensions", "skills", "hooks"],
    keeps_words: false,
};
