//! `fugue events`: prints events, one line of JSON each. It continues across a restart of the daemon.

use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use fugue_client::{CallError, Connection, ServerFrame};
use fugue_protocol::verbs::{GetServerStatus, SubscribeEvents};

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
    let follow = args.get_flag("follow");
    let mut seen = args.get_one::<u64>("since").copied();
    loop {
        match stream(args, &mut seen, follow) {
            Err(CallError::Lost(_)) if follow => {}
            Err(error) => return Err(error.into()),
            Ok(()) => return Ok(()),
        }
    }
}

/// Prints the events so far or, with `follow`, every event until the connection ends.
fn stream(args: &ArgMatches, seen: &mut Option<u64>, follow: bool) -> Result<(), CallError> {
    let mut connection = context::open_to_read(args)?;
    let newest = connection.call(&GetServerStatus {})?.last_event;
    let begin = seen.or(if follow { None } else { Some(oldest(&mut connection)?) });
    connection.call(&SubscribeEvents { since: begin })?;
    *seen = seen.or(begin).or(Some(newest));
    while follow || seen.is_some_and(|seen| seen < newest) {
        if let ServerFrame::Event(event) = connection.next_frame()? {
            *seen = event.id.or(*seen);
            let line = serde_json::to_string(&event).map_err(|why| CallError::Malformed(why.to_string()))?;
            if writeln!(std::io::stdout(), "{line}").is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The id just before the oldest event that is kept.
fn oldest(connection: &mut Connection) -> Result<u64, CallError> {
    match connection.call(&SubscribeEvents { since: Some(0) }) {
        Ok(_) => Ok(0),
        Err(CallError::Refused(refused)) => Ok(refused.detail["oldest"].as_u64().unwrap_or(1) - 1),
        Err(error) => Err(error),
    }
}
