//! `fugue fleet`: hands over to `fugue-fleet`, a program of its own beside this one, which carries messages between
//! hosts. Its engine would make every other command slower to start.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process;

use clap::{Arg, ArgAction, Command};
use fugue_client::CallError;

use crate::context::{self, CommandFailure};

/// The program.
const PROGRAM: &str = "fugue-fleet";

/// The command line.
pub(crate) fn command() -> Command {
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON");
    Command::new("fleet")
        .about("Relay messages to other hosts over NATS")
        .subcommand_required(true)
        .subcommand(setup_command())
        .subcommand(Command::new("run").about("Relay messages until stopped"))
        .subcommand(Command::new("status").about("Show the relay, the outbox and the hosts").arg(json))
}

fn setup_command() -> Command {
    let servers = Arg::new("servers").long("servers").value_name("URL").num_args(1..).required(true);
    let replicas = Arg::new("replicas").long("replicas").value_name("COUNT").default_value("1");
    Command::new("setup")
        .about("Create a fleet's NATS stream and bucket")
        .arg(servers.help("Server URLs with an administrator's user name and password"))
        .arg(replicas.help("Number of servers in a cluster that store each message"))
}

/// Becomes the other program, with the same words.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    context::parse(command(), words.clone())?;
    let program = beside_this_one()?;
    let mut own = words.into_iter().skip(1).collect::<Vec<_>>();
    own.iter().position(|word| word == "fleet").map(|at| own.remove(at));
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
        "`{PROGRAM}` is not installed beside fugue in {place}\nhint: build it with `cargo build --release -p fugue-fleet` and copy it there"
    )))
}
