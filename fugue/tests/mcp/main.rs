//! The bridge over real pipes, before the real daemon: what agents do to it, and what happens to it.

mod bad_arguments;
mod concurrency;
mod fault_tolerance;
mod guard_rails;
mod mcp_client;
mod read_output;
mod resources;
mod tool_contract;
mod waits;
