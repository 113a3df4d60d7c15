//! The processes that people do not start by hand.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Where a daemon's things are: told by whoever starts it.
#[derive(Parser)]
struct Told {
    #[arg(hide = true)]
    word: String,
    #[arg(long)]
    socket: PathBuf,
    #[arg(long)]
    state: PathBuf,
    #[arg(long)]
    config: PathBuf,
}

/// Is the keeper; its standard input is the socket to listen at.
pub(crate) fn keeper(words: &[OsString]) -> ExitCode {
    let told = Told::parse_from(words);
    match start(told) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn start(told: Told) -> std::io::Result<()> {
    let listener = std::io::stdin().as_fd().try_clone_to_owned()?;
    if !rustix::net::sockopt::socket_acceptconn(&listener).unwrap_or(false) {
        return Err(std::io::Error::other("the keeper is started by fugue itself: any command does so"));
    }
    std::fs::create_dir_all(&told.state)?;
    let mut daemon: Vec<OsString> = vec![std::env::current_exe()?.into(), "daemon".into()];
    for (flag, path) in [("--socket", &told.socket), ("--state", &told.state), ("--config", &told.config)] {
        daemon.extend([flag.into(), path.into()]);
    }
    let mut config = fugue_keeper::Config::new(listener, daemon);
    config.log = Some(told.state.join("log"));
    fugue_keeper::run(config)
}

/// Is the daemon.
pub(crate) fn daemon(words: &[OsString]) -> ExitCode {
    let Told { socket, state, config, .. } = Told::parse_from(words);
    fugue_server::run(fugue_server::DaemonOptions { socket, state, config })
}
