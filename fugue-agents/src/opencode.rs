//! OpenCode.

use std::path::PathBuf;

use fugue_protocol::dialogs::{ChoiceEffect, Dialog, DialogChoice, DialogKind};
use serde_json::json;

use crate::composer::{from_column, typed};
use crate::dialog::SelectionKeys;
use crate::dialog::choice_rows::{ChoiceRules, SUBMIT};
use crate::dialog::dialog_row::DialogRow;
use crate::dialog::dialog_words::{choice, kind_of};
use crate::dialog::numbered::{self, NumberedRules, has_any};
use crate::dialog::shown_command::{self, RowsAbove};
use crate::hooks::{HookKind, PluginSource};
use crate::inbox::AgentInbox;
use crate::known_agent::Environment;
use crate::known_agent::KnownAgent;
use crate::named_conversation::ConversationIdSyntax;
use crate::record::{ConversationRecord, RecordDatabase};
use crate::resume_arguments::FlagKind::{Drop, DropValue, Keep, KeepValue};
use crate::resume_arguments::ResumeArguments;
use crate::setup::{
    AgentSetup, FileFormat, SERVER_DISABLED, SMALL_LIST, SettingsFiles, SetupEntry, SetupFile, denies_fugue,
    is_false, json_file, switch,
};
use crate::shared_server::{ServerMode, SharedServer, subcommand};
use crate::shown_screen::{ShownRow, ShownScreen, ShownSpan};

/// All that is known of it.
pub(crate) const AGENT: KnownAgent = KnownAgent {
    name: "opencode",
    composer,
    whole_paste: None,
    dialog,
    selection_keys,
    empty_field: Some(EMPTY_FIELD),
    vague_reason: None,
    interrupt: &["Escape", "Escape"],
    titles_show_turns: false,
    naming: ConversationIdSyntax {
        flags: &["--session", "-s"],
        subcommand: None,
        forks: &["--fork"],
        is_id: |text| text.starts_with("ses_"),
    },
    arguments: ARGUMENTS,
    server: Some(ServerMode {
        listens,
        server: SharedServer {
            reason: "it was started by an OpenCode server that several panes can share",
            way_out: "start `opencode` in the pane, without --port, instead of `opencode attach`",
        },
    }),
    data_directory: |environment| environment.directory("XDG_DATA_HOME", ".local/share").join("opencode"),
    other_places: &[".config/opencode", ".local/state/opencode", ".cache/opencode"],
    record: ConversationRecord::Database(RECORD),
    mcp_client: "opencode",
    inbox: Some(AgentInbox::Plugin),
    hooks: HookKind::Plugin(PLUGIN),
    setup: SETUP,
    team_mode: None,
};

/// Whether a row is beside the bar of an input field or a dialog.
fn is_barred(row: &ShownRow) -> bool {
    row.text().trim_start().starts_with('┃')
}

/// Its input field: beside a bar, where the cursor is, above the name of the model.
fn composer(screen: &ShownScreen) -> Option<String> {
    const HINT: &str = "Ask anything";
    let rows = &screen.rows;
    let end = rows.iter().rposition(|row| row.text().trim_start().starts_with('╹'))?;
    let begin = rows[..end].iter().rposition(|row| !is_barred(row)).map_or(0, |before| before + 1);
    // The last row of the field names the model.
    let field = begin..end.checked_sub(1)?;
    field.contains(&screen.cursor_row).then_some(())?;
    let unbarred = |text: String| text.trim_start().trim_start_matches('┃').trim().to_owned();
    let shown = |row: &ShownRow| unbarred(from_column(row, 0));
    // What people type is gray in some of its themes, too, so a hint is known by its first words as well.
    let is_hint = |row: &ShownRow| shown(row).starts_with(HINT) && unbarred(typed(row, 0)).is_empty();
    let text = |row: &ShownRow| if is_hint(row) { String::new() } else { shown(row) };
    Some(rows[field].iter().map(text).collect::<Vec<_>>().join("\n"))
}

fn dialog(screen: &ShownScreen) -> Option<Dialog> {
    numbered::find(&QUESTIONS, screen).or_else(|| permission(screen)).or_else(|| review(screen))
}

/// The choices of a request for permission are side by side.
fn selection_keys(dialog: &Dialog) -> SelectionKeys {
    match dialog.kind {
        DialogKind::Question => SelectionKeys { submit: Some("Tab"), ..SelectionKeys::VERTICAL },
        _ => SelectionKeys { next: "Right", previous: "Left", submit: None },
    }
}

