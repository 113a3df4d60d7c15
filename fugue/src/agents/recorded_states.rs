//! `fugue agents test FILE`: the states of the agent in a recording over time, so that the rules for an agent can be
//! tried before they are used.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use fugue_client::CallError;
use fugue_config::{ConfigSource, read_regular_text};
use fugue_protocol::agents::Evidence;
use fugue_protocol::escape::{escape, escape_json};
use fugue_protocol::{Size, Timestamp, limits};
use fugue_server::RecordedScreen;
use serde_json::{Value, json};

use crate::context::{self, CommandFailure};

/// When a daemon looks at a pane: this many seconds after it wrote something, and after the last look.
const OUTPUT_DELAY: f64 = 0.05;
const INTERVAL: f64 = 0.25;

/// The largest recording, in bytes: it is read as a whole.
const LARGEST: u64 = 256 << 20;

/// The command line of `fugue agents test`.
pub(super) fn command() -> Command {
    Command::new("test")
        .about("Print an agent's states over time, from a recording")
        .arg(Arg::new("file").required(true).help("Recording made by `fugue record` (asciicast v2 or v3)"))
        .arg(
            Arg::new("agent")
                .long("agent")
                .value_name("NAME")
                .help("The recorded agent [default: detected from the recording]"),
        )
}

/// Runs the command.
pub(super) fn run(args: &ArgMatches) -> Result<(), CommandFailure> {
    let path = args.get_one::<String>("file").map_or("", String::as_str);
    let text = read_regular_text(Path::new(path), LARGEST)
        .map_err(|why| failed(format!("Cannot read {path}: {why}")))?;
    let config = context::paths(args)?.config;
    let source = ConfigSource::read(&fugue_server::agent_table_path(&config));
    let table = fugue_server::read_agent_table(&source).map_err(failed)?;
    let agent = args.get_one::<String>("agent").map(String::as_str);
    let mut lines = text.lines();
    let header = lines.next().and_then(|line| serde_json::from_str::<Value>(line).ok());
    let header = header.filter(|header| header["version"].is_u64());
    let header = header.ok_or_else(|| failed(format!("{path} is not an asciicast recording")))?;
    let screen =
        RecordedScreen::new(&table, agent, header["command"].as_str().unwrap_or_default(), size(&header));
    let is_relative = header["version"] == 3;
    let mut replay = RecordingReplay {
        screen,
        at: 0.0,
        is_relative,
        output_since: None,
        last_look: -INTERVAL,
        states: Vec::new(),
    };
    for (number, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = || failed(format!("{}, line {}: not an event", Path::new(path).display(), number + 2));
        replay.play(&serde_json::from_str(line).map_err(|_| wrong())?).ok_or_else(wrong)?;
    }
    replay.look_before(f64::INFINITY);
    let out = if args.get_flag("json") { replay.json() } else { replay.text() };
    let _ = write!(std::io::stdout(), "{out}");
    Ok(())
}

fn failed(why: String) -> CommandFailure {
    CallError::Local(why).into()
}

fn source(evidence: &Evidence) -> String {
    json!(evidence.source).as_str().unwrap_or_default().to_owned()
}

fn size(header: &Value) -> Size {
    // Version 2 has the size at the top.
    let part = |new: &str, old: &str| header["term"][new].as_u64().or(header[old].as_u64());
    let side =
        |value: Option<u64>, default| value.and_then(|side| u16::try_from(side).ok()).unwrap_or(default);
    bounded(side(part("cols", "width"), 80), side(part("rows", "height"), 24))
}

/// A size that a pane can have: a file may claim one that fits no memory.
fn bounded(cols: u16, rows: u16) -> Size {
    Size { cols: cols.clamp(1, limits::SIDE), rows: rows.clamp(1, limits::SIDE) }
}

/// A recording as it is played.
struct RecordingReplay<'a> {
    screen: RecordedScreen<'a>,
    /// The time since the beginning, in seconds.
    at: f64,
    /// Whether the time of an event is counted from the event before.
    is_relative: bool,
    /// When the first output after the last look was written.
    output_since: Option<f64>,
    last_look: f64,
    states: Vec<ToldState>,
}

/// What is told of the agent from a time on.
struct ToldState {
    at: f64,
    /// Its name and the evidence that counts.
    agent: Option<(String, Option<Evidence>)>,
}

impl RecordingReplay<'_> {
    /// Plays one event; nothing if it is malformed.
    fn play(&mut self, event: &Value) -> Option<()> {
        let (time, code, data) = (event.get(0)?.as_f64()?, event.get(1)?.as_str()?, event.get(2)?.as_str()?);
        self.at = if self.is_relative { self.at + time } else { time };
        self.look_before(self.at);
        match code {
            "o" => self.screen.feed(data),
            "r" => {
                let (cols, rows) = data.split_once('x')?;
                self.screen.resize(bounded(cols.parse().ok()?, rows.parse().ok()?));
            }
            _ => return Some(()),
        }
        self.output_since.get_or_insert(self.at);
        Some(())
    }

    /// Looks at the screen if that is due before a time.
    fn look_before(&mut self, time: f64) {
        let due = self.output_since.map(|since| (since + OUTPUT_DELAY).max(self.last_look + INTERVAL));
        let Some(due) = due.filter(|due| *due < time && !self.screen.is_unfinished()) else { return };
        (self.output_since, self.last_look) = (None, due);
        let agent = self.screen.agent(Timestamp::from_millis((due * 1000.0) as u64));
        if self.states.last().is_none_or(|last| last.agent != agent) {
            self.states.push(ToldState { at: due, agent });
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for ToldState { at, agent } in &self.states {
            let line = match agent {
                None => "no agent".into(),
                Some((name, None)) => format!("{name} unknown"),
                Some((name, Some(evidence))) => {
                    let reason =
                        evidence.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
                    format!("{name} {} ({}){reason}", evidence.state, source(evidence))
                }
            };
            let _ = writeln!(out, "{at:8.2}  {}", escape(&line));
        }
        out
    }

    fn json(&self) -> String {
        let states = self.states.iter().map(|ToldState { at, agent }| {
            let (name, evidence) = agent.clone().unzip();
            json!({ "at": at, "agent": name, "evidence": evidence.flatten() })
        });
        let lines = states.map(|state| escape_json(&state.to_string()).into_owned() + "\n");
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_cannot_ask_for_a_larger_screen_than_a_pane_has() {
        let header = json!({ "version": 2, "width": 65_535, "height": 0 });
        assert_eq!(size(&header), Size { cols: limits::SIDE, rows: 1 });
        assert_eq!(size(&json!({ "version": 3 })), Size { cols: 80, rows: 24 });
    }
}
