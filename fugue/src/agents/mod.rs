//! `fugue agents`: all agents with their state, its reason and where they are; with `--watch`, again after every change.
//! `fugue agents test` prints the states of an agent in a recording.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, Connection};
use fugue_protocol::agents::AgentView;
use fugue_protocol::escape::{escape, escape_json};
use fugue_protocol::verbs::ListSessions;
use fugue_protocol::views::{PaneView, SessionList, SessionView};
use serde::Serialize;

use crate::context::{self, CommandFailure};
use crate::{print, watch};

mod all_hosts;
mod recorded_states;

/// The command line of `fugue agents`.
pub(crate) fn command() -> Command {
    let watch = Arg::new("watch").long("watch").short('w').action(ArgAction::SetTrue);
    let all_hosts = Arg::new("all-hosts").long("all-hosts").action(ArgAction::SetTrue);
    let all_hosts = all_hosts.conflicts_with_all(["watch", "host", "server"]);
    Command::new("agents")
        .about("List agents, their states and the reasons for them")
        .arg(watch.help("Print the list again after every change, until interrupted"))
        .arg(all_hosts.help("Include the agents of every host in config.toml"))
        .subcommand(recorded_states::command())
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = &context::parse(command(), words)?;
    if let Some(("test", args)) = args.subcommand() {
        return recorded_states::run(args);
    }
    if args.get_flag("all-hosts") {
        return all_hosts::run(args);
    }
    let mut shown = None;
    let mut print = |connection: &mut Connection| {
        Ok(show(args, &connection.call(&ListSessions::default())?, &mut shown)?)
    };
    match args.get_flag("watch") {
        true => watch::after_each_event(args, print),
        false => print(&mut context::open_to_read(args)?),
    }
}

/// Prints the agents, unless that is what was printed last.
fn show(args: &ArgMatches, sessions: &SessionList, shown: &mut Option<String>) -> Result<(), CallError> {
    let rows = rows(&sessions.sessions);
    let text = match args.get_flag("json") {
        true => json(&rows)?,
        // A script counts no line.
        false if rows.is_empty() => match args.get_flag("watch") || std::io::stdout().is_terminal() {
            true => "no agents\n".into(),
            false => String::new(),
        },
        false => table(&rows),
    };
    if shown.as_ref() == Some(&text) {
        return Ok(());
    }
    let mut out = std::io::stdout();
    let clear = if args.get_flag("watch") { watch::before_each(args) } else { "" };
    let written = write!(out, "{clear}{text}").and_then(|()| out.flush());
    *shown = Some(text);
    // A reader that has gone away ends the command.
    written.map_err(|_| CallError::Local("Standard output is closed".into()))
}

/// An agent and where it is.
#[derive(Serialize)]
struct ListedAgent<'a> {
    pane_id: String,
    #[serde(skip)]
    number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pane: Option<String>,
    session: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<&'a str>,
    unread: usize,
    #[serde(flatten)]
    agent: &'a AgentView,
}

/// The agents of the sessions: those that need someone first, and of these the ones that have waited longest.
fn rows(sessions: &[SessionView]) -> Vec<ListedAgent<'_>> {
    let windows =
        sessions.iter().flat_map(|session| session.windows.iter().map(move |window| (session, window)));
    let panes = windows.flat_map(|(session, window)| window.panes.iter().map(move |pane| (session, pane)));
    let mut rows: Vec<_> = panes.filter_map(|(session, pane)| row(session, pane)).collect();
    rows.sort_by_key(|row| (row.agent.state.urgency(), row.agent.since));
    rows
}

fn row<'a>(session: &'a SessionView, pane: &'a PaneView) -> Option<ListedAgent<'a>> {
    Some(ListedAgent {
        pane_id: pane.pane_id.to_string(),
        number: pane.number,
        pane: pane.name.as_ref().map(ToString::to_string),
        session: session.name.as_str(),
        branch: session.place.as_ref().and_then(|place| place.branch.as_deref()),
        unread: session.unread,
        agent: pane.agent.as_ref()?,
    })
}

fn json(rows: &[ListedAgent<'_>]) -> Result<String, CallError> {
    let text = serde_json::to_string(&serde_json::json!({ "agents": rows }));
    let text = text.map_err(|why| CallError::Malformed(why.to_string()))?;
    Ok(escape_json(&text).into_owned() + "\n")
}

/// The column that is shown only if an agent reports its usage.
const USAGE: &str = "USAGE";

const HEAD: [&str; 9] = ["AGENT", "STATE", "SINCE", "SESSION", "BRANCH", "UNREAD", USAGE, "PANE", "REASON"];

fn table(rows: &[ListedAgent<'_>]) -> String {
    let head = HEAD.map(str::to_owned);
    let lines: Vec<_> = std::iter::once(head).chain(rows.iter().map(cells)).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..HEAD.len()).map(width).collect();
    let has_usage = rows.iter().any(|row| row.agent.usage.is_some());
    let padded = |line: &[String; HEAD.len()]| {
        let cells = line.iter().zip(&widths).enumerate();
        let cells = cells.filter(|(column, _)| has_usage || HEAD[*column] != USAGE);
        let cells = cells.map(|(_, (cell, width))| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    lines.iter().map(padded).collect()
}

fn cells(row: &ListedAgent<'_>) -> [String; HEAD.len()] {
    let AgentView { name, since, reason, until, usage, .. } = row.agent;
    let until = until.map(|until| format!(" (until {})", print::clock(until))).unwrap_or_default();
    let pane = row.pane.clone().unwrap_or_else(|| format!("%{}", row.number));
    let unread = if row.unread > 0 { row.unread.to_string() } else { String::new() };
    let cells = [
        name.clone(),
        row.agent.state_words().to_owned(),
        print::clock(*since),
        row.session.to_owned(),
        row.branch.unwrap_or_default().to_owned(),
        unread,
        usage.map(|usage| usage.to_string()).unwrap_or_default(),
        pane,
        reason.clone().unwrap_or_default() + &until,
    ];
    cells.map(|cell| escape(&cell).into_owned())
}
