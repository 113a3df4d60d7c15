//! The MCP server, over standard input and output or over HTTP. It is a client of the daemon like any other; each agent
//! starts its own as `fugue mcp`, or connects to one that runs as `fugue mcp --http`.
//!
//! Tools are generated from the verbs (`tools.rs`), arguments are read leniently and checked (`arguments/`), replies are
//! formatted for models (`results/`), and the bridge (`bridge/`) forwards calls to the daemon. No state is kept between
//! calls except the connection.

mod arguments;
mod bridge;
mod guide;
mod help;
mod hints;
mod indirect_call;
mod instructions;
mod profiles;
mod prompts;
mod reference_page;
mod resources;
mod results;
mod schema;
mod tools;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use fugue_client::DaemonName;

pub use guide::GUIDE;
use profiles::ToolProfile;
pub use reference_page::{page as reference_page, tool_list};

// What `fugue mcp` takes besides the global flags. (A doc comment would become the command's description.)
#[derive(Debug, Args)]
struct McpOptions {
    /// Tools to offer: core, small (fewer), observe (only the read-only tools), all, or a comma-separated list of tools.
    /// With core and small, the other tools can be called through fugue_call.
    #[arg(long, value_name = "PROFILE", default_value = "core")]
    tools: ToolProfile,
    /// Serve over HTTP at this loopback address [default: 127.0.0.1:7433].
    #[arg(
        long,
        value_name = "ADDRESS",
        num_args = 0..=1,
        default_missing_value = "localhost",
        value_parser = bridge::parse_address
    )]
    http: Option<SocketAddr>,
    /// File with the token for HTTP clients [default: `mcp-token` in the state directory].
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
}

/// The command line of `fugue mcp`, without the global flags.
pub fn command() -> Command {
    McpOptions::augment_args(Command::new("mcp").about("Serve MCP to an agent over stdio or HTTP"))
}

/// Runs the MCP server until standard input ends, or over HTTP for as long as the process lives. `args` was parsed with
/// [`command`].
pub fn run(daemon: DaemonName, args: &ArgMatches) -> ExitCode {
    match McpOptions::from_arg_matches(args) {
        Ok(options) => serve(daemon, options),
        Err(error) => fail(&error),
    }
}

fn serve(daemon: DaemonName, options: McpOptions) -> ExitCode {
    // One thread is enough for a process that mostly waits, and it starts tasks in the order of their requests.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    let served = match options.http {
        Some(address) => {
            let http = bridge::HttpOptions { address, token_file: options.token_file };
            runtime.block_on(bridge::serve_http(daemon, options.tools, http))
        }
        None => runtime.block_on(bridge::serve(daemon, options.tools)),
    };
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
