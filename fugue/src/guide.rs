//! `fugue guide`: the guidance for agents to put into a project's CLAUDE.md or AGENTS.md.

use std::ffi::OsString;
use std::io::Write;

use clap::Command;
use serde_json::json;

use crate::context::{self, CommandFailure};

/// The command line.
pub(crate) fn command() -> Command {
    Command::new("guide").about("Print agent guidance for CLAUDE.md or AGENTS.md")
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let text = if args.get_flag("json") {
        json!({ "text": fugue_mcp::GUIDE }).to_string() + "\n"
    } else {
        fugue_mcp::GUIDE.to_owned()
    };
    // A reader that has gone away has read enough.
    let _ = write!(std::io::stdout(), "{text}");
    Ok(())
}
