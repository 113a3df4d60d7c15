//! The documentation: transcripts are those of the commands, every command line and every configuration is understood, and
//! links lead somewhere. `FUGUE_RENEW=1` writes what the commands of the transcripts print into the pages.

mod code_blocks;
mod commands;
mod configuration;
mod links;
mod pages;
mod transcripts;

use fugue_testkit::TestServer;

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}
