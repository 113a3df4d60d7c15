//! The official clients, installed from their registries. They take minutes and a network, so they run when asked:
//! `FUGUE_SDK_TESTS=1 cargo nextest run -p fugue --test mcp_sdks`.

#[allow(dead_code, reason = "shared with the other tests")]
#[path = "mcp/mcp_client.rs"]
mod mcp_client;

use std::path::{Path, PathBuf};
use std::process::Command;

use fugue_testkit::TestServer;
use mcp_client::{binary, test_server};

const PYTHON_SDK: &str = "mcp==2.3.0";
/// The inspector needs a newer node than many machines have; the registry has that too.
const NODE_PACKAGES: [&str; 3] =
    ["node@22", "@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/inspector@2.12.0"];

fn wanted() -> bool {
    std::env::var_os("FUGUE_SDK_TESTS").is_some()
}

fn run(command: &mut Command) -> String {
    let ran = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let out = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{command:?}: {out}{}", String::from_utf8_lossy(&ran.stderr));
    out
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name)
}

/// A folder of its own that stays, so that the next run installs nothing.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder to install into");
    folder
}

fn node_folder(name: &str) -> PathBuf {
    let folder = folder(name);
    if !folder.join("node_modules/.bin/node").exists() {
        std::fs::write(folder.join("package.json"), "{}").expect("a package");
        run(Command::new("npm").current_dir(&folder).arg("install").args(NODE_PACKAGES));
    }
    folder
}

/// A command with the surroundings of a server instead of fugue.
fn inside(server: &TestServer, program: &Path) -> Command {
    let like = server.command(&[]);
    let mut command = Command::new(program);
    command.env_clear().envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

#[test]
fn the_python_sdk() {
    if !wanted() {
        return;
    }
    let python = folder("python-sdk").join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(folder("python-sdk")));
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", PYTHON_SDK]));
    }
    let server = test_server();
    let out = run(inside(&server, &python).arg(script("python_sdk.py")).arg(binary()));
    assert!(out.ends_with("PYTHON OK\n"), "{out}");
}

#[test]
fn the_typescript_sdk() {
    if !wanted() {
        return;
    }
    let (folder, server) = (node_folder("typescript-sdk"), test_server());
    // Modules are looked for beside the script.
    let beside = folder.join("client.mjs");
    std::fs::copy(script("typescript_sdk.mjs"), &beside).expect("the script is copied");
    let out = run(inside(&server, &folder.join("node_modules/.bin/node")).arg(beside).arg(binary()));
    assert!(out.ends_with("TYPESCRIPT OK\n"), "{out}");
}

#[test]
fn the_inspector() {
    if !wanted() {
        return;
    }
    let (folder, server) = (node_folder("inspector"), test_server());
    server.session("work", &["cat"]);
    let inspector = |words: &[&str]| {
        let mut command = inside(&server, &folder.join("node_modules/.bin/node"));
        command.arg(folder.join("node_modules/.bin/mcp-inspector")).arg("--cli");
        // It hands on only what it is told to.
        for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
            let like = server.command(&[]);
            let value = like.get_envs().find(|(own, _)| *own == name).and_then(|(_, value)| value?.to_str());
            command.args(["-e", &format!("{name}={}", value.expect("a server has these"))]);
        }
        command.args([binary(), "mcp"]).args(words);
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
    assert_eq!(refused.status.code(), Some(5), "its code for a result that is an error");
}
