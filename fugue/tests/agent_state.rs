//! The state of agents in panes, as reported to people and other agents.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fugue_protocol::Event;
use fugue_testkit::{TestServer, until};
use serde_json::Value;

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

fn pane(server: &TestServer) -> Value {
    server.json(&["list-panes"])["panes"][0].clone()
}

fn agent(server: &TestServer) -> Value {
    pane(server)["agent"].clone()
}

/// A program that echoes its input unescaped, so that a test can report any state.
fn echo_program(server: &TestServer) -> String {
    server.session(
        "work",
        &["sh", "-c", "stty -echo; printf 'ready\\n'; while read -r line; do printf \"$line\"; done"],
    )
}

fn report(server: &TestServer, pane: &str, sequence: &str) {
    server.ok(&["send-input", "-t", pane, sequence, "-k", "Enter"]);
}

#[test]
fn a_program_that_reports_its_state_to_the_terminal_is_believed() {
    let server = test_server();
    let id = echo_program(&server);
    server.wait_for(&id, "ready");
    report(&server, &id, r"\033]7501;state=working:app=claude-code\007");
    until("the agent is working", || agent(&server)["state"] == "working");
    assert_eq!(agent(&server)["name"], "claude");
    // "approve Bash: touch x"
    let asks =
        r"\033]7501;state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNoOiB0b3VjaCB4\007";
    report(&server, &id, asks);
    until("the agent asks", || agent(&server)["state"] == "blocked");
    let agent = agent(&server);
    assert_eq!((&agent["waits_for"], &agent["source"]), (&"permission".into(), &"osc7501".into()));
    assert_eq!((&agent["reason"], &agent["sure"]), (&"approve Bash: touch x".into(), &"certain".into()));
    let why = server.ok(&["explain", &id]);
    assert!(why.contains("(approve Bash: touch x), according to its state report (OSC 7501)"), "{why}");
}

#[test]
fn a_reported_state_survives_a_restart_of_the_daemon() {
    let server = test_server();
    let id = echo_program(&server);
    server.wait_for(&id, "ready");
    report(
        &server,
        &id,
        r"\033]2;my title\007\033]7;file:///usr\007\033]7501;state=blocked:app=codex:kind=question\007",
    );
    until("the agent waits for input", || agent(&server)["state"] == "waiting_for_input");
    let before = pane(&server);
    assert_eq!((&before["title"], &before["cwd"]), (&"my title".into(), &"/usr".into()));
    fugue_testkit::signal("KILL", server.daemon_pid());
    until("the next daemon knows the state", || pane(&server) == before);
}

#[test]
fn an_exited_program_is_no_longer_working() {
    let server = test_server();
    let id = server.session("work", &["sh"]);
    let work = r"sh -c 'printf \\033]7501\;state=working:app=worker\\007; cat; exit'";
    server.ok(&["send-input", "-t", &id, work, "--submit"]);
    until("the agent is working", || agent(&server)["state"] == "working");
    server.ok(&["send-input", "-t", &id, "-k", "C-c"]);
    server.ok(&["send-input", "-t", &id, "echo over", "--submit"]);
    until("the agent state is gone", || agent(&server).is_null());
}

#[test]
fn a_panes_directory_is_known_even_if_its_program_does_not_report_it() {
    let server = test_server();
    let id = server.session("work", &["sh"]);
    server.ok(&["send-input", "-t", &id, "cd /usr/lib", "--submit"]);
    until("the new directory is known", || pane(&server)["cwd"] == "/usr/lib");
}

#[test]
fn bells_and_notifications_reach_subscribers() {
    let server = test_server();
    let id = echo_program(&server);
    server.wait_for(&id, "ready");
    let mut events = server.connect();
    events.call(&fugue_protocol::verbs::SubscribeEvents::default()).expect("a subscription");
    report(&server, &id, r"\007\033]777;notify;build;it is done\007");
    let mut received = Vec::new();
    while received.len() < 2 {
        let fugue_client::ServerFrame::Event(record) = events.next_frame().expect("an event") else {
            continue;
        };
        match record.event {
            Event::PaneRang { .. } => received.push("bell".to_owned()),
            Event::PaneNotified { title, body, .. } => received.push(format!("{title}: {body}")),
            _ => {}
        }
    }
    assert_eq!(received, ["bell", "build: it is done"]);
}

/// Writes an executable script; returns its path.
fn script(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    std::fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("an executable");
    path.to_str().expect("a path").to_owned()
}

/// A program that looks like Gemini CLI at work, and writes its process id to a file.
fn working_gemini(directory: &Path) -> String {
    script(
        directory,
        "gemini",
        "echo $$ > \"$0.pid\"; printf '\\033]2;✦  Working… (proj)\\007'; while :; do sleep 600; done",
    )
}

fn kill_agent(program: &str) {
    let pid = std::fs::read_to_string(format!("{program}.pid")).expect("the agent's process id");
    fugue_testkit::signal("KILL", pid.trim().parse().expect("a number"));
}