const QUESTIONS: NumberedRules = NumberedRules {
    is_dialog: |_, below| has_any(below, &["enter "]),
    is_edge: DialogRow::is_rule,
    heading: |_| None,
    asks_first: false,
    // Requests for permission have their choices in one row.
    kind: Some(DialogKind::Question),
    command,
    unnumbered: |_| None,
    choices: ChoiceRules {
        field,
        opens_field: true,
        // A key finishes a dialog with boxes, wherever the selection is.
        submit: |rows| rows.iter().any(|row| row.text.contains("toggle")).then_some((SUBMIT, false)),
    },
};

/// The placeholder of an empty field for an answer in your own words.
const EMPTY_FIELD: &str = "Type your own answer";

fn field(_: &[DialogRow], choices: &[DialogChoice]) -> Option<usize> {
    let last = choices.len().checked_sub(1)?;
    (choices[last].label.trim_end_matches('.') == EMPTY_FIELD).then_some(last)
}

/// The sign before the keys that move the selection in a request for permission.
const SELECT: &str = "⇆";

/// Returns the request for permission at the end of the screen. Its choices are side by side in one row, the selected one on
/// another background.
fn permission(screen: &ShownScreen) -> Option<Dialog> {
    let rows: Vec<_> = screen.rows.iter().map(|row| DialogRow::of(row).text).collect();
    let last = rows.iter().rposition(|row| row.contains(SELECT))?;
    // The command may have such a sign, too: the heading is the first one in the panel.
    let above = screen.rows[..last].iter().rposition(|row| !is_barred(row)).map_or(0, |row| row + 1);
    let first = above + rows[above..last].iter().position(|row| row.starts_with('△'))?;
    let (labels, selected) = labels(&screen.rows[last].spans)?;
    let title = rows[first].trim_start_matches(['△', ' ']).to_owned();
    let mut texts = rows[first + 1..last].iter().filter(|row| !row.is_empty());
    let question = texts.next().map(|text| text.trim_start_matches(['#', '→', ' '])).unwrap_or_default();
    let detail: Vec<String> = texts.cloned().collect();
    let kind = kind_of(&[&title, question]);
    let command = shown_command::find(command, screen, last);
    let choices = labels.iter().map(|label| choice(label)).collect();
    let question = question.to_owned();
    Some(Dialog { kind, title: Some(title), question, detail, command, choices, selected })
}

/// The labels in a row, and the number of the selected one.
fn labels(spans: &[ShownSpan]) -> Option<(Vec<String>, usize)> {
    let sign = spans.iter().position(|span| span.text.contains(SELECT))?;
    let plain = spans[sign].style.bg;
    let labels: Vec<_> = spans[..sign]
        .iter()
        .take_while(|span| !span.text.starts_with("ctrl+"))
        .filter(|span| !span.text.trim_matches([' ', '┃']).is_empty())
        .collect();
    let selected = labels.iter().position(|span| span.style.bg != plain)? + 1;
    Some((labels.iter().map(|span| span.text.trim().to_owned()).collect(), selected))
}

/// Returns the page on which the answers to several questions are reviewed, which is only submitted, if it is at the end of
/// the screen.
fn review(screen: &ShownScreen) -> Option<Dialog> {
    let inside = |row: &ShownRow| is_barred(row).then(|| DialogRow::of(row).text);
    let last = screen.rows.iter().rposition(|row| inside(row).is_some_and(|text| !text.is_empty()))?;
    let first = screen.rows[..last].iter().rposition(|row| inside(row).is_none()).map_or(0, |row| row + 1);
    let rows: Vec<String> = screen.rows[first..=last].iter().filter_map(inside).collect();
    let heading = rows.iter().position(|row| row == "Review")?;
    let keys = rows.iter().rposition(String::is_empty).filter(|keys| *keys > heading)? + 1;
    let names = |word: &str| rows[keys..].iter().any(|row| row.contains(word));
    if !names("submit") || names("select") || names("toggle") {
        return None;
    }
    let detail = rows[heading + 1..keys].iter().filter(|row| !row.is_empty()).cloned().collect();
    let submit = DialogChoice { submits: true, ..DialogChoice::new(SUBMIT, ChoiceEffect::Other) };
    let (kind, question) = (DialogKind::Question, rows[heading].clone());
    Some(Dialog { kind, title: None, question, detail, command: None, choices: vec![submit], selected: 1 })
}

/// A panel with a bar on its left: the heading, what the agent says about the command, the command.
fn command(above: &RowsAbove) -> Option<String> {
    let rows = &above.texts;
    let inside = |row: &String| row.trim_start().strip_prefix('┃').map(|text| text.trim().to_owned());
    let outside = rows.iter().rposition(|row| inside(row).is_none())?;
    let texts: Vec<_> =
        rows[outside + 1..].iter().filter_map(inside).filter(|text| !text.is_empty()).collect();
    match texts.as_slice() {
        [heading, about, command] if heading == "△ Permission required" && about.starts_with("# ") => {
            command.strip_prefix("$ ").map(str::to_owned)
        }
        _ => None,
    }
}

