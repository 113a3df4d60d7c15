//! `fugue-fleet`: carries messages between the daemons of several hosts over NATS JetStream or ssh. It is a client of the local
//! daemon, which knows nothing of NATS, and a program of its own, so that those who use one host do not load its engine.

mod broker;
mod bucket;
mod command_line;
mod daemon_link;
mod delivery;
mod envelope;
mod failure;
mod host_entry;
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
mod setup;
mod ssh_host;
mod static_names;
mod status;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
    static_names::use_own_modules();
    let args = command_line::parse();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(why) => return failure::report(&failure::Failure::new(format!("Cannot start: {why}"), None)),
    };
    let outcome = runtime.block_on(async {
        match args.command {
            command_line::FleetCommand::Run => relay::run(args.server).await,
            command_line::FleetCommand::Setup { servers, replicas, bytes, security } => {
                setup::run(servers, replicas, bytes, &security).await
            }
            command_line::FleetCommand::Forget { host, servers, security } => {
                setup::forget(host, servers, &security).await
            }
            command_line::FleetCommand::Lease { command, json } => {
                lease_commands::run(args.server, command, json).await
            }
            command_line::FleetCommand::Status { json } => status::show(args.server, json).await,
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure::report(&failure),
    }
}
