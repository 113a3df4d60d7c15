//! `fugue events`: prints events, one line of JSON each. It continues across a restart of the daemon, after the last
//! event that it printed.

use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use fugue_client::{CallError, Connection, ServerFrame, StartPolicy};
use fugue_protocol::escape::escape_json;
use fugue_protocol::events::EventRecord;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{GetServerStatus, SubscribeEvents};
use serde::Serialize;
use serde_json::json;

use crate::context::{self, CommandFailure};

/// The command line of `fugue events`.
pub(crate) fn command() -> Command {
    Command::new("events")
        .about("Print events, one JSON object per line")
        .arg(
            Arg::new("follow")
                .long("follow")
                .short('f')
                .action(ArgAction::SetTrue)
                .help("Keep printing until interrupted"),
        )
        .arg(
            Arg::new("since")
                .long("since")
                .value_name("ID")
                .value_parser(value_parser!(u64))
                .help("Start after this event id [default: all stored events; with --follow, only new ones]"),
        )
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = &context::parse(command(), words)?;
    let mut printer = EventPrinter { follow: args.get_flag("follow"), seen: args.get_one("since").copied() };
    let mut start = StartPolicy::IfNeeded;
    loop {
        match printer.stream(args, start) {
            // Only a daemon that was shut down has no successor: it is not started again just to be listened to.
            Err(CallError::Lost(_)) if printer.follow => start = StartPolicy::Never,
            Err(error) if printer.follow && error.is_shutdown() => {
                start = StartPolicy::Never;
                context::await_end(args);
            }
            Err(CallError::NoDaemon(_)) if start == StartPolicy::Never => {
                let _ =
                    writeln!(std::io::stderr(), "fugue: The daemon was shut down; there are no more events");
                return Ok(());
            }
            Err(error) => return Err(error.into()),
            Ok(()) => return Ok(()),
        }
    }
}

/// Prints events, each once.
struct EventPrinter {
    follow: bool,
    /// The id of the last event that was printed, or after which to begin.
    seen: Option<u64>,
}

impl EventPrinter {
    /// Prints the events so far or, with `follow`, every event until the connection ends.
    fn stream(&mut self, args: &ArgMatches, start: StartPolicy) -> Result<(), CallError> {
        let mut connection = match start {
            StartPolicy::IfNeeded => context::open_to_read(args)?,
            StartPolicy::Never => context::open(args, start)?,
        };
        let newest = connection.call(&GetServerStatus {})?.last_event;
        let resumes = start == StartPolicy::Never;
        let begin = self.seen.unwrap_or(if self.follow { newest } else { 0 });
        let subscribed = connection.call(&SubscribeEvents { since: Some(begin) });
        self.seen = match subscribed {
            Err(CallError::Refused(refused)) if resumes || self.seen.is_none() => {
                Some(self.skip_deleted(begin, &refused, &mut connection)?)
            }
            subscribed => subscribed.map(|_| Some(begin))?,
        };
        while self.follow || self.seen < Some(newest) {
            if let ServerFrame::Event(event) = connection.next_frame()?
                && !self.print_event(&event)
            {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Prints an event, after a line that says so if some before it were deleted before they could be sent. Returns
    /// whether anyone reads it.
    fn print_event(&mut self, event: &EventRecord) -> bool {
        if let Some((id, seen)) = event.id.zip(self.seen).filter(|(id, seen)| *id > seen + 1) {
            print_missed(seen, id);
        }
        self.seen = event.id.or(self.seen);
        print(event)
    }

    /// Subscribes to the events that are kept, because those after `begin` were deleted; returns the id before the
    /// oldest. Whoever has printed earlier ones is told what is missing.
    fn skip_deleted(
        &self,
        begin: u64,
        refused: &Refused,
        connection: &mut Connection,
    ) -> Result<u64, CallError> {
        let Some(oldest) = refused.detail["oldest"].as_u64() else {
            return Err(CallError::from(refused.clone()));
        };
        if self.seen.is_some() {
            print_missed(begin, oldest);
        }
        connection.call(&SubscribeEvents { since: Some(oldest - 1) })?;
        Ok(oldest - 1)
    }
}

/// Prints that the events between these two are no longer kept.
fn print_missed(after: u64, before: u64) {
    print(&json!({ "event": "events_missed", "after": after, "before": before }));
}

/// Prints a line of JSON; returns whether anyone reads it.
fn print(line: &impl Serialize) -> bool {
    let line = serde_json::to_string(line).unwrap_or_default();
    writeln!(std::io::stdout(), "{}", escape_json(&line)).is_ok()
}
