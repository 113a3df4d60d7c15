//! The command line of `fugue fleet`, which is also that of the program `fugue-fleet`, to which `fugue` hands over.

use clap::{Arg, ArgAction, Args, Command};

use crate::fleet_host::FleetHost;
use crate::verbs::{Claim, Release};

/// The command with this name.
pub fn fleet_command(name: &'static str) -> Command {
    let named = |command: Command| command.mut_arg("name", |name| name.help("The lease's name"));
    let claim = named(Claim::augment_args(Command::new("claim")));
    let release = named(Release::augment_args(Command::new("release")));
    Command::new(name)
        .about("Relay messages to other hosts over NATS")
        .subcommand_required(true)
        .subcommand(Command::new("run").about("Relay messages until stopped"))
        .subcommand(setup_command())
        .subcommand(forget_command())
        .subcommand(
            Command::new("status")
                .about(
                    "Check that messages are relayed, and show the outbox and the hosts (exit code 1 if not)",
                )
                .arg(json()),
        )
        .subcommand(describe(claim, "Claim a lease that is valid on all hosts").arg(json()))
        .subcommand(describe(release, "Release a lease that is valid on all hosts"))
        .subcommand(Command::new("leases").about("List the leases that are valid on all hosts").arg(json()))
}

/// The command with this description instead of the verb's, which is about one host.
fn describe(command: Command, about: &'static str) -> Command {
    command.about(about).long_about(None)
}

fn json() -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON")
}

fn setup_command() -> Command {
    let replicas = Arg::new("replicas")
        .long("replicas")
        .value_name("COUNT")
        .value_parser(clap::value_parser!(usize))
        .default_value("1")
        .help("Number of servers in a cluster that store each message");
    let bytes = Arg::new("max-bytes")
        .long("max-bytes")
        .value_name("BYTES")
        .value_parser(clap::value_parser!(i64).range(1..))
        .help("Size of the stream, which the servers reserve [default: 4294967296]");
    let command = Command::new("setup")
        .about("Create a fleet's NATS stream and buckets, or update the stream's limits")
        .arg(replicas)
        .arg(bytes);
    administration(command)
}

fn forget_command() -> Command {
    let host = Arg::new("name")
        .value_name("HOST")
        .required(true)
        .value_parser(|text: &str| text.parse::<FleetHost>())
        .help("The host's name");
    let about = "Remove a host from the fleet, with the messages in the stream that are for it or from it";
    administration(Command::new("forget").about(about).arg(host))
}

/// The command with the servers, and what proves that an administrator runs it.
fn administration(command: Command) -> Command {
    let servers = Arg::new("servers")
        .long("servers")
        .value_name("URL")
        .num_args(1..)
        .required(true)
        .help("Server URLs, with an administrator's user name and password");
    let file = |name: &'static str, help: &'static str| {
        let parser = clap::value_parser!(std::path::PathBuf);
        Arg::new(name).long(name).value_name("FILE").value_parser(parser).help(help)
    };
    command
        .arg(servers)
        .arg(file("tls-ca", "Certificate of the CA that signed the servers' certificates"))
        .arg(file("creds", "An administrator's credentials, instead of a user name and password"))
        .arg(file("nkey-seed", "An administrator's nkey seed, instead of a user name and password"))
}
