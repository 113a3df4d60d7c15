//! `--watch`: something that is printed again after every event, if that changed it.

use std::convert::Infallible;
use std::io::{IsTerminal, Write};

use clap::ArgMatches;
use fugue_client::{CallError, Connection, ServerFrame, StartPolicy};
use fugue_protocol::verbs::{Arguments, SubscribeEvents, VerbInfo};
use serde_json::value::{RawValue, to_raw_value};

use crate::context::{self, CommandFailure};
use crate::print;

/// Clears the screen and puts the cursor at its start.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Prints the reply of a verb, and again after each event that changes it.
pub(crate) fn run(
    verb: &'static VerbInfo,
    arguments: &Arguments,
    args: &ArgMatches,
) -> Result<(), CommandFailure> {
    let arguments_json = to_raw_value(arguments).map_err(|why| CallError::Malformed(why.to_string()))?;
    let mut last = None;
    after_each_event(args, |connection| {
        let reply = connection.call_named(verb.name, &arguments_json)?;
        let text = reply.get().to_owned();
        if last.replace(text.clone()) == Some(text) {
            return Ok(());
        }
        show(verb, &reply, arguments, args)
    })
}

fn show(
    verb: &VerbInfo,
    reply: &RawValue,
    arguments: &Arguments,
    args: &ArgMatches,
) -> Result<(), CommandFailure> {
    let _ = write!(std::io::stdout(), "{}", before_each(args));
    print::reply(verb, reply, arguments, args.get_flag("json"))
}

/// Returns what is written before each printout, so that it replaces the last one on a terminal.
pub(crate) fn before_each(args: &ArgMatches) -> &'static str {
    if std::io::stdout().is_terminal() && !args.get_flag("json") { CLEAR } else { "" }
}

/// Calls a function now and after each event. Continues if the daemon restarts, and ends if it is shut down.
pub(crate) fn after_each_event(
    args: &ArgMatches,
    mut print: impl FnMut(&mut Connection) -> Result<(), CommandFailure>,
) -> Result<(), CommandFailure> {
    let mut start = StartPolicy::IfNeeded;
    loop {
        let Err(failure) = follow(args, start, &mut print);
        match failure {
            CommandFailure::Call(CallError::Lost(_)) => start = StartPolicy::Never,
            CommandFailure::Call(error) if error.is_shutdown() => {
                start = StartPolicy::Never;
                context::await_end(args);
            }
            // Only a daemon that was shut down has no successor: it is not started again just to be watched.
            CommandFailure::Call(CallError::NoDaemon(_)) if start == StartPolicy::Never => return Ok(()),
            failure => return Err(failure),
        }
    }
}

fn follow(
    args: &ArgMatches,
    start: StartPolicy,
    print: &mut impl FnMut(&mut Connection) -> Result<(), CommandFailure>,
) -> Result<Infallible, CommandFailure> {
    let open = || match start {
        StartPolicy::IfNeeded => context::open_to_read(args),
        StartPolicy::Never => context::open(args, start),
    };
    let (mut events, mut connection) = (open()?, open()?);
    events.call(&SubscribeEvents::default())?;
    loop {
        print(&mut connection)?;
        while !matches!(events.next_frame()?, ServerFrame::Event(_)) {}
    }
}
