//! `fugue completions` and `fugue man`: the command line as shell completions and as man pages.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, value_parser};
use clap_complete::Shell;
use fugue_client::CallError;

use crate::context::{self, CommandFailure};

/// The command line of `fugue completions`.
pub(crate) fn command() -> Command {
    let shell = Arg::new("shell").required(true).value_parser(value_parser!(Shell)).help("The shell");
    Command::new("completions").about("Print shell completions").arg(shell)
}

/// Prints the completions for a shell.
pub(crate) fn run(words: Vec<OsString>, mut command_line: Command) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    if let Some(shell) = args.get_one::<Shell>("shell") {
        let mut text = Vec::new();
        clap_complete::generate(*shell, &mut command_line, "fugue", &mut text);
        let _ = std::io::stdout().write_all(&text);
    }
    Ok(())
}

/// The command line of `fugue man`.
pub(crate) fn man_command() -> Command {
    let directory = Arg::new("directory").required(true).value_parser(value_parser!(PathBuf));
    Command::new("man")
        .about("Write man pages to a directory")
        .arg(directory.help("Directory to write to; created if missing"))
}

/// Writes the man pages.
pub(crate) fn man(words: Vec<OsString>, command_line: Command) -> Result<(), CommandFailure> {
    let args = context::parse(man_command(), words)?;
    let directory = args.get_one::<PathBuf>("directory").cloned().unwrap_or_default();
    let written = write_man(&directory, command_line);
    written.map_err(|why| CallError::Local(format!("Cannot write to {}: {why}", directory.display())).into())
}

fn write_man(directory: &Path, command_line: Command) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    clap_mangen::generate_to(command_line, directory)
}
