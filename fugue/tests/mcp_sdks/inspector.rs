//! The MCP inspector's command line.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::installed::{Worker, node_directory, run, script};
use crate::mcp_client::binary;

const INSPECTOR: &[&str] = &["@modelcontextprotocol/inspector@2.12.0"];
const ERAS: [&str; 3] = ["legacy", "modern", "auto"];

/// The inspector with fugue as its server, which acts for the worker's pane.
fn inspector(worker: &Worker, directory: &Path) -> Command {
    let mut command = worker.command(&directory.join("node_modules/.bin/node"));
    // It passes on only the variables it is given.
    let variables: Vec<_> = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", name.to_str()?, value?.to_str()?)))
        .filter(|variable| ["HOME=", "XDG_", "FUGUE_"].iter().any(|start| variable.starts_with(start)))
        .collect();
    command.arg(directory.join("node_modules/.bin/mcp-inspector")).arg("--cli");
    for variable in variables {
        command.args(["-e", &variable]);
    }
    command.args([binary(), "mcp"]);
    command
}

#[test]
#[ignore = "installs MCP SDKs from their registries"]
fn the_inspector_lists_calls_and_reads_in_both_protocol_eras() {
    let (directory, worker) = (node_directory(INSPECTOR), Worker::new());
    let inspector = |arguments: &[&str]| {
        let mut command = inspector(&worker, &directory);
        command.args(arguments);
        command
    };
    for era in ERAS {
        let list = ["--method", "tools/list", "--strict", "--format", "json", "--protocol-era", era];
        let listed = run(&mut inspector(&list));
        assert!(listed.contains("fugue_create_pane"), "{listed}");
        let tags =
            ["--method", "tools/call", "--tool-name", "fugue_get_tags", "--tool-arg", "session=worker"];
        let called = run(inspector(&tags).args(["--protocol-era", era]));
        assert!(called.contains("session_name"), "{called}");
    }
    let read = run(&mut inspector(&["--method", "resources/read", "--uri", "fugue://sessions"]));
    assert!(read.contains("worker"), "{read}");
    let none = ["--method", "tools/call", "--tool-name", "fugue_get_tags", "--tool-arg", "session=nobody"];
    let refused = inspector(&none).output().expect("the inspector runs");
    assert_eq!(refused.status.code(), Some(5), "the inspector's exit code for a tool error");
}

#[test]
#[ignore = "installs MCP SDKs from their registries"]
fn every_default_tool_works_in_the_inspector() {
    let (directory, worker) = (node_directory(INSPECTOR), Worker::new());
    let calls = std::fs::read_to_string(script("default_calls.json")).expect("the calls");
    let calls: Vec<(String, serde_json::Map<String, Value>)> = serde_json::from_str(&calls).expect("JSON");
    for (tool, arguments) in &calls {
        let mut call = inspector(&worker, &directory);
        call.args(["--method", "tools/call", "--tool-name", tool]);
        for (name, value) in arguments {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            call.args(["--tool-arg", &format!("{name}={value}")]);
        }
        // A call that fails, or a reply that breaks the schema, has an exit code of its own.
        run(&mut call);
    }
    println!("inspector {} tools", calls.len());
}
