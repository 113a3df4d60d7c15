//! The real Claude Code in a pane: it looks as in a bare terminal, its keys arrive, and it reports its state.
//! It is large, so this runs only on request: `FUGUE_STAGE_KIT` is the directory of the script `stage`, `FUGUE_STAGE`
//! one prepared by `stage install`.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command};

use fugue_testkit::{TestServer, TestTerminal, agent_stage, until};
use serde_json::Value;

struct Model(Child);

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn play(kit: &Path, stage: &Path) -> (Model, u16) {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
    let port = free.port().to_string();
    let home = Command::new(kit.join("stage")).arg("home").arg(stage).arg(&port).status();
    assert!(home.is_ok_and(|home| home.success()), "the agent's home");
    let model = Command::new(kit.join("stage")).args(["model", &port]).arg(stage.join("model.jsonl")).spawn();
    let model = Model(model.expect("a model"));
    until("the model listens", || std::net::TcpStream::connect(free).is_ok());
    (model, free.port())
}

/// The shell command that starts Claude Code, in a pane or a bare terminal.
fn line(kit: &Path, stage: &Path, port: u16) -> String {
    let (kit, stage) = (kit.display(), stage.display());
    format!(
        "eval \"$({kit}/stage env {stage} {port})\"; unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_RUNTIME_DIR; \
         cd {stage}/proj; exec claude --permission-mode manual"
    )
}

/// Rows up to the last nonempty one, without the hint that is shown only at times.
fn steady(rows: impl Iterator<Item = String>) -> Vec<String> {
    let mut rows: Vec<_> =
        rows.map(|row| if row.contains("/effort") { String::new() } else { row }).collect();
    rows.truncate(rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1));
    rows
}

fn rows(server: &TestServer, pane: &str) -> Vec<String> {
    steady(server.ok(&["get-output", "-t", pane, "--mode", "screen"]).lines().map(str::to_owned))
}

fn bare_rows(bare: &TestTerminal) -> Vec<String> {
    steady(bare.screen().screen_rows().into_iter())
}

fn agent(server: &TestServer) -> Value {
    server.json(&["list-panes", "-s", "claude"])["panes"][0]["agent"].clone()
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn claude_code_looks_as_in_a_bare_terminal_accepts_shift_enter_and_reports_its_state() {
    let (kit, stage) = agent_stage();
    let (_model, port) = play(&kit, &stage);
    let line = line(&kit, &stage, port);
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let new = ["new", "-d", "-s", "claude", "--size", "100x30", "--", "bash", "-c", &line];
    let pane = server.json(&new)["pane_id"].as_str().expect("a pane").to_owned();
    until("it reports that it is idle", || {
        agent(&server)["source"] == "osc7501" && agent(&server)["state"] == "idle"
    });
    let mut command = Command::new("bash");
    command
        .args(["-c", &line])
        .env("TERM", "xterm-256color")
        .env("COLORTERM", "truecolor")
        .env("TERM_PROGRAM", "fugue");
    let mut bare = TestTerminal::spawn(command, 100, 30);
    bare.shows("for shortcuts");
    let shown = || rows(&server, &pane);
    bare.until("the pane shows the same", |bare| bare_rows(bare) == shown());

    server.ok(&["send-input", "-t", &pane, "one"]);
    server.ok(&["send-input", "-t", &pane, "-k", "S-Enter"]);
    server.ok(&["send-input", "-t", &pane, "two"]);
    bare.send("one");
    bare.send("\x1b[13;2u");
    bare.send("two");
    bare.until("a new line in both", |bare| {
        let rows = shown();
        let one = rows.iter().position(|row| row.starts_with('❯') && row.ends_with("one"));
        one.is_some_and(|at| rows[at + 1] == "  two") && bare_rows(bare) == rows
    });

    server.ok(&["send-input", "-t", &pane, "-k", "C-c"]);
    until("an empty line", || shown().iter().any(|row| row.trim_end() == "❯"));
    server.ok(&["send-input", "-t", &pane, "@call Bash {\"command\": \"touch made\"}", "--submit"]);
    until("the agent asks for permission", || agent(&server)["waits_for"] == "permission");
    let asks = agent(&server);
    assert_eq!((&asks["state"], &asks["source"]), (&"blocked".into(), &"osc7501".into()));
    assert!(asks["reason"].as_str().is_some_and(|reason| reason.contains("touch made")), "{asks}");
}
