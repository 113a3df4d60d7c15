//! Python: the official SDK, newest and oldest, fastmcp, and OpenAI's Agents SDK in strict mode.

use crate::installed::{Worker, python, run, script, with_environment};
use crate::mcp_client::{binary, test_server};

const NEWEST: &[&str] = &["mcp==2.3.0"];
/// The first version with a stable client. It works only with a version of pydantic from its time.
const OLDEST: &[&str] = &["mcp==1.2.1", "pydantic==2.10.6"];
const FASTMCP: &[&str] = &["fastmcp==4.1.2"];
const OPENAI: &[&str] = &["openai-agents==0.24.0"];

#[test]
#[ignore = "installs MCP SDKs from their registries"]
fn the_python_sdk_works_in_both_protocol_eras() {
    let server = test_server();
    let mut client = with_environment(&server.command(&[]), &python("mcp", NEWEST));
    let out = run(client.arg(script("python_sdk.py")).arg(binary()));
    assert!(out.ends_with("PYTHON OK\n"), "{out}");
    print!("{out}");
}

#[test]
#[ignore = "installs MCP SDKs from their registries"]
fn every_default_tool_works_in_the_newest_and_in_the_oldest_python_sdk() {
    for packages in [NEWEST, OLDEST] {
        Worker::new().call_default_tools(&python("mcp", packages), &script("default_tools.py"), &[]);
    }
}

#[test]
#[ignore = "installs MCP SDKs from their registries"]
fn every_default_tool_works_in_fastmcp() {
    let python = python("fastmcp", FASTMCP);
    Worker::new().call_default_tools(&python, &script("default_tools_fastmcp.py"), &[]);
}

#[test]
#[ignore = "installs MCP SDKs from their registries"]
fn every_default_tool_works_in_openai_agents_in_strict_mode() {
    let python = python("openai", OPENAI);
    Worker::new().call_default_tools(&python, &script("default_tools_openai.py"), &[]);
}
