//! `fugue spawn` with stand-ins for agents: when it replies, what it says, and what it leaves behind.

#[allow(dead_code, reason = "shared with the other tests")]
#[path = "../mcp/mcp_client.rs"]
mod mcp_client;
mod readiness;
mod scene;
mod worktrees;
