//! The command line, which is that of `fugue fleet`.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, FromArgMatches};
use fugue_protocol::FleetHost;
use fugue_protocol::fleet_command::fleet_command;
use fugue_protocol::verbs::{Claim, Release};

use crate::broker::STREAM_BYTES;
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
        bytes: i64,
        security: Security,
    },
    /// A host that does not belong to the fleet anymore.
    Forget {
        host: FleetHost,
        servers: Vec<String>,
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
            servers: servers(args),
            replicas: args.get_one::<usize>("replicas").copied().unwrap_or(1),
            bytes: args.get_one::<i64>("max-bytes").copied().unwrap_or(STREAM_BYTES),
            security: security(args),
        },
        Some(("forget", args)) => FleetCommand::Forget {
            host: args.get_one::<FleetHost>("name").cloned().ok_or_else(no_host)?,
            servers: servers(args),
            security: security(args),
        },
        Some(("claim", args)) => lease(LeaseCommand::Claim(Claim::from_arg_matches(args)?), args),
        Some(("release", args)) => lease(LeaseCommand::Release(Release::from_arg_matches(args)?), args),
        Some(("leases", args)) => lease(LeaseCommand::List, args),
        _ => FleetCommand::Run,
    })
}

/// The host is required, so this does not occur.
fn no_host() -> clap::Error {
    clap::Error::new(clap::error::ErrorKind::MissingRequiredArgument)
}

fn servers(args: &ArgMatches) -> Vec<String> {
    args.get_many::<String>("servers").into_iter().flatten().cloned().collect()
}

fn security(args: &ArgMatches) -> Security {
    let file = |name| args.get_one::<PathBuf>(name).cloned();
    Security { tls_ca: file("tls-ca"), creds: file("creds"), nkey_seed: file("nkey-seed") }
}
