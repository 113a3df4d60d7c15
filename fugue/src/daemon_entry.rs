//! The background processes, `fugue keeper` and `fugue daemon`, which fugue starts itself.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use fugue_keeper::{InstanceLock, KeeperConfig};
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
    /// Continue as the keeper that this process was before it executed this binary.
    #[arg(long, conflicts_with = "adopt")]
    resume: bool,
    #[arg(long)]
    socket: PathBuf,
    #[arg(long)]
    state: PathBuf,
    #[arg(long)]
    config: PathBuf,
}

/// Runs the keeper. Its standard input is the listening socket, and its standard output is the lock.
pub(crate) fn keeper(words: &[OsString]) -> ExitCode {
    if let [_, _, flag, version] = words
        && flag == "--reads-table"
    {
        return say_if_table_is_read(version);
    }
    match run_keeper(DaemonPaths::parse_from(words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("fugue: {why}");
            ExitCode::from(2)
        }
    }
}

/// Says whether this version reads the table of a keeper that wants to execute it.
fn say_if_table_is_read(version: &OsStr) -> ExitCode {
    if version != fugue_keeper::TABLE_VERSION.to_string().as_str() {
        return ExitCode::FAILURE;
    }
    println!("{}", fugue_keeper::TABLE_ANSWER);
    ExitCode::SUCCESS
}

fn run_keeper(paths: DaemonPaths) -> std::io::Result<()> {
    if paths.resume {
        return resume_keeper(&paths);
    }
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
    let lock = lock.map_or_else(|| inherited_lock(&paths.state), Ok)?;
    let config = keeper_config(&paths, listener, lock)?;
    fugue_keeper::run(KeeperConfig { succession, ..config })
}

fn resume_keeper(paths: &DaemonPaths) -> std::io::Result<()> {
    let mut table = fugue_keeper::ImageTable::inherited().map_err(|_| started_by_hand())?;
    let (listener, lock) = (table.take_listener()?, InstanceLock::from_fd(table.take_lock()?));
    let config = keeper_config(paths, listener, lock)?;
    Err(fugue_keeper::resume(config, table))
}

fn keeper_config(
    paths: &DaemonPaths,
    listener: OwnedFd,
    lock: InstanceLock,
) -> std::io::Result<KeeperConfig> {
    let mut daemon: Vec<OsString> = vec![std::env::current_exe()?.into(), "daemon".into()];
    for (flag, path) in [("--socket", &paths.socket), ("--state", &paths.state), ("--config", &paths.config)]
    {
        daemon.extend([flag.into(), path.into()]);
    }
    let mut config = KeeperConfig::new(listener, daemon);
    config.log = Some(paths.state.join("log"));
    config.lock = Some(lock);
    // A package upgrade may replace the file at the path: daemons are of the keeper's version until `fugue upgrade`.
    config.own_image = Some(std::fs::File::open("/proc/self/exe")?.into());
    config.refusal = Some(refusal);
    Ok(config)
}

fn started_by_hand() -> std::io::Error {
    std::io::Error::other("The keeper cannot be started by hand\nhint: run any fugue command to start it")
}

/// The lock of the state directory, which the starter left as the standard output.
fn inherited_lock(state: &Path) -> std::io::Result<InstanceLock> {
    let lock = std::io::stdout().as_fd().try_clone_to_owned()?;
    let (found, expected) = (rustix::fs::fstat(&lock)?, rustix::fs::stat(state.join("lock"))?);
    if (found.st_dev, found.st_ino) != (expected.st_dev, expected.st_ino) {
        return Err(std::io::Error::other("The keeper was started without holding its lock"));
    }
    Ok(InstanceLock::from_fd(lock))
}

/// The refusal for clients while no daemon can be started.
fn refusal(why: &str, log: Option<&Path>, has_programs: bool) -> Vec<u8> {
    let log = log.map(|log| log.display().to_string()).unwrap_or_default();
    let refusal = Refusal::DaemonCannotStart { why: why.into(), log, has_programs };
    messages::refusal(None, &Refused::from(&refusal))
}

/// Runs the daemon.
pub(crate) fn daemon(words: &[OsString]) -> ExitCode {
    let DaemonPaths { socket, state, config, .. } = DaemonPaths::parse_from(words);
    #[cfg(debug_assertions)]
    if let Err(why) = crate::allocation_count::start() {
        eprintln!("fugue: cannot count allocations: {why}");
    }
    fugue_server::run(fugue_server::DaemonOptions { socket, state, config })
}
