//! The background processes, `fugue keeper` and `fugue daemon`, which fugue starts itself.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// The paths of a daemon, given by the process that starts it.
#[derive(Parser)]
struct DaemonPaths {
    #[arg(hide = true)]
    process: String,
    /// Succeed a keeper that was killed. The standard input is the link to its daemon.
    #[arg(long)]
    adopt: bool,
    #[arg(long)]
    socket: PathBuf,
    #[arg(long)]
    state: PathBuf,
    #[arg(long)]
    config: PathBuf,
}

/// Runs the keeper. Its standard input is the listening socket.
pub(crate) fn keeper(words: &[OsString]) -> ExitCode {
    match run_keeper(DaemonPaths::parse_from(words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("fugue: {why}");
            ExitCode::from(2)
        }
    }
}

fn run_keeper(paths: DaemonPaths) -> std::io::Result<()> {
    let input = std::io::stdin().as_fd().try_clone_to_owned()?;
    let (succession, listener) = match paths.adopt {
        true => {
            fugue_keeper::AdoptedDaemon::receive(input).map(|(daemon, listener)| (Some(daemon), listener))?
        }
        false => (None, input),
    };
    if !rustix::net::sockopt::socket_acceptconn(&listener).unwrap_or(false) {
        return Err(std::io::Error::other(
            "The keeper cannot be started by hand\nhint: run any fugue command to start it",
        ));
    }
    std::fs::create_dir_all(&paths.state)?;
    let mut daemon: Vec<OsString> = vec![std::env::current_exe()?.into(), "daemon".into()];
    for (flag, path) in [("--socket", &paths.socket), ("--state", &paths.state), ("--config", &paths.config)]
    {
        daemon.extend([flag.into(), path.into()]);
    }
    let mut config = fugue_keeper::KeeperConfig::new(listener, daemon);
    config.log = Some(paths.state.join("log"));
    config.succession = succession;
    fugue_keeper::run(config)
}

/// Runs the daemon.
pub(crate) fn daemon(words: &[OsString]) -> ExitCode {
    let DaemonPaths { socket, state, config, .. } = DaemonPaths::parse_from(words);
    fugue_server::run(fugue_server::DaemonOptions { socket, state, config })
}
