//! Claude Code.

use std::path::PathBuf;

use fugue_protocol::dialogs::DialogChoice;
use serde_json::json;

use crate::composer::typed;
use crate::dialog::SelectionKeys;
use crate::dialog::choice_rows::{ChoiceRow, ChoiceRules, MARKS, SUBMIT};
use crate::dialog::dialog_row::DialogRow;
use crate::dialog::numbered::{self, NumberedRules, has_any};
use crate::dialog::shown_command::{RowsAbove, is_line, last_text, last_unindented};
use crate::hooks::{AgentHooks, COMMON_EVENTS, HookKind, PermissionRequest};
use crate::inbox::{AgentInbox, SocketInbox};
use crate::known_agent::Environment;
use crate::known_agent::{KnownAgent, TeamMode};
use crate::named_conversation::{ConversationIdSyntax, is_uuid};
use crate::prompt_parts::WholePaste;
use crate::record::{ConversationRecord, RecordFiles, texts};
use crate::resume_arguments::FlagKind::{Drop, DropValue, Keep, KeepValue, KeepWords};
use crate::resume_arguments::ResumeArguments;
use crate::setup::{
    AgentPlugin, AgentSetup, FileFormat, HOOKS_DISABLED, PluginTrace, ProjectEntry, SERVER_DISABLED,
    SettingsFiles, SetupEntry, SetupFile, hook_entries, is_true, json_file, leaves_fugue_out, lists_fugue,
    plugin_files, switch,
};
use crate::shared_server::{ServerMode, SharedServer, subcommand};
use crate::shown_screen::{ShownRow, ShownScreen};