#[test]
fn a_fifo_or_a_device_in_the_place_of_a_file_of_the_user_is_refused() {
    let server = test_server();
    let config = server.path().join("config/fugue");
    std::fs::create_dir_all(&config).expect("a directory");
    for name in ["agents.toml", "config.toml"] {
        let made = std::process::Command::new("mkfifo").arg(config.join(name)).status();
        assert!(made.expect("mkfifo").success());
    }
    server.session("work", &["cat"]);
    let log = || std::fs::read_to_string(server.state_dir().join("daemon.log")).unwrap_or_default();
    let found = server.run(&["doctor"]).out;
    assert!(found.contains("it is not a regular file"), "{found}\n{}", log());
    for file in ["/dev/zero", config.join("agents.toml").to_str().expect("a path")] {
        let ran = server.run(&["agents", "test", file]);
        let why = format!("Cannot read {file}: it is not a regular file");
        assert!(ran.code != 0 && ran.err.contains(&why), "{ran:?}");
    }
}

#[test]
fn a_shell_that_prints_a_state_is_no_agent() {
    let server = test_server();
    let id = server.session("work", &["sh"]);
    for (title, state) in [("one", "done"), ("two", "working")] {
        let print = format!(r"printf '\033]7501;state={state}:app=claude-code\007\033]2;{title}\007'");
        server.ok(&["send-input", "-t", &id, &print, "--submit"]);
        // The title and the state are reported together.
        until("the title is known", || pane(&server)["title"] == title);
        assert!(agent(&server).is_null(), "{}", agent(&server));
    }
    server.ok(&["send-input", "-t", &id, "printf 'started\\n'; exec sleep 600", "--submit"]);
    server.wait_for(&id, "^started");
    assert!(agent(&server).is_null(), "what the shell printed is not the next program's state");
}

#[test]
fn an_agent_that_a_script_started_is_recognized_until_it_ends() {
    let server = test_server();
    let directory = tempfile::tempdir().expect("a directory");
    let gemini = working_gemini(directory.path());
    let wrapper = script(directory.path(), "start.sh", &format!("{gemini}\nsleep 600"));
    server.session("work", &[&wrapper]);
    until("the agent is known", || agent(&server)["state"] == "working");
    assert_eq!(agent(&server)["name"], "gemini");
    // Nothing is printed after that.
    kill_agent(&gemini);
    until("the agent is gone", || agent(&server).is_null());
}

#[test]
fn an_agent_that_was_killed_in_a_pane_that_is_kept_is_not_done() {
    let server = test_server();
    let directory = tempfile::tempdir().expect("a directory");
    let done = r"printf '\033]7501;state=done:app=claude-code\007'";
    let claude = script(
        directory.path(),
        "claude",
        &format!("echo $$ > \"$0.pid\"; {done}; while :; do sleep 600; done"),
    );
    server.ok(&["new", "-d", "-s", "work", "--on-exit", "keep", "--", &claude]);
    until("the agent is done", || agent(&server)["state"] == "complete");
    kill_agent(&claude);
    until("the program has ended", || !pane(&server)["exit"].is_null());
    assert!(agent(&server).is_null(), "{}", agent(&server));
    let waited = server.run(&["wait", "-s", "work", "--state", "done"]);
    assert!(waited.out.starts_with("exited"), "{waited:?}");
}

#[test]
fn a_killed_full_screen_agent_leaves_a_shell_that_can_be_used() {
    let server = test_server();
    let directory = tempfile::tempdir().expect("a directory");
    let draw = r"printf '\033[?1049h\033[?1000h\033]7501;state=working:app=claude-code\007'";
    let text = format!("echo $$ > \"$0.pid\"; {draw}; while :; do sleep 600; done");
    let claude = script(directory.path(), "claude", &text);
    let id = server.session("work", &["bash", "--norc"]);
    server.ok(&["send-input", "-t", &id, &claude, "--submit"]);
    until("the agent is working", || agent(&server)["state"] == "working");
    // What the agent has started survives it.
    kill_agent(&claude);
    until("the agent is gone", || agent(&server).is_null());
    assert_eq!(server.ok(&["run", "-t", &id, "echo usable $((6 * 7))"]), "usable 42\n");
}

#[test]
fn agents_are_listed_with_their_states_in_words() {
    let server = test_server();
    let id = echo_program(&server);
    server.wait_for(&id, "ready");
    // "which color?"
    report(&server, &id, r"\033]7501;state=blocked:app=codex:kind=question:msg=d2hpY2ggY29sb3I/\007");
    until("the agent waits for input", || agent(&server)["state"] == "waiting_for_input");
    let list = server.ok(&["agents"]);
    let row = list.lines().nth(1).expect("a row");
    for part in ["codex  waiting for input  ", "  work  ", "  %0  ", "which color?"] {
        assert!(row.contains(part), "{part}: {list}");
    }
    let listed = server.json(&["agents"])["agents"][0].clone();
    assert_eq!((&listed["session"], &listed["reason"]), (&"work".into(), &"which color?".into()));
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane, codex waiting for input\n");
    assert!(server.ok(&["list-panes"]).contains("[codex waiting for input: which color?]"));
    let waited = server.ok(&["wait", "-t", &id, "--until", "agent_state"]);
    assert_eq!(waited, format!("agent_state: waiting for input (pane {id})\n"));
    let state = ["wait", "-t", &id, "--state", "waiting for input", "done"];
    assert_eq!(server.ok(&state), waited, "a state can be named as lists show it");
    let waited = server.ok(&["wait", "--panes", &id, "--until", "agent_state"]);
    assert_eq!(waited, format!("{id}: agent_state: waiting for input\n"));
}

