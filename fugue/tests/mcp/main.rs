//! The MCP server over real pipes, with the real daemon.

mod bad_arguments;
mod concurrency;
mod fault_tolerance;
mod guard_rails;
mod mcp_client;
mod read_output;
mod resources;
mod schema_conformance;
mod tool_contract;
mod unresponsive_daemon;
mod waits;