/// All that is known of it.
pub(crate) const AGENT: KnownAgent = KnownAgent {
    name: "claude",
    composer,
    whole_paste: Some(WHOLE_PASTE),
    dialog: |screen| numbered::find(&DIALOGS, screen),
    selection_keys: |_| SelectionKeys::VERTICAL,
    empty_field: Some(EMPTY_FIELD),
    vague_reason: Some("dialog open"),
    interrupt: &["Escape"],
    titles_show_turns: false,
    naming: ConversationIdSyntax {
        flags: &["--resume", "-r", "--session-id"],
        subcommand: None,
        forks: &["--fork-session"],
        is_id: is_uuid,
    },
    arguments: ARGUMENTS,
    server: Some(ServerMode {
        // Elsewhere the word may be a prompt.
        listens: |arguments| subcommand(arguments, &["daemon"]).is_some_and(|(at, _)| at == 0),
        server: SharedServer {
            reason: "it was started by Claude Code's background service, which several panes share",
            way_out: "start `claude` in the pane instead of `claude --bg`",
        },
    }),
    data_directory: directory,
    other_places: &[".claude.json", ".claude"],
    record: ConversationRecord::Files(RECORD),
    mcp_client: "claude-code",
    inbox: Some(AgentInbox::Socket(INBOX)),
    hooks: HookKind::Events(HOOKS),
    setup: SETUP,
    team_mode: Some(TeamMode {
        variable: ("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "1"),
        // Without it, teammates are shown in its own window.
        flag: "--teammate-mode",
        value: "tmux",
        shares: &["CLAUDE_CONFIG_DIR"],
    }),
};

/// Whether a row is a rule. The one above the input field of a teammate has its name near the end: `──── @name ──`.
fn is_rule(row: &ShownRow) -> bool {
    let is_line = |text: &str| text.chars().all(|c| c == '─');
    let text = row.text();
    let (rule, name) = text.split_once(" @").unwrap_or((&text, ""));
    let ends_well = name.is_empty() || name.split_once(' ').is_some_and(|(_, end)| is_line(end));
    rule.chars().count() > 10 && is_line(rule) && ends_well
}

/// What is longer is marked as pasted text, which "may contain instructions the user did not write", since 2.1.328; the
/// limits are 800 characters and three lines. It draws its field again for each part, so there is a limit to that.
const WHOLE_PASTE: WholePaste = WholePaste { chars: 700, lines: 3, parts: 200 };

/// Its input field: between two rules, after the prompt sign. Of a text that is taller than the screen, only the end is
/// shown.
fn composer(screen: &ShownScreen) -> Option<String> {
    let rows = &screen.rows;
    let end = rows.iter().rposition(is_rule)?;
    let field = match rows[..end].iter().rposition(is_rule) {
        Some(begin) => &rows[begin + 1..end],
        None => return is_end_of_field(rows, end).then(|| field_text(&rows[..end])),
    };
    field.first()?.text().starts_with('❯').then(|| field_text(field))
}

/// The text of the rows of its input field.
fn field_text(rows: &[ShownRow]) -> String {
    rows.iter().map(|row| typed(row, 2)).collect::<Vec<_>>().join("\n")
}

/// Whether all rows above the last rule belong to the input field: they are indented and fill the screen, and what is
/// below the rule is the footer of the field, not that of a dialog.
fn is_end_of_field(rows: &[ShownRow], end: usize) -> bool {
    let is_text = |row: &ShownRow| row.text().is_empty() || row.text().starts_with("  ");
    let is_footer = |row: &ShownRow| {
        let text = row.text().to_lowercase();
        !text.contains('❯') && !["esc to cancel", "enter to"].iter().any(|keys| text.contains(keys))
    };
    let (above, below) = (&rows[..end], &rows[end + 1..]);
    above.len() > below.len() && above.iter().all(is_text) && below.iter().all(is_footer)
}

const DIALOGS: NumberedRules = NumberedRules {
    is_dialog: |above, below| ends_plainly(above, below) || ends_with_keys(below),
    is_edge: DialogRow::is_rule,
    heading: |_| None,
    asks_first: false,
    kind: None,
    command,
    unnumbered,
    choices: ChoiceRules { field, opens_field: false, submit },
};

/// Whether the rows below the choices name its keys, and no input field follows.
fn ends_with_keys(below: &[DialogRow]) -> bool {
    const KEYS: [&str; 4] = ["esc to cancel", "enter to confirm", "enter to select", "esc to exit"];
    !below.iter().any(DialogRow::is_rule) && has_any(below, &KEYS)
}

/// Whether nothing follows the last choice of a dialog below a rule: the request to leave plan mode names no keys. Text of a
/// conversation is always followed by the input field.
fn ends_plainly(above: &[DialogRow], below: &[DialogRow]) -> bool {
    above.iter().any(DialogRow::is_rule) && below.iter().all(|row| row.text.is_empty())
}

/// The choices of its first dialog: without numbers, one below the other, of which the selected one is marked.
fn unnumbered(screen: &ShownScreen) -> Option<Vec<ChoiceRow>> {
    const MARK: char = '❯';
    let texts: Vec<String> = screen.rows.iter().map(ShownRow::text).collect();
    let marked = texts.iter().rposition(|text| text.trim_start().starts_with(MARK))?;
    let column = texts[marked].chars().position(|c| c == MARK)? + 2;
    let begins = |text: &String| text.chars().position(|c| !c.is_whitespace()) == Some(column);
    let is_choice = |at: usize| at == marked || texts.get(at).is_some_and(begins);
    let first = (0..marked).rev().take_while(|at| is_choice(*at)).last().unwrap_or(marked);
    let rows = (first..texts.len()).take_while(|at| is_choice(*at));
    let choice = |(number, row): (usize, usize)| ChoiceRow {
        row,
        number: number + 1,
        selected: row == marked,
        label: texts[row].chars().skip(column).collect::<String>().trim().to_owned(),
        last_row: row,
    };
    let group: Vec<_> = rows.enumerate().map(choice).collect();
    (group.len() > 1 && group.iter().all(|choice| !choice.label.is_empty())).then_some(group)
}

/// The placeholder of an empty field for an answer in your own words.
const EMPTY_FIELD: &str = "Type something";

/// The choice after that field.
const AFTER_FIELD: &str = "Chat about this";

fn field(_: &[DialogRow], choices: &[DialogChoice]) -> Option<usize> {
    let last = choices.len().checked_sub(1)?;
    match choices[last].label.as_str() {
        AFTER_FIELD if last > 0 => Some(last - 1),
        label => (label.trim_end_matches('.') == EMPTY_FIELD).then_some(last),
    }
}

/// A row with its text finishes a dialog with boxes. Before another question, the text is a different one.
fn submit(rows: &[DialogRow]) -> Option<(&'static str, bool)> {
    const NEXT: &str = "Next";
    rows.iter().map(|row| row.text.as_str()).find_map(|text| {
        let unmarked = text.strip_prefix(MARKS).map(str::trim_start);
        let label = [SUBMIT, NEXT].into_iter().find(|label| unmarked.unwrap_or(text) == *label)?;
        Some((label, unmarked.is_some()))
    })
}

/// A line, the heading, what the agent says about the command, the command between two dashed lines, the question. Older
/// versions have no dashed lines, but the line above the dialog names the command, and below the command is only what the
/// agent says about it, drawn as a hint: any other row there is another line of the command.
fn command(above: &RowsAbove) -> Option<String> {
    let RowsAbove { texts: rows, faint, cols } = above;
    let edge = rows.iter().rposition(|row| is_line(row, '─', *cols))?;
    let question = last_text(rows).filter(|at| rows[*at].trim() == "Do you want to proceed?")?;
    if rows.get(edge + 1)?.trim() != "Bash command" {
        return None;
    }
    let inside = &rows[edge + 2..question];
    let dashed: Vec<_> = (0..inside.len()).filter(|at| is_line(&inside[*at], '╌', *cols)).collect();
    match dashed.as_slice() {
        [from, to] if to - from == 2 => Some(inside[from + 1].trim().to_owned()),
        [] => {
            let mut texts = (edge + 2..question).filter(|row| !rows[*row].is_empty());
            let command = rows[texts.next().filter(|row| !faint[*row])?].trim();
            if !texts.all(|row| faint[row]) {
                return None;
            }
            let announced = &rows[last_unindented(&rows[..edge])?];
            (*announced == format!("● Bash({command})")).then(|| command.to_owned())
        }
        _ => None,
    }
}

/// Its own directory, with its settings and records.
fn directory(environment: &Environment<'_>) -> PathBuf {
    environment.directory("CLAUDE_CONFIG_DIR", ".claude")
}

/// Its record: a file for each session, in the directory of its project.
const RECORD: RecordFiles = RecordFiles {
    directories: &["projects", "*"],
    is_named: |name, session| name.strip_suffix(".jsonl") == Some(session),
    has_short_name: false,
    begun: None,
    text: |line| {
        let is_own = line["type"] == "assistant" && line["isSidechain"] != true;
        is_own.then(|| texts(&line["message"]["content"], "text")).flatten()
    },
};

/// Its messaging socket.
const INBOX: SocketInbox = SocketInbox {
    path: "CLAUDE_CODE_MESSAGING_SOCKET",
    token: "CLAUDE_CODE_MESSAGING_TOKEN",
    conversation: "CLAUDE_CODE_SESSION_ID",
    project: "CLAUDE_PROJECT_DIR",
    process_file: |process| format!("sessions/{process}.json").into(),
    process_conversation: |process| process["sessionId"].as_str(),
    new_record,
    lines,
    // It is written as soon as a text is queued.
    queued: "{\"type\":\"queue-operation\"",
};

/// The record of a new session: its directory is named after the working directory.
fn new_record(project: &str, session: &str) -> PathBuf {
    let name: String = project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("projects/{name}/{session}.jsonl").into()
}

/// Authentication if there is a token, then the text.
fn lines(token: Option<&str>, text: &str) -> String {
    let auth = token.map(|token| json!({ "type": "auth", "token": token }).to_string() + "\n");
    let user = json!({ "type": "user", "message": { "role": "user", "content": text } });
    format!("{}{user}\n", auth.unwrap_or_default())
}

/// Its hooks.
const HOOKS: AgentHooks = AgentHooks {
    events: &COMMON_EVENTS,
    units_per_second: 1,
    keeps_on: "block",
    // With this tool, it asks questions of its own, which are no requests for permission.
    asked: |input| PermissionRequest::of_tool(input).filter(|_| input["tool_name"] != "AskUserQuestion"),
};

const SETUP: AgentSetup = AgentSetup {
    server: SERVER,
    files,
    next_steps: &[],
    settings: SettingsFiles {
        format: FileFormat::Json,
        managed: &["/etc/claude-code/managed-settings.json"],
        project: &[".claude/settings.local.json", ".claude/settings.json", ".mcp.json"],
        project_entry: |environment, directory| {
            let path = ["projects".into(), directory.to_str()?.into()];
            Some(ProjectEntry { file: state_file(environment), path })
        },
        user: |environment| vec![settings_file(environment)],
    },
    off_switches: &[
        switch(&["permissions", "deny"], lists_fugue, SERVER_DISABLED),
        switch(&["deniedMcpServers"], lists_fugue, SERVER_DISABLED),
        switch(&["allowedMcpServers"], leaves_fugue_out, SERVER_DISABLED),
        // `/mcp` writes it.
        switch(&["disabledMcpServers"], lists_fugue, SERVER_DISABLED),
        switch(&["disableAllHooks"], is_true, HOOKS_DISABLED),
    ],
    names: &["mcp__fugue", "mcp__plugin_fugue_fugue", "fugue:fugue"],
    tool_names: &["mcp__fugue__fugue_whoami", "mcp__plugin_fugue_fugue__fugue_whoami"],
    http_server: Some("Claude Code: claude mcp add --transport http fugue {url} {header}"),
    plugin: Some(AgentPlugin {
        noun: "plugin",
        files: plugin_files!("claude": ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", ".mcp.json",
                             "hooks/hooks.json", "skills/fugue/SKILL.md"),
        install: &[&["plugin", "marketplace", "add", "{}"], &["plugin", "install", "fugue@fugue"]],
        remove: &[&["plugin", "uninstall", "fugue@fugue"], &["plugin", "marketplace", "remove", "fugue"]],
        rewritten: Some(settings_file),
        trace: PluginTrace::Setting(settings_file, &["enabledPlugins", "fugue@fugue"]),
    }),
};

/// The place of fugue's MCP server.
const SERVER: [&str; 2] = ["mcpServers", "fugue"];

/// Its settings.
fn settings_file(environment: &Environment<'_>) -> PathBuf {
    directory(environment).join("settings.json")
}

/// The file with the MCP servers of the user, and with what it keeps for each project.
fn state_file(environment: &Environment<'_>) -> PathBuf {
    environment.directory("CLAUDE_CONFIG_DIR", "").join(".claude.json")
}

/// The files for fugue's server and hooks. The server lists its tools as by default: since 2.1.327, this agent searches for
/// tools, and finds only those that are listed.
fn files(environment: &Environment<'_>, command: &str) -> Vec<SetupFile> {
    let value = json!({ "type": "stdio", "command": command, "args": ["mcp"], "env": {} });
    let server = SetupEntry::Server { path: SERVER, value, variables: None };
    vec![
        json_file(state_file(environment), vec![server]),
        json_file(settings_file(environment), hook_entries(AGENT.name, &HOOKS, command)),
    ]
}

/// The arguments of `claude` that a resumed conversation keeps.
const ARGUMENTS: ResumeArguments = ResumeArguments {
    flags: &[
        ("--add-dir", KeepWords),
        ("--agent", KeepValue),
        ("--agents", KeepValue),
        ("--allow-dangerously-skip-permissions", Keep),
        ("--allowedTools", KeepWords),
        ("--allowed-tools", KeepWords),
        ("--append-system-prompt", KeepValue),
        ("--chrome", Keep),
        ("--continue", Drop),
        ("-c", Drop),
        ("--dangerously-skip-permissions", Keep),
        ("--disallowedTools", KeepWords),
        ("--disallowed-tools", KeepWords),
        ("--fallback-model", KeepValue),
        ("--fork-session", Drop),
        ("--ide", Keep),
        ("--mcp-config", KeepWords),
        ("--model", KeepValue),
        ("--permission-mode", KeepValue),
        ("--plugin-dir", KeepValue),
        ("--resume", DropValue),
        ("-r", DropValue),
        ("--session-id", DropValue),
        ("--setting-sources", KeepValue),
        ("--settings", KeepValue),
        ("--strict-mcp-config", Keep),
        ("--system-prompt", KeepValue),
        ("--tools", KeepWords),
        ("--verbose", Keep),
    ],
    one_shot: &["-p", "--print", "mcp", "plugin", "doctor", "update", "install", "setup-token"],
    keeps_words: false,
};
