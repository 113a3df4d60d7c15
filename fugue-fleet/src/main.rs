//! `fugue-fleet`: carries messages between the daemons of several hosts over NATS JetStream or ssh. It is a client of the local
//! daemon, which knows nothing of NATS, and a program of its own, so that those who use one host do not load its engine.

mod broker;
mod bucket;
mod command_line;
mod daemon_link;
mod delivery;
mod envelope;
mod failure;
mod inbound;
mod lease_bucket;
mod lease_commands;
mod members;
mod membership;
mod name_lease;
mod outbound;
mod presence;
mod rate_limit;
mod relay;
mod relay_state;
mod round_trip;
mod security;
mod settings_watch;
mod setup;
mod ssh_host;
mod static_names;
mod status;

use std::process::ExitCode;

use command_line::FleetCommand;
use failure::Failure;

fn main() -> ExitCode {
    #[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
    static_names::use_own_modules();
    let args = command_line::parse();
    let outcome = match args.command {
        FleetCommand::Run => relay::run(args.server),
        command => runtime().and_then(|runtime| runtime.block_on(answer(command, args.server))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure::report(&failure),
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.map_err(|why| Failure::new(format!("Cannot start: {why}"), None))
}

/// Carries out a command that ends by itself.
async fn answer(command: FleetCommand, server: Option<String>) -> Result<(), Failure> {
    match command {
        FleetCommand::Run => Ok(()),
        FleetCommand::Setup { servers, replicas, bytes, security } => {
            setup::run(servers, replicas, bytes, &security).await
        }
        FleetCommand::Forget { host, servers, security } => setup::forget(host, servers, &security).await,
        FleetCommand::Lease { command, json } => lease_commands::run(server, command, json).await,
        FleetCommand::Status { json } => status::show(server, json).await,
    }
}