#[test]
fn a_users_agents_are_read_again_when_the_file_changes() {
    let server = test_server();
    let path = server.ok(&["config", "path"]);
    let path = Path::new(path.trim()).with_file_name("agents.toml");
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("the directory");
    let directory = tempfile::tempdir().expect("a directory");
    let robot =
        script(directory.path(), "robot", "printf 'READY?\\n'; while read -r line; do echo \"$line\"; done");
    let id = server.session("work", &[&robot]);
    server.wait_for(&id, "READY");
    let rules =
        "[[agent]]\nname = \"robot\"\n[[agent.screen]]\nstate = \"blocked\"\nrows = 2\ntexts = [\"READY\"]\n";
    std::fs::write(&path, format!("{rules}reason = ['(READY.)']\n")).expect("the file");
    until("the agent is known", || agent(&server)["reason"] == "READY?");
    std::fs::write(&path, "[[agent]]\nname = 1\n").expect("the file");
    let warnings = || server.json(&["server-status"])["warnings"].to_string();
    until("the mistake is reported", || warnings().contains("agents.toml, line 2"));
    assert_eq!(agent(&server)["name"], "robot", "the last valid file counts");
    let check = server.run(&["config", "check"]);
    assert!(check.code == 1 && check.out.contains("agents.toml, line 2"), "{}", check.out);
}

/// A script that looks like Gemini CLI at rest. While there is a file beside it that tells it to be silent, it draws nothing.
fn silent_gemini(directory: &Path) -> String {
    let draw = r"printf '\033]2;◇  Ready (proj)\007\n x   Shift+Tab to accept edits\n > Type your message\n'";
    let text = [
        "echo $$ >$0.pid; [ -e $0.silent ] && : >$0.begun; while [ -e $0.silent ]; do sleep 0.05; done",
        draw,
        "while :; do sleep 600; done",
    ];
    script(directory, "gemini", &text.join("\n"))
}

/// Whether the agent is said to be idle within a time that is longer than any agent's start needs.
fn is_idle_soon(server: &TestServer) -> bool {
    let waited = server.run(&["wait", "-s", "work", "--state", "idle", "--timeout-ms", "4000"]);
    waited.code == 0
}

#[test]
fn what_the_last_agent_left_on_the_screen_is_not_the_state_of_the_next_one_in_the_pane() {
    let server = test_server();
    let directory = tempfile::tempdir().expect("a directory");
    let gemini = silent_gemini(directory.path());
    let flag = |name: &str| std::path::PathBuf::from(format!("{gemini}.{name}"));
    let silence = |on: bool| match on {
        true => std::fs::write(flag("silent"), "").expect("written"),
        false => std::fs::remove_file(flag("silent")).expect("removed"),
    };
    // Its program is restarted.
    server.ok(&["new", "-d", "-s", "work", "--on-exit", "keep", "--", &gemini]);
    until("the agent is idle", || agent(&server)["state"] == "idle");
    silence(true);
    server.ok(&["respawn-pane", "-s", "work", "--kill"]);
    until("the next agent has begun", || flag("begun").exists());
    assert!(!is_idle_soon(&server), "{}", server.ok(&["explain", "-s", "work"]));
    silence(false);
    until("the next agent is idle", || agent(&server)["state"] == "idle");
    // A second agent is started by a shell, after the first was killed.
    server.ok(&["respawn-pane", "-s", "work", "--kill", "--", "bash", "--norc"]);
    server.ok(&["send-input", "-s", "work", &gemini, "--submit"]);
    until("the agent in the shell is idle", || agent(&server)["state"] == "idle");
    kill_agent(&gemini);
    until("the agent is gone", || agent(&server).is_null());
    silence(true);
    std::fs::remove_file(flag("begun")).expect("removed");
    server.ok(&["send-input", "-s", "work", &gemini, "--submit"]);
    until("the second agent has begun", || flag("begun").exists());
    assert!(!is_idle_soon(&server), "{}", server.ok(&["explain", "-s", "work"]));
    silence(false);
    until("the second agent is idle", || agent(&server)["state"] == "idle");
}

#[test]
fn a_text_that_an_agent_in_a_script_does_not_take_is_not_said_to_be_submitted() {
    let server = test_server();
    let directory = tempfile::tempdir().expect("a directory");
    let gemini = silent_gemini(directory.path());
    server.session("work", &["bash", "-c", &format!("{gemini}; echo over")]);
    until("the agent is idle", || agent(&server)["state"] == "idle");
    let printed = server.ok(&["send-input", "-s", "work", "hello", "--submit"]);
    assert!(printed.starts_with("Not submitted: "), "{printed}");
}
