//! The command line, which is that of `fugue fleet`.

use std::path::PathBuf;

use clap::{Arg, ArgMatches};
use fugue_protocol::fleet_command::fleet_command;

use crate::security::Security;

/// A command line that was understood.
pub(crate) struct FleetArgs {
    /// The name of the daemon; none for the default one.
    pub(crate) server: Option<String>,
    pub(crate) command: FleetCommand,
}

/// What to do.
pub(crate) enum FleetCommand {
    Run,
    Status {
        json: bool,
    },
    /// The servers of an administrator, and how many of them keep each message.
    Setup {
        servers: Vec<String>,
        replicas: usize,
        security: Security,
    },
}

/// Reads the command line, or exits with what is wrong with it.
pub(crate) fn parse() -> FleetArgs {
    let server = Arg::new("server").long("server").value_name("NAME").global(true).help("Name of the daemon");
    let command = fleet_command("fugue-fleet").version(env!("CARGO_PKG_VERSION")).arg(server);
    let matches = command.get_matches();
    let server = matches.get_one::<String>("server").cloned();
    FleetArgs { server, command: read(&matches) }
}

fn read(matches: &ArgMatches) -> FleetCommand {
    match matches.subcommand() {
        Some(("status", args)) => FleetCommand::Status { json: args.get_flag("json") },
        Some(("setup", args)) => FleetCommand::Setup {
            servers: args.get_many::<String>("servers").into_iter().flatten().cloned().collect(),
            replicas: args.get_one::<usize>("replicas").copied().unwrap_or(1),
            security: Security {
                tls_ca: args.get_one::<PathBuf>("tls-ca").cloned(),
                creds: args.get_one::<PathBuf>("creds").cloned(),
                nkey_seed: args.get_one::<PathBuf>("nkey-seed").cloned(),
            },
        },
        _ => FleetCommand::Run,
    }
}
