//! The command line, which is that of `fugue fleet`.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, FromArgMatches};
use fugue_protocol::fleet_command::fleet_command;
use fugue_protocol::verbs::{Claim, Release};

use crate::lease_commands::LeaseCommand;
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
    Lease {
        command: LeaseCommand,
        json: bool,
    },
}

/// Reads the command line, or exits with what is wrong with it.
pub(crate) fn parse() -> FleetArgs {
    let server = Arg::new("server").long("server").value_name("NAME").global(true).help("Name of the daemon");
    let command = fleet_command("fugue-fleet").version(env!("CARGO_PKG_VERSION")).arg(server);
    let matches = command.get_matches();
    let server = matches.get_one::<String>("server").cloned();
    let command = read(&matches).unwrap_or_else(|error| error.exit());
    FleetArgs { server, command }
}

fn read(matches: &ArgMatches) -> Result<FleetCommand, clap::Error> {
    let lease = |command, args: &ArgMatches| {
        let json = args.try_get_one::<bool>("json").ok().flatten().copied().unwrap_or_default();
        FleetCommand::Lease { command, json }
    };
    Ok(match matches.subcommand() {
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
        Some(("claim", args)) => lease(LeaseCommand::Claim(Claim::from_arg_matches(args)?), args),
        Some(("release", args)) => lease(LeaseCommand::Release(Release::from_arg_matches(args)?), args),
        Some(("leases", args)) => lease(LeaseCommand::List, args),
        _ => FleetCommand::Run,
    })
}
