//! The official clients, installed from their registries. They need minutes and a network, so they run only on request:
//! `FUGUE_SDK_TESTS=1 cargo nextest run -p fugue --test mcp_sdks`.

#[allow(dead_code, reason = "shared with the other tests")]
#[path = "mcp/mcp_client.rs"]
mod mcp_client;

use std::path::{Path, PathBuf};
use std::process::Command;

use fugue_testkit::TestServer;
use mcp_client::{binary, test_server};

const PYTHON_SDK: &str = "mcp==2.3.0";
/// The inspector needs a newer Node than many machines have; the registry provides it.
const NODE_PACKAGES: [&str; 3] =
    ["node@22", "@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/inspector@2.12.0"];

fn wanted() -> bool {
    std::env::var_os("FUGUE_SDK_TESTS").is_some()
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {out}{}", String::from_utf8_lossy(&output.stderr));
    out
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name)
}

/// A persistent directory, so that the next run need not install again.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).expect("a directory to install into");
    directory
}

fn node_directory(name: &str) -> PathBuf {
    let directory = directory(name);
    if !directory.join("node_modules/.bin/node").exists() {
        std::fs::write(directory.join("package.json"), "{}").expect("a package");
        run(Command::new("npm").current_dir(&directory).arg("install").args(NODE_PACKAGES));
    }
    directory
}

/// Another program in the environment of a test server.
fn inside(server: &TestServer, program: &Path) -> Command {
    let like = server.command(&[]);
    let mut command = Command::new(program);
    command.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

#[test]
fn the_python_sdk_works_with_fugue_mcp() {
    if !wanted() {
        return;
    }
    let python = directory("python-sdk").join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(directory("python-sdk")));
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", PYTHON_SDK]));
    }
    let server = test_server();
    let out = run(inside(&server, &python).arg(script("python_sdk.py")).arg(binary()));
    assert!(out.ends_with("PYTHON OK\n"), "{out}");
}

#[test]
fn the_typescript_sdk_works_with_fugue_mcp() {
    if !wanted() {
        return;
    }
    let (directory, server) = (node_directory("typescript-sdk"), test_server());
    // Modules are looked up next to the script.
    let copy = directory.join("client.mjs");
    std::fs::copy(script("typescript_sdk.mjs"), &copy).expect("the script is copied");
    let out = run(inside(&server, &directory.join("node_modules/.bin/node")).arg(copy).arg(binary()));
    assert!(out.ends_with("TYPESCRIPT OK\n"), "{out}");
}

#[test]
fn the_mcp_inspector_works_with_fugue_mcp() {
    if !wanted() {
        return;
    }
    let (directory, server) = (node_directory("inspector"), test_server());
    server.session("work", &["cat"]);
    let inspector = |arguments: &[&str]| {
        let mut command = inside(&server, &directory.join("node_modules/.bin/node"));
        command.arg(directory.join("node_modules/.bin/mcp-inspector")).arg("--cli");
        // It passes on only the variables it is given.
        for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
            let like = server.command(&[]);
            let value = like.get_envs().find(|(own, _)| *own == name).and_then(|(_, value)| value?.to_str());
            command.args(["-e", &format!("{name}={}", value.expect("a test server sets these"))]);
        }
        command.args([binary(), "mcp"]).args(arguments);
        command
    };
    for era in ["legacy", "modern", "auto"] {
        let listed = run(&mut inspector(&[
            "--method",
            "tools/list",
            "--strict",
            "--format",
            "json",
            "--protocol-era",
            era,
        ]));
        assert!(listed.contains("fugue_create_pane"), "{listed}");
        let tags = ["--method", "tools/call", "--tool-name", "fugue_get_tags", "--tool-arg", "session=work"];
        let called = run(inspector(&tags).args(["--protocol-era", era]));
        assert!(called.contains("session_name"), "{called}");
    }
    let read = run(&mut inspector(&["--method", "resources/read", "--uri", "fugue://sessions"]));
    assert!(read.contains("work"), "{read}");
    let none = ["--method", "tools/call", "--tool-name", "fugue_get_tags", "--tool-arg", "session=nobody"];
    let refused = inspector(&none).output().expect("the inspector runs");
    assert_eq!(refused.status.code(), Some(5), "the inspector's exit code for a tool error");
}