/// Whether it is a server. In a terminal, it can be one as well, to which clients in other panes attach.
fn listens(arguments: &[&str]) -> bool {
    const LISTENS: [&str; 3] = ["--port", "--hostname", "--mdns"];
    let is_option = |word: &&str| word.split('=').next().is_some_and(|name| LISTENS.contains(&name));
    let in_terminal = arguments.first().is_none_or(|word| *word != "run") && arguments.iter().any(is_option);
    subcommand(arguments, &["serve", "web"]).is_some() || in_terminal
}

/// Its record: the database in which it keeps its sessions.
const RECORD: RecordDatabase = RecordDatabase {
    file: "opencode.db",
    begun: "SELECT id FROM session WHERE directory = ? AND time_created >= ? AND parent_id IS NULL LIMIT 2",
    last_message: "SELECT id, data FROM message WHERE session_id = ? AND time_created >= ? ORDER BY id DESC LIMIT 1",
    parts: "SELECT data FROM part WHERE message_id = ? AND length(data) <= ? ORDER BY id DESC LIMIT ?",
    is_answer: |message| message["role"] == "assistant",
    text: |part| part["text"].as_str().filter(|_| part["type"] == "text"),
};

/// fugue's plugin in it.
const PLUGIN: PluginSource = PluginSource(include_str!("../../plugins/opencode/fugue.js"));

const SETUP: AgentSetup = AgentSetup {
    server: SERVER,
    files,
    next_steps: &[],
    settings: SettingsFiles {
        format: FileFormat::Json,
        managed: &[],
        project: &[".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.jsonc", "opencode.json"],
        project_entry: |_, _| None,
        user: |environment| {
            let directory = settings_directory(environment);
            SETTINGS.map(|name| directory.join(name)).to_vec()
        },
    },
    off_switches: &[
        switch(&["mcp", "fugue", "enabled"], is_false, SERVER_DISABLED),
        switch(&["tools"], denies_fugue, SERVER_DISABLED),
        switch(&["permission"], denies_fugue, SERVER_DISABLED),
        // The agent that it starts with.
        switch(&["agent", "build", "tools"], denies_fugue, SERVER_DISABLED),
        switch(&["agent", "build", "permission"], denies_fugue, SERVER_DISABLED),
    ],
    names: &[],
    tool_names: &["fugue_fugue_whoami"],
    http_server: None,
    plugin: None,
};

/// The place of fugue's MCP server.
const SERVER: [&str; 2] = ["mcp", "fugue"];

/// The names of its settings. It reads all of them; a user who has one should not get a second.
const SETTINGS: [&str; 3] = ["opencode.jsonc", "opencode.json", "config.json"];

/// It adds this to settings that lack it.
const TEMPLATE: &str = "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n";

/// The directory of its settings.
fn settings_directory(environment: &Environment<'_>) -> PathBuf {
    environment.directory("XDG_CONFIG_HOME", ".config").join("opencode")
}

/// The files for fugue's server and plugin.
fn files(environment: &Environment<'_>, command: &str) -> Vec<SetupFile> {
    let directory = settings_directory(environment);
    let [flag, tools] = SMALL_LIST;
    let value = json!({ "type": "local", "command": [command, "mcp", flag, tools], "enabled": true });
    let server = SetupEntry::Server { path: SERVER, value, variables: None };
    let settings = json_file(directory.join(SETTINGS[1]), vec![server]);
    let other_paths = SETTINGS.map(|name| directory.join(name)).to_vec();
    let plugin = SetupEntry::Plugin { text: PLUGIN.text(command) };
    vec![
        SetupFile { other_paths, template: TEMPLATE, ..settings },
        SetupFile {
            format: FileFormat::Whole,
            ..json_file(directory.join("plugins/fugue.js"), vec![plugin])
        },
    ]
}

/// The arguments of `opencode` that a resumed conversation keeps.
const ARGUMENTS: ResumeArguments = ResumeArguments {
    flags: &[
        ("--agent", KeepValue),
        ("--auto", Keep),
        ("--continue", Drop),
        ("-c", Drop),
        ("--fork", Drop),
        ("--hostname", KeepValue),
        ("--model", KeepValue),
        ("-m", KeepValue),
        ("--port", KeepValue),
        ("--print-logs", Keep),
        ("--prompt", DropValue),
        ("--session", DropValue),
        ("-s", DropValue),
    ],
    one_shot: &[
        "acp",
        "agent",
        "attach",
        "auth",
        "export",
        "github",
        "import",
        "mcp",
        "models",
        "pr",
        "run",
        "serve",
        "session",
        "stats",
        "uninstall",
        "upgrade",
        "web",
    ],
    keeps_words: true,
};
