//! Replies for people. What is for programs is printed by `--json`, as it came.

use std::io::{IsTerminal, Write};

use fugue_client::CallError;
use fugue_protocol::base64;
use fugue_protocol::verbs::{Format, Until, Verb};
use fugue_protocol::views::{
    ClientList, ClientView, CommandView, Explanation, Life, PaneCreated, PaneList, PaneOutput, PaneView,
    ParallelOutcome, ParallelRun, ParallelRuns, Picture, RunResult, SessionList, SessionView, WaitOutcome,
    WaitResult, WindowView,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::cli::Failure;
use crate::letters;

/// Prints a verb's reply.
pub(crate) fn reply(called: &Verb, reply: &RawValue, json: bool) -> Result<(), Failure> {
    let verb = called.name();
    if verb == "screenshot" && !json && read::<Picture>(reply)?.format == Format::Png {
        return pixels(&read::<Picture>(reply)?);
    }
    let text = match json {
        true => reply.get().to_owned(),
        // What a program wrote is asked for as it is.
        false if ["get-output", "run", "screenshot"].contains(&verb) => for_people(verb, reply)?,
        false => harmless(&for_people(verb, reply)?),
    };
    if !text.is_empty() {
        let ended = if text.ends_with('\n') { "" } else { "\n" };
        // A reader that has gone has seen enough.
        let _ = write!(std::io::stdout().lock(), "{text}{ended}");
    }
    if let (Verb::GetOutput(_), false) = (called, json)
        && let Some(note) = read::<PaneOutput>(reply)?.note
    {
        let _ = writeln!(std::io::stderr(), "fugue: {note}");
    }
    match verb {
        "poll-messages" | "send-orchestration" | "request-help" | "claim" if in_vain(&read(reply)?) => {
            Err(Failure::Outcome)
        }
        "run-parallel" if !read::<ParallelRuns>(reply)?.succeeded => Err(Failure::Outcome),
        "wait" if !came_about(called, &read(reply)?) => Err(Failure::Outcome),
        "run" => ran(&read(reply)?),
        "get-output" if !json => {
            read::<PaneOutput>(reply)?.command.iter().for_each(whose);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Which command wrote what was printed, how it ended and how long it took: beside the text, and only to a person.
fn whose(command: &CommandView) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let how = match (command.running, command.exit_code) {
        (true, _) => "still runs".into(),
        (false, Some(code)) => format!("exit code {code}"),
        (false, None) => "ended".into(),
    };
    let long = command.duration_ms.map(|long| format!(" after {:.1} s", long as f64 / 1000.0));
    let line = match harmless(&command.line).as_ref() {
        "" => "the last command".into(),
        line => format!("`{line}`"),
    };
    let _ = writeln!(std::io::stderr(), "fugue: {line} {how}{}", long.unwrap_or_default());
}

/// Names and titles come from programs: what would command the terminal is shown as what it is.
pub(crate) fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// Whether what was awaited came about.
fn came_about(called: &Verb, waited: &WaitResult) -> bool {
    let Verb::Wait(wait) = called else { return false };
    let until = match (wait.until, &wait.pattern) {
        (Some(until), _) => until,
        (None, Some(_)) => Until::Match,
        (None, None) if !wait.states.is_empty() => Until::AgentState,
        (None, None) => Until::Exit,
    };
    let came = |outcome| match until {
        Until::Exit => matches!(outcome, WaitOutcome::Exited | WaitOutcome::Closed),
        // Whoever has ended is quiet, and its shell runs nothing any more.
        Until::Idle => matches!(outcome, WaitOutcome::Idle | WaitOutcome::Exited),
        Until::CommandDone => matches!(outcome, WaitOutcome::CommandDone | WaitOutcome::Exited),
        Until::Match => outcome == WaitOutcome::Matched,
        Until::AgentState => outcome == WaitOutcome::AgentState,
        Until::Message => outcome == WaitOutcome::Message,
    };
    came(waited.outcome) && (!wait.all || waited.panes.iter().all(|pane| came(pane.outcome)))
}

/// Whether a wait for a message or a lease ended without it.
fn in_vain(reply: &Value) -> bool {
    matches!(reply["outcome"].as_str(), Some("timeout" | "circle"))
}

fn read<T: DeserializeOwned>(reply: &RawValue) -> Result<T, CallError> {
    serde_json::from_str(reply.get()).map_err(|why| CallError::Malformed(why.to_string()))
}

/// The same for whoever shows it on a screen: no line of it commands the terminal.
pub(crate) fn worded(verb: &str, reply: &RawValue) -> String {
    for_people(verb, reply).map_or_else(|why| why.to_string(), |text| harmless(&text))
}

fn for_people(verb: &str, reply: &RawValue) -> Result<String, CallError> {
    Ok(match verb {
        "list-sessions" => sessions(&read::<SessionList>(reply)?),
        "list-panes" => panes(&read::<PaneList>(reply)?),
        "list-clients" | "detach-client" => clients(&read::<ClientList>(reply)?),
        "get-output" => read::<PaneOutput>(reply)?.text,
        "run" => read::<RunResult>(reply)?.output,
        "screenshot" => read::<Picture>(reply)?.content,
        "create-session" | "create-window" | "create-pane" => created(&read::<PaneCreated>(reply)?),
        "wait" => waited(&read::<WaitResult>(reply)?),
        "explain" => explained(&read::<Explanation>(reply)?),
        "send-input" => String::new(),
        "rename-session" | "select-session" => session(&read(reply)?),
        "rename-pane" | "mute-pane" | "focus-pane" | "respawn-pane" => pane(&read(reply)?),
        "create-layout" | "rename-window" | "select-window" | "move-window" | "resize-window"
        | "select-layout" | "rotate-panes" | "resize-pane" | "zoom-pane" | "swap-panes" | "join-pane"
        | "break-pane" => window(&read(reply)?),
        "send-orchestration" | "request-help" | "broadcast" | "resend-message" => {
            letters::sent(&read(reply)?)
        }
        "report-status" => letters::reported(&read(reply)?),
        "poll-messages" => letters::inbox(&read(reply)?),
        "list-messages" => letters::list(&read(reply)?),
        "message-status" => letters::report(&read(reply)?),
        "claim" => letters::claimed(&read(reply)?),
        "list-leases" => letters::leases(&read(reply)?),
        "run-parallel" => parallel(&read(reply)?),
        "show-waits" => letters::waits(&read(reply)?),
        _ => facts(&read::<Value>(reply)?, 0),
    })
}

fn sessions(list: &SessionList) -> String {
    if list.sessions.is_empty() {
        return "no sessions\n".into();
    }
    list.sessions.iter().map(session).collect()
}

fn session(session: &SessionView) -> String {
    let panes: usize = session.windows.iter().map(|window| window.panes.len()).sum();
    let tags: String = session.tags.iter().map(|tag| format!(" [{tag}]")).collect();
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let (windows, panes) = (count(session.windows.len(), "window"), count(panes, "pane"));
    let shown = match session.clients {
        0 => String::new(),
        clients => format!(" ({})", count(clients, "client")),
    };
    let unread = if session.unread > 0 { format!(" ({} unread)", session.unread) } else { String::new() };
    format!("{}: {windows}, {panes}{tags}{shown}{unread}\n", session.name)
}

fn clients(list: &ClientList) -> String {
    let line = |client: &ClientView| {
        let watches = if client.read_only { " (only watches)" } else { "" };
        format!("{}: {} {}{watches}\n", client.client, client.session_name, client.dimensions)
    };
    match list.clients.as_slice() {
        [] => "no clients\n".into(),
        clients => clients.iter().map(line).collect(),
    }
}

fn parallel(told: &ParallelRuns) -> String {
    let how = |run: &ParallelRun| match (run.outcome, run.exit) {
        (ParallelOutcome::Timeout, _) => "timeout".into(),
        (_, Some(exit)) => exit.to_string(),
        (_, None) => "closed".into(),
    };
    let one = |run: &ParallelRun| format!("== {} ({})\n{}\n", run.command, how(run), run.output.trim_end());
    told.runs.iter().map(one).collect()
}

fn panes(list: &PaneList) -> String {
    match list.panes.as_slice() {
        [] => "no panes\n".into(),
        panes => panes.iter().map(pane).collect(),
    }
}

/// A window, and its panes below it.
fn window(window: &WindowView) -> String {
    let zoomed = if window.zoomed { ", zoomed" } else { "" };
    let panes: String = window.panes.iter().map(|view| format!("  {}", pane(view))).collect();
    format!("{}: {} {}{zoomed}\n{panes}", window.index, window.name, window.dimensions)
}

fn pane(pane: &PaneView) -> String {
    let state = match (pane.state, pane.exit) {
        (Life::Exited, Some(exit)) => format!("{exit}"),
        (Life::Lost, _) => "lost".into(),
        _ => format!("pid {}", pane.pid.unwrap_or_default()),
    };
    let name = pane.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
    let active = if pane.active { " (active)" } else { "" };
    let muted = if pane.muted { " (muted)" } else { "" };
    let agent =
        pane.agent.as_ref().map(|agent| format!(" [{} {}]", agent.name, agent.state)).unwrap_or_default();
    // A command of several lines stays in its row.
    let command = pane.command.replace('\n', "\\n");
    format!("{}{name} {} {state} {command}{agent}{active}{muted}\n", pane.pane_id, pane.dimensions)
}

fn created(created: &PaneCreated) -> String {
    format!("pane {} {}\n", created.pane_id, created.dimensions)
}

fn waited(waited: &WaitResult) -> String {
    let exit = waited.exit.map(|exit| format!(", {exit}")).unwrap_or_default();
    let matched = waited.matched.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    let outcome = serde_json::to_value(waited.outcome).unwrap_or_default();
    format!("{}{exit}{matched}\n", outcome.as_str().unwrap_or_default())
}

fn explained(told: &Explanation) -> String {
    let rows = told.candidates.iter().map(|row| {
        let mark = if row.believed { "*" } else { " " };
        let reason = row.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        let source = serde_json::to_value(row.source).unwrap_or_default();
        format!("{mark} {} says {}{reason}: {}\n", plain(&source), row.state, row.because)
    });
    format!("{}\nknown by: {}\n{}", told.why, told.known_by, rows.collect::<String>())
}

/// A command that did not end well is no success; how it ended is said beside its output. Its code is passed on, and
/// a signal's as shells do.
fn ran(ran: &RunResult) -> Result<(), Failure> {
    let ended = match (ran.exit_code, ran.signal) {
        (Some(0), _) => return Ok(()),
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => {
            let outcome = serde_json::to_value(ran.outcome).unwrap_or_default();
            format!("{} in pane {}", plain(&outcome).replace('_', " "), ran.pane_id)
        }
    };
    let _ = writeln!(std::io::stderr(), "fugue: {ended}");
    let code = ran.exit_code.or(ran.signal.map(|signal| signal.saturating_add(128)));
    Err(code.and_then(|code| u8::try_from(code).ok()).map_or(Failure::Outcome, Failure::Command))
}

/// A picture in pixels goes out as the file it is; to a terminal it would say nothing.
fn pixels(picture: &Picture) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if out.is_terminal() {
        let why = "a png is no text: write it to a file, as in `fugue screenshot --format png > pane.png`";
        return Err(CallError::Malformed(why.into()).into());
    }
    let file =
        base64::decode(&picture.content).ok_or_else(|| CallError::Malformed("a broken picture".into()))?;
    let _ = out.write_all(&file);
    Ok(())
}

/// Names and values, nested by indentation.
fn facts(value: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| fact(&indent, name, value, depth)).collect()
        }
        Value::Array(values) => values.iter().map(|value| format!("{indent}- {}\n", plain(value))).collect(),
        other => format!("{indent}{}\n", plain(other)),
    }
}

fn fact(indent: &str, name: &str, value: &Value, depth: usize) -> String {
    match value {
        Value::Object(fields) if fields.is_empty() => String::new(),
        Value::Array(values) if values.is_empty() => String::new(),
        Value::Object(_) => format!("{indent}{name}:\n{}", facts(value, depth + 1)),
        Value::Array(values) if values.iter().all(|value| !value.is_object()) => {
            let values: Vec<_> = values.iter().map(plain).collect();
            format!("{indent}{name}: {}\n", values.join(", "))
        }
        Value::Array(values) => {
            let each: String = values.iter().map(|value| facts(value, depth + 1) + "\n").collect();
            format!("{indent}{name}:\n{}\n", each.trim_end())
        }
        value => format!("{indent}{name}: {}\n", plain(value)),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
