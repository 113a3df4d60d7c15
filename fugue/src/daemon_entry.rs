//! The background processes, `fugue keeper` and `fugue daemon`, which fugue starts itself.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use fugue_keeper::InstanceLock;
use fugue_protocol::refusal::Refused;
use fugue_protocol::{Refusal, messages};

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

/// Runs the keeper. Its standard input is the listening socket, and its standard output is the lock.
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
    let (succession, listener, lock) = match paths.adopt {
        true => {
            let (daemon, listener, lock) =
                fugue_keeper::AdoptedDaemon::receive(input).map_err(|_| started_by_hand())?;
            (Some(daemon), listener, lock)
        }
        false => (None, input, None),
    };
    if !rustix::net::sockopt::socket_acceptconn(&listener).unwrap_or(false) {
        return Err(started_by_hand());
    }
    let mut daemon: Vec<OsString> = vec![std::env::current_exe()?.into(), "daemon".into()];
    for (flag, path) in [("--socket", &paths.socket), ("--state", &paths.state), ("--config", &paths.config)]
    {
        daemon.extend([flag.into(), path.into()]);
    }
    let mut config = fugue_keeper::KeeperConfig::new(listener, daemon);
    config.log = Some(paths.state.join("log"));
    config.lock = Some(lock.map_or_else(|| inherited_lock(&paths.state), Ok)?);
    config.refusal = Some(refusal);
    config.succession = succession;
    fugue_keeper::run(config)
}

fn started_by_hand() -> std::io::Error {
    std::io::Error::other("The keeper cannot be started by hand\nhint: run any fugue command to start it")
}

/// The lock of the state directory, which the starter left as the standard output.
fn inherited_lock(state: &Path) -> std::io::Result<InstanceLock> {
    let lock = std::io::stdout().as_fd().try_clone_to_owned()?;
    let (found, expected) = (rustix::fs::fstat(&lock)?, rustix::fs::stat(state.join("lock"))?);
    if (found.st_dev, found.st_ino) != (expected.st_dev, expected.st_ino) {
        return Err(std::io::Error::other("The keeper was started without its lock"));
    }
    Ok(InstanceLock::from_fd(lock))
}

/// The refusal for clients while no daemon can be started.
fn refusal(why: &str, log: Option<&Path>) -> Vec<u8> {
    let log = log.map(|log| log.display().to_string()).unwrap_or_default();
    messages::refusal(None, &Refused::from(&Refusal::DaemonCannotStart { why: why.into(), log }))
}

/// Runs the daemon.
pub(crate) fn daemon(words: &[OsString]) -> ExitCode {
    let DaemonPaths { socket, state, config, .. } = DaemonPaths::parse_from(words);
    fugue_server::run(fugue_server::DaemonOptions { socket, state, config })
}
