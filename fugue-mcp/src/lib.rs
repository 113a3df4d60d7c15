//! The MCP server over stdio. It is a client of the daemon like any other; each agent starts its own as `fugue mcp`.
//!
//! Tools are generated from the verbs (`tools.rs`), arguments are read leniently and checked (`arguments/`), replies are
//! formatted for models (`results/`), and the bridge (`bridge/`) forwards calls to the daemon. No state is kept between
//! calls except the connection.

mod arguments;
mod bridge;
mod help;
mod hints;
mod instructions;
mod profiles;
mod reference_page;
mod resources;
mod results;
mod schema;
mod tools;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use profiles::Profile;
pub use reference_page::{page as reference_page, tool_list};

/// Serve MCP to an agent on standard input and output.
#[derive(Debug, Parser)]
#[command(name = "fugue mcp")]
struct McpArgs {
    /// Daemon to use [default: this pane's, or `default`].
    #[arg(long)]
    server: Option<String>,
    /// Tools to list: core, observe (those that only read), all, or names separated by commas. All can be called.
    #[arg(long, value_name = "PROFILE", default_value = "core")]
    tools: Profile,
}

/// Runs the MCP server until standard input ends.
pub fn run(args: &[OsString]) -> ExitCode {
    let args = McpArgs::parse_from(args.iter().skip(1));
    // One thread is enough for a process that mostly waits, and it starts tasks in the order of their requests.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    let served = runtime.block_on(bridge::serve(args.server, args.tools));
    // A blocking read of standard input cannot be interrupted; its thread ends with the process.
    runtime.shutdown_background();
    served.map_or_else(|error| fail(&error), |()| ExitCode::SUCCESS)
}

/// Parses one line of input and drops the result, for the fuzzer.
#[doc(hidden)]
pub fn parse_line(line: &[u8]) {
    bridge::parse_line(line);
}

fn fail(error: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("fugue mcp: {error}");
    ExitCode::from(2)
}
