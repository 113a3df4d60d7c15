//! TypeScript: the official SDK, versions 1 and 2.

use crate::installed::{Worker, node_directory, node_script, run, with_environment};
use crate::mcp_client::{binary, test_server};

const VERSION_1: &[&str] = &["@modelcontextprotocol/sdk@1.32.2"];
const VERSION_2: &[&str] = &["@modelcontextprotocol/client@2.4.0"];

#[test]
#[ignore = "installs MCP SDKs from their registries"]
fn the_typescript_sdk_works_in_both_protocol_eras() {
    let server = test_server();
    let (node, script) = node_script(&node_directory(VERSION_2), "typescript_sdk.mjs");
    let out = run(with_environment(&server.command(&[]), &node).arg(script).arg(binary()));
    assert!(out.ends_with("TYPESCRIPT OK\n"), "{out}");
    print!("{out}");
}

#[test]
#[ignore = "installs MCP SDKs from their registries"]
fn every_default_tool_works_in_both_versions_of_the_typescript_sdk() {
    for (packages, client, transport) in [
        (VERSION_1, "@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/stdio.js"),
        (VERSION_2, "@modelcontextprotocol/client", "@modelcontextprotocol/client/stdio"),
    ] {
        let (node, script) = node_script(&node_directory(packages), "default_tools.mjs");
        Worker::new().call_default_tools(&node, &script, &[client, transport]);
    }
}
