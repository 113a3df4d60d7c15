//! `fugue proxy`: the far end of a line from another host. It relays bytes between its standard input and output, which
//! ssh carries, and the daemon's socket. If the line drops, it remembers what became of the keys typed over it, until the
//! client's next line asks.

mod dropped_lines;
mod handover;
mod key_counts;
mod relay;

use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, LedgerMemory, NO_DAEMON, StartPolicy, connect_or_start};
use fugue_protocol::input_ledger::delivered_frame;

use crate::context::{self, CommandFailure};
use handover::{LineClaim, LineKey};
use relay::{LineEnd, Relay};

/// The command line of `fugue proxy`.
pub(crate) fn command() -> Command {
    let key = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("ID").value_parser(LineKey::parse).help(help)
    };
    Command::new("proxy")
        .about("Connect standard input and output to the daemon")
        .hide(true)
        .arg(
            Arg::new("start")
                .long("start")
                .action(ArgAction::SetTrue)
                .help("Start a daemon if none is running"),
        )
        .arg(key("connection", "Id of this connection, for resuming it later"))
        .arg(key("former-connection", "Id of the connection that this one resumes"))
        .arg(Arg::new("remember").long("remember").action(ArgAction::SetTrue).hide(true))
        .arg(Arg::new("answered").long("answered").action(ArgAction::SetTrue).hide(true))
}

/// Runs `fugue proxy`.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    if args.get_flag("remember") {
        handover::remember(args.get_flag("answered"));
        return Ok(());
    }
    let paths = context::paths(&args)?;
    let socket = match connect_or_start(&paths, start_policy(&args)) {
        Err(error @ CallError::NoDaemon(_)) => {
            let _ = writeln!(std::io::stderr(), "fugue: {error}");
            return Err(CommandFailure::ExitCode(NO_DAEMON));
        }
        socket => socket?,
    };
    let former = args.get_one::<LineKey>("former-connection");
    let known = |key: &LineKey| handover::ask(key).or_else(|| dropped_lines::was_unused(&paths.state, key));
    let first = former.map(|key| delivered_frame(known(key).as_deref())).unwrap_or_default();
    let claim = args.get_one::<LineKey>("connection").and_then(|key| LineClaim::new(key).ok());
    let ledger = claim.as_ref().and_then(|_| LedgerMemory::new().ok());
    let mut relay = Relay::new(socket, ledger, claim.as_ref(), first);
    let end = relay.run().map_err(CallError::Lost)?;
    if end == LineEnd::Orderly {
        return Ok(());
    }
    let key = args.get_one::<LineKey>("connection");
    let (has_typed, delivered) = (relay.has_typed(), relay.delivered());
    drop(relay);
    match (claim, delivered) {
        // Without keys there is nothing to count, and a file is enough.
        (Some(claim), _) if !has_typed => {
            key.into_iter().for_each(|key| dropped_lines::note_unused(&paths.state, key));
            claim.answer(&[]);
        }
        (Some(claim), Some(delivered)) => claim.hand_over(&delivered, &paths.state),
        _ => {}
    }
    Ok(())
}

fn start_policy(args: &ArgMatches) -> StartPolicy {
    if args.get_flag("start") { StartPolicy::IfNeeded } else { StartPolicy::Never }
}
