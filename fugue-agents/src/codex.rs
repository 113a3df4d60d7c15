//! Codex.

use std::path::PathBuf;

use serde_json::json;

use crate::composer::{typed, with_line_breaks};
use crate::dialog::SelectionKeys;
use crate::dialog::choice_rows::ChoiceRules;
use crate::dialog::dialog_row::DialogRow;
use crate::dialog::numbered::{self, NumberedRules};
use crate::dialog::shown_command::{RowsAbove, last_unindented};
use crate::hooks::{AgentHooks, COMMON_EVENTS, HookKind, PermissionRequest};
use crate::inbox::{AgentInbox, QueueInbox};
use crate::known_agent::Environment;
use crate::known_agent::KnownAgent;
use crate::named_conversation::{ConversationIdSyntax, is_uuid};
use crate::record::{Begun, ConversationRecord, RecordFiles, texts};
use crate::resume_arguments::FlagKind::{Drop, DropValue, Keep, KeepValue};
use crate::resume_arguments::ResumeArguments;
use crate::setup::{
    AgentSetup, FileFormat, HOOKS_DISABLED, SERVER_DISABLED, SettingsFiles, SetupEntry, SetupFile,
    hook_entries, is_false, is_true, json_file, leaves_fugue_out, switch,
};
use crate::shared_server::{ServerMode, SharedServer, subcommand};
use crate::shown_screen::{ShownRow, ShownScreen};

/// All that is known of it.
pub(crate) const AGENT: KnownAgent = KnownAgent {
    name: "codex",
    composer,
    whole_paste: None,
    dialog: |screen| numbered::find(&DIALOGS, screen),
    selection_keys: |_| SelectionKeys::VERTICAL,
    empty_field: None,
    vague_reason: None,
    interrupt: &["Escape"],
    titles_show_turns: false,
    naming: ConversationIdSyntax { flags: &[], subcommand: Some("resume"), forks: &[], is_id: is_uuid },
    arguments: ARGUMENTS,
    server: Some(ServerMode {
        listens,
        server: SharedServer {
            reason: "it was started by the `codex app-server` that several panes share",
            way_out: "start Codex in the pane with `codex --no-daemon`",
        },
    }),
    data_directory: directory,
    other_places: &[],
    record: ConversationRecord::Files(RECORD),
    mcp_client: "codex-mcp-client",
    inbox: Some(AgentInbox::Queue(INBOX)),
    hooks: HookKind::Events(HOOKS),
    setup: SETUP,
    team_mode: None,
};

/// Its input field: from the last prompt sign, where the cursor is, to the footer.
fn composer(screen: &ShownScreen) -> Option<String> {
    let rows = &screen.rows;
    let begin = rows.iter().rposition(|row| row.text().starts_with('›'))?;
    let end = end_of_field(screen, begin)?;
    (begin..end).contains(&screen.cursor_row).then_some(())?;
    Some(rows[begin..end].iter().map(|row| typed(row, 2)).collect::<Vec<_>>().join("\n"))
}

/// The first empty row that is not followed by more of the text: what is typed may have empty lines, and the cursor is
/// below them then. The footer, which is indented like the text, is last.
fn end_of_field(screen: &ShownScreen, begin: usize) -> Option<usize> {
    let blank = |from: usize| {
        let rest = screen.rows[from..].iter().position(|row| row.text().is_empty())?;
        Some(from + rest)
    };
    let first = blank(begin)?;
    let has_footer = |end: usize| screen.rows[end..].iter().any(|row| !row.text().is_empty());
    let is_text = |row: &ShownRow| row.text().is_empty() || row.text().starts_with("  ");
    let more =
        screen.rows.get(first..=screen.cursor_row).filter(|rows| screen.shows_cursor && !rows.is_empty());
    match more.filter(|rows| rows.iter().all(is_text)).and_then(<[_]>::last) {
        Some(last) if !last.text().is_empty() => blank(screen.cursor_row).filter(|end| has_footer(*end)),
        _ => Some(with_line_breaks(screen, first)),
    }
}

