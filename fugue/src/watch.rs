//! `--watch`: a reply that is printed again whenever an event changes it.

use std::io::{IsTerminal, Write};

use clap::ArgMatches;
use fugue_client::{CallError, Connection, ServerFrame};
use fugue_protocol::verbs::{Arguments, GetServerStatus, SubscribeEvents, VerbInfo};
use serde_json::value::{RawValue, to_raw_value};

use crate::context::{self, CommandFailure};
use crate::print;

/// Clears the screen and puts the cursor at its start.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Prints the reply of a verb, and again after each event that changes it, until the daemon ends.
pub(crate) fn run(
    verb: &'static VerbInfo,
    arguments: &Arguments,
    args: &ArgMatches,
) -> Result<(), CommandFailure> {
    let mut events = context::open_to_read(args)?;
    let newest = events.call(&GetServerStatus {})?.last_event;
    events.call(&SubscribeEvents { since: Some(newest) })?;
    let mut connection = context::open_to_read(args)?;
    let arguments_json = to_raw_value(arguments).map_err(|why| CallError::Malformed(why.to_string()))?;
    let mut last = None;
    loop {
        let reply = connection.call_named(verb.name, &arguments_json)?;
        let text = reply.get().to_owned();
        if last.replace(text.clone()) != Some(text) {
            show(verb, &reply, arguments, args.get_flag("json"))?;
        }
        next_event(&mut events)?;
    }
}

fn show(verb: &VerbInfo, reply: &RawValue, arguments: &Arguments, json: bool) -> Result<(), CommandFailure> {
    if std::io::stdout().is_terminal() && !json {
        let _ = write!(std::io::stdout(), "{CLEAR}");
    }
    print::reply(verb, reply, arguments, json)
}

fn next_event(connection: &mut Connection) -> Result<(), CallError> {
    while !matches!(connection.next_frame()?, ServerFrame::Event(_)) {}
    Ok(())
}
