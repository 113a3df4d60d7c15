//! `fugue fleet`: hands over to `fugue-fleet`, a program of its own beside this one, which carries messages between
//! hosts. Its engine would make every other command slower to start.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process;

use clap::Command;
use fugue_client::CallError;
use fugue_protocol::fleet_command::fleet_command;

use crate::context::{self, CommandFailure};

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
    let name = context::place_of("fleet", &words);
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
