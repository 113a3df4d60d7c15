//! The MCP server over stdio: a client of the daemon like any other. Agents start it as `fugue mcp`, one each.
//!
//! Tools are rendered from the verbs (`tools.rs`), arguments are read leniently (`arguments.rs`), replies are written
//! for models (`answers/`), and the bridge (`bridge/`) carries calls to the daemon. It holds no state of its own.

mod answers;
mod arguments;
mod bridge;
mod hints;
mod instructions;
mod reference;
mod resources;
mod schema;
mod tools;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

pub use reference::{page as reference_page, tool_list};

/// Serve the Model Context Protocol on standard input and output, for an agent.
#[derive(Debug, Parser)]
#[command(name = "fugue mcp")]
struct Words {
    /// The daemon of this name (default: the one of this pane, else `default`).
    #[arg(long)]
    server: Option<String>,
}

/// Is the bridge, until its standard input ends.
pub fn run(words: &[OsString]) -> ExitCode {
    let words = Words::parse_from(words.iter().skip(1));
    // One thread: a bridge waits for others nearly all the time, and tasks are begun in the order of their requests.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(why) => return failed(&why),
    };
    let served = runtime.block_on(bridge::serve(words.server));
    // Standard input may be read by a thread that nothing wakes; it ends with the process.
    runtime.shutdown_background();
    served.map_or_else(|why| failed(&why), |()| ExitCode::SUCCESS)
}

fn failed(why: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("fugue mcp: {why}");
    ExitCode::from(2)
}