const DIALOGS: NumberedRules = NumberedRules {
    is_dialog: |_, below| below.iter().any(names_enter),
    // Its dialogs are indented.
    is_edge: |row| !row.is_indented,
    heading,
    asks_first: true,
    kind: None,
    command,
    unnumbered: |_| None,
    choices: ChoiceRules { field: |_, _| None, opens_field: false, submit: |_| None },
};

/// The heading of a question, which stands right below the prompt at times. A request for permission has none: what the agent
/// asks for may imitate it, and must not be cut.
fn heading(above: &[DialogRow]) -> Option<usize> {
    let is_request = above.iter().any(|row| row.text.starts_with("Would you like to "));
    let is_heading = |row: &DialogRow| {
        let count = row.text.strip_prefix("Question ").and_then(|rest| rest.split_once(" ("));
        count.is_some_and(|(count, _)| count.chars().all(|c| c.is_ascii_digit() || c == '/'))
    };
    above.iter().rposition(is_heading).filter(|_| !is_request)
}

/// Whether a row says what Enter does, as the last row of a dialog. The directory, which may have that word in its name, is
/// in the last row of the screen otherwise.
fn names_enter(row: &DialogRow) -> bool {
    let keys = row.text.to_lowercase();
    let mut keys = keys.split(['|', '·']).map(str::trim_start);
    keys.any(|key| key.trim_start_matches("press ").starts_with("enter "))
}

/// The question, some notes, and the command with `$ ` in front of its first line. The line above the dialog names it.
fn command(above: &RowsAbove) -> Option<String> {
    const ASKS: &str = "Would you like to run the following command?";
    let rows = &above.texts;
    let announced = last_unindented(rows)?;
    let inside = &rows[announced + 1..];
    let mut texts = inside.iter().map(|row| row.trim()).filter(|row| !row.is_empty());
    if texts.next()? != ASKS {
        return None;
    }
    let commands: Vec<_> = texts.clone().filter_map(|row| row.strip_prefix("$ ")).collect();
    let [command] = commands.as_slice() else { return None };
    let is_last = texts.next_back()?.strip_prefix("$ ") == Some(command);
    (is_last && rows[announced] == format!("• Running {command}")).then(|| (*command).to_owned())
}

/// Whether it is a server: `codex app-server` is private unless it listens on a socket.
fn listens(arguments: &[&str]) -> bool {
    let server = subcommand(arguments, &["app-server", "exec-server", "remote-control"]);
    let is_public = |word: &&str| word.starts_with("--listen") || *word == "daemon";
    server.is_some_and(|(_, options)| options.iter().any(is_public))
}

/// Its own directory, with its settings and records.
fn directory(environment: &Environment<'_>) -> PathBuf {
    environment.directory("CODEX_HOME", ".codex")
}

/// Its record: a file for each thread, below its year, month and day.
const RECORD: RecordFiles = RecordFiles {
    directories: &["sessions", "*", "*", "*"],
    is_named: is_rollout,
    has_short_name: false,
    begun: Some(|line| {
        let meta = &line["payload"];
        Some(Begun { directory: meta["cwd"].as_str()?, at: &meta["timestamp"] })
    }),
    text: |line| {
        let item = &line["payload"];
        let is_message = item["type"] == "message" && item["role"] == "assistant";
        let is_own = line["type"] == "response_item" && is_message;
        is_own.then(|| texts(&item["content"], "output_text")).flatten()
    },
};

/// Whether a file with this name is the record of a thread.
fn is_rollout(name: &str, thread: &str) -> bool {
    name.strip_suffix(".jsonl")
        .and_then(|name| name.strip_suffix(thread))
        .is_some_and(|name| name.ends_with('-'))
}

/// Its queue of messages for a thread. The process that shows the thread takes a message when it is idle, within some ten
/// seconds.
const INBOX: QueueInbox = QueueInbox {
    locks: "thread-writer-locks",
    arguments: |thread, text| ["queue", "--thread", thread, "--message", text].map(str::to_owned).to_vec(),
    queued: "{\"queued\"",
    call_names: "threadId",
};

/// Its hooks.
const HOOKS: AgentHooks = AgentHooks {
    events: &COMMON_EVENTS,
    units_per_second: 1,
    keeps_on: "block",
    asked: PermissionRequest::of_tool,
};

