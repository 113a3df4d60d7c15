//! `fugue events`: what happens, a line of JSON each. Over a daemon's restart it goes on where it was.

use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use fugue_client::{CallError, Connection, ServerFrame, StartPolicy};
use fugue_protocol::verbs::{GetServerStatus, SubscribeEvents};

use crate::cli::{self, Failure};

/// The command's flags.
pub(crate) fn command() -> Command {
    Command::new("events")
        .about("Print what happens, a line of JSON each")
        .arg(
            Arg::new("follow")
                .long("follow")
                .short('f')
                .action(ArgAction::SetTrue)
                .help("Go on until interrupted"),
        )
        .arg(Arg::new("since").long("since").value_name("ID").value_parser(value_parser!(u64)).help(
            "Begin after this event, so that nothing is missed; from the first kept one without --follow",
        ))
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), Failure> {
    let fugue = cli::with_common(Command::new("fugue").subcommand_required(true));
    let matches = fugue.subcommand(command()).try_get_matches_from(words)?;
    let Some((_, args)) = matches.subcommand() else { return Ok(()) };
    let follow = args.get_flag("follow");
    let mut seen = args.get_one::<u64>("since").copied();
    loop {
        match stream(args, &mut seen, follow) {
            Err(CallError::Lost(_)) if follow => {}
            Err(trouble) => return Err(trouble.into()),
            Ok(()) => return Ok(()),
        }
    }
}

/// Prints events until there are no more for now, or for ever.
fn stream(args: &ArgMatches, seen: &mut Option<u64>, follow: bool) -> Result<(), CallError> {
    let mut connection = cli::open(args, StartPolicy::IfNeeded)?;
    let newest = connection.call(&GetServerStatus {})?.last_event;
    let begin = seen.or(if follow { None } else { Some(oldest(&mut connection)?) });
    connection.call(&SubscribeEvents { since: begin })?;
    *seen = seen.or(begin).or(Some(newest));
    while follow || seen.is_some_and(|seen| seen < newest) {
        if let ServerFrame::Event(told) = connection.next_frame()? {
            *seen = told.id.or(*seen);
            let line = serde_json::to_string(&told).map_err(|why| CallError::Malformed(why.to_string()))?;
            if writeln!(std::io::stdout(), "{line}").is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Before the oldest event that is kept.
fn oldest(connection: &mut Connection) -> Result<u64, CallError> {
    match connection.call(&SubscribeEvents { since: Some(0) }) {
        Ok(_) => Ok(0),
        Err(CallError::Refused(refused)) => Ok(refused.detail["oldest"].as_u64().unwrap_or(1) - 1),
        Err(trouble) => Err(trouble),
    }
}
