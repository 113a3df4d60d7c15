//! The command line, which is that of `fugue fleet`.

use clap::{Arg, ArgAction, ArgMatches, Command};

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
    },
}

fn command() -> Command {
    let server = Arg::new("server").long("server").value_name("NAME").global(true).help("Name of the daemon");
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON");
    Command::new("fugue-fleet")
        .about("Relay messages to other hosts over NATS")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg(server)
        .subcommand(Command::new("run").about("Relay messages until stopped"))
        .subcommand(setup_command())
        .subcommand(Command::new("status").about("Show the relay, the outbox and the hosts").arg(json))
}

fn setup_command() -> Command {
    let servers = Arg::new("servers")
        .long("servers")
        .value_name("URL")
        .num_args(1..)
        .required(true)
        .help("Server URLs with an administrator's user name and password");
    let replicas = Arg::new("replicas")
        .long("replicas")
        .value_name("COUNT")
        .value_parser(clap::value_parser!(usize))
        .default_value("1")
        .help("Number of servers in a cluster that store each message");
    Command::new("setup").about("Create a fleet's NATS stream and bucket").arg(servers).arg(replicas)
}

/// Reads the command line, or exits with what is wrong with it.
pub(crate) fn parse() -> FleetArgs {
    let matches = command().get_matches();
    let server = matches.get_one::<String>("server").cloned();
    let is_set = |args: &ArgMatches| args.get_flag("json");
    let command = match matches.subcommand() {
        Some(("status", args)) => FleetCommand::Status { json: is_set(args) },
        Some(("setup", args)) => FleetCommand::Setup {
            servers: args.get_many::<String>("servers").into_iter().flatten().cloned().collect(),
            replicas: args.get_one::<usize>("replicas").copied().unwrap_or(1),
        },
        _ => FleetCommand::Run,
    };
    FleetArgs { server, command }
}