const SETUP: AgentSetup = AgentSetup {
    server: SERVER,
    files,
    next_steps: &[
        "Codex asks you to review new hooks: trust them when Codex starts, or in /hooks",
        "if its shared server is running, stop it with `codex app-server daemon stop`",
    ],
    settings: SettingsFiles {
        format: FileFormat::Toml,
        managed: &[],
        project: &[".codex/config.toml"],
        project_entry: |_, _| None,
        user: |environment| vec![settings_file(environment)],
    },
    off_switches: &[
        switch(&["mcp_servers", "fugue", "enabled"], is_false, SERVER_DISABLED),
        switch(&["mcp_servers", "fugue", "enabled_tools"], leaves_fugue_out, SERVER_DISABLED),
        switch(
            &SHARED_SERVER,
            is_true,
            "Codex's shared background server, in which fugue refuses every call, is enabled",
        ),
        switch(&["features", "hooks"], is_false, HOOKS_DISABLED),
        switch(&["features", "codex_hooks"], is_false, HOOKS_DISABLED),
    ],
    names: &[],
    tool_names: &[],
    http_server: None,
    plugin: None,
};

/// The place of fugue's MCP server.
const SERVER: [&str; 2] = ["mcp_servers", "fugue"];

/// The setting with which it runs the MCP servers and hooks of all panes in one background server, where nobody can tell
/// which pane a call comes from.
const SHARED_SERVER: [&str; 2] = ["features", "daemon_auto_start"];

/// The variables that it must pass on: they tell `fugue mcp` which pane it is in. It passes on none by itself.
const PANE_VARIABLES: [&str; 3] = ["FUGUE_PANE_ID", "FUGUE_PANE_KEY", "FUGUE_SOCKET"];

/// How long it lets a tool run, in seconds: a little more than the longest wait.
const TOOL_TIMEOUT: u32 = 120;

/// Its settings.
fn settings_file(environment: &Environment<'_>) -> PathBuf {
    directory(environment).join("config.toml")
}

/// The files for fugue's server and hooks. It searches for tools, so the server lists them as by default.
fn files(environment: &Environment<'_>, command: &str) -> Vec<SetupFile> {
    const VARIABLES: &str = "env_vars";
    let value = json!({
        "command": command,
        "args": ["mcp"],
        (VARIABLES): PANE_VARIABLES,
        "tool_timeout_sec": TOOL_TIMEOUT,
    });
    let server = SetupEntry::Server { path: SERVER, value, variables: Some(VARIABLES) };
    let own_server = SetupEntry::Setting { path: SHARED_SERVER, value: false.into() };
    let settings = json_file(settings_file(environment), vec![server, own_server]);
    let hooks = directory(environment).join("hooks.json");
    vec![
        SetupFile { format: FileFormat::Toml, approvals: Some("tools"), ..settings },
        json_file(hooks, hook_entries(AGENT.name, &HOOKS, command)),
    ]
}

/// The arguments of `codex` that a resumed conversation keeps.
const ARGUMENTS: ResumeArguments = ResumeArguments {
    flags: &[
        ("--add-dir", KeepValue),
        ("--ask-for-approval", KeepValue),
        ("-a", KeepValue),
        ("--cd", KeepValue),
        ("-C", KeepValue),
        ("--config", KeepValue),
        ("-c", KeepValue),
        ("--dangerously-bypass-approvals-and-sandbox", Keep),
        ("--disable", KeepValue),
        ("--enable", KeepValue),
        ("--full-auto", Keep),
        ("--image", DropValue),
        ("-i", DropValue),
        ("--last", Drop),
        ("--model", KeepValue),
        ("-m", KeepValue),
        ("--no-alt-screen", Keep),
        ("--no-daemon", Keep),
        ("--oss", Keep),
        ("--profile", KeepValue),
        ("-p", KeepValue),
        ("--sandbox", KeepValue),
        ("-s", KeepValue),
        ("--search", Keep),
        ("--yolo", Keep),
    ],
    one_shot: &[
        "exec",
        "e",
        "review",
        "login",
        "logout",
        "mcp",
        "mcp-server",
        "app-server",
        "apply",
        "a",
        "cloud",
        "completion",
        "debug",
        "features",
        "queue",
        "sandbox",
    ],
    keeps_words: false,
};
