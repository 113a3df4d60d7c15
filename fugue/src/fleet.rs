//! `fugue fleet`: hands over to `fugue-fleet`, a program of its own beside this one, which carries messages between
//! hosts. Its engine would make every other command slower to start.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process;

use clap::Command;
use fugue_client::{CallError, Paths, running_relay};
use fugue_config::{Config, ConfigSource, UnusableConfig};
use fugue_protocol::fleet_command::fleet_command;

use crate::context::{self, CommandFailure};
use crate::dispatch::place_of_command;

/// The program.
const PROGRAM: &str = "fugue-fleet";

/// The command line.
pub(crate) fn command() -> Command {
    fleet_command("fleet")
}

/// Becomes the other program, with the same words.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    context::parse(command(), words.clone())?;
    let program = beside_this_one()?;
    let name = place_of_command(&words);
    let others = words.into_iter().enumerate().skip(1).filter(|(at, _)| *at != name);
    let own = others.map(|(_, word)| word).collect::<Vec<_>>();
    let error = process::Command::new(&program).args(own).exec();
    Err(CallError::Local(format!("Cannot run {}: {error}", program.display())).into())
}

fn beside_this_one() -> Result<PathBuf, CallError> {
    let own = std::env::current_exe()
        .map_err(|why| CallError::Local(format!("Cannot find fugue's executable: {why}")))?;
    let program = own.with_file_name(PROGRAM);
    if program.is_file() {
        return Ok(program);
    }
    let place = own.parent().unwrap_or(&own).display();
    Err(CallError::Local(format!(
        "`{PROGRAM}` is not installed next to fugue in {place}\nhint: build it with `cargo build --release -p fugue-fleet` and copy it there"
    )))
}

/// Refuses a request that another host must answer if nothing carries it there: it would only be waited for. A host
/// without servers and `fleet.ssh` has no relay; those of other hosts reach it.
pub(crate) fn check_relay(paths: &Paths) -> Result<(), CallError> {
    let config =
        Config::parse(&ConfigSource::read(&paths.config), None).unwrap_or_else(UnusableConfig::or_defaults);
    if config.fleet.host.is_none() || (config.fleet.servers.is_empty() && config.fleet.ssh.is_empty()) {
        return Ok(());
    }
    match running_relay(&paths.state) {
        None => Err(CallError::Local(
            "No relay is running on this host, so no other host can be asked\nhint: start it with `fugue fleet run`".into(),
        )),
        Some(relay) if relay.stopped => {
            let pid = relay.pid;
            let hint = format!("hint: run `kill -CONT {pid}` to resume it");
            Err(CallError::Local(format!("The relay (pid {pid}) is stopped\n{hint}")))
        }
        Some(_) => Ok(()),
    }
}
