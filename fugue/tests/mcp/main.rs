//! The MCP server over real pipes, with the real daemon.

mod bad_arguments;
mod concurrency;
mod exact_reads;
mod exact_waits;
mod fault_tolerance;
mod guard_rails;
mod http;
mod http_client;
mod json_rpc;
mod kept_output;
mod log_messages;
mod mcp_client;
mod new_panes;
mod prompts;
mod read_output;
mod resources;
mod schema_conformance;
mod tool_contract;
mod unlisted_tools;
mod unresponsive_daemon;
mod waits;
