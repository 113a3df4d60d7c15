//! The official clients and others, installed from their registries. They need minutes and a network, so they run only on
//! request: `cargo nextest run -p fugue --test mcp_sdks --run-ignored only --no-capture`.

mod inspector;
mod installed;
#[allow(dead_code, reason = "shared with the other tests")]
#[path = "../mcp/mcp_client.rs"]
mod mcp_client;
mod python;
mod typescript;
