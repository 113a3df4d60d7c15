//! fugue's plugin for OpenCode, run by Node.js with a program in the place of `fugue hook opencode`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use fugue_testkit::expect_program;

/// Plays OpenCode: a session is prompted and deleted, and then a line comes to be submitted.
const OPENCODE: &str = r#"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { FuguePlugin } from "./fugue.mjs"

const until = async (what) => {
  while (!what()) await new Promise((next) => setTimeout(next, 5))
}
const has = (text) => existsSync("received") && readFileSync("received", "utf8").includes(text)
let submitted = 0
const promptAsync = () => (submitted++, new Promise(() => {}))
const client = { session: { get: async () => ({}), promptAsync } }
const plugin = await FuguePlugin({ client })
const event = (type, properties) => plugin.event({ event: { type, properties } })
const prompt = (sessionID) => plugin["chat.message"]({ sessionID }, { message: { id: "m" }, parts: [] })

await prompt("first")
await until(() => has('"session":"first"'))
await event("session.deleted", { info: { id: "first" } })
appendFileSync("submit", "not JSON\n" + JSON.stringify({ text: "one" }) + "\n")
await until(() => has('"taken":false'))

await prompt("second")
await until(() => has('"session":"second"'))
appendFileSync("submit", JSON.stringify({ text: "two" }) + "\n")
await until(() => submitted === 1)
appendFileSync("received", "two is submitted\n")
await event("session.deleted", { info: { id: "second" } })
await until(() => readFileSync("received", "utf8").split("two is submitted")[1].includes('"taken":false'))
process.exit(0)
"#;

/// Plays `fugue hook opencode`: hands on the lines of one file, and keeps what it is told in another.
const HOOK: &str = "#!/bin/sh\ntail -n +1 -f submit &\ncat >> received\nkill $!\n";

#[test]
fn deleting_the_current_session_does_not_stop_notifications() {
    expect_program("node", "nodejs");
    let home = tempfile::tempdir().expect("a directory");
    let at = |name: &str| home.path().join(name);
    let plugin = include_str!("../../plugins/opencode/fugue.js");
    let hook = format!("FUGUE = {:?}", at("hook"));
    fs::write(at("fugue.mjs"), plugin.replace("FUGUE = \"fugue\"", &hook)).expect("the plugin");
    fs::write(at("opencode.mjs"), OPENCODE).expect("a script");
    fs::write(at("submit"), "").expect("a file");
    fs::write(at("hook"), HOOK).expect("a script");
    fs::set_permissions(at("hook"), fs::Permissions::from_mode(0o700)).expect("its mode");
    let mut node = Command::new("timeout");
    node.args(["60", "node", "opencode.mjs"]).current_dir(home.path()).env("FUGUE_PANE_ID", "pane");
    let output = node.output().expect("it runs");
    let received = fs::read_to_string(at("received")).unwrap_or_default();
    assert!(output.status.success(), "{}\n{received}", String::from_utf8_lossy(&output.stderr));
}
