//! fugue in the place of tmux: the commands that Claude Code sends for its teams, in its order, and those of scripts.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use fugue_testkit::{CommandOutput, TestServer, until};
use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// A daemon with a session `lead`, and a link named `tmux`.
struct Team {
    server: TestServer,
    lead: String,
    tmux: PathBuf,
}

impl Team {
    fn new() -> Self {
        let server = TestServer::new(BINARY);
        let lead = server.session("lead", &["bash", "--norc"]);
        let tmux = server.path().join("tmux");
        symlink(BINARY, &tmux).expect("a link");
        Self { server, lead, tmux }
    }

    /// A tmux command of a program in the lead's pane.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.server.command_from(&self.tmux, words);
        command.env("FUGUE_PANE_ID", &self.lead).env("FUGUE_PANE_KEY", self.server.pane_key(&self.lead));
        command
    }

    /// Runs a tmux command as the lead of a team.
    fn tmux(&self, words: &[&str]) -> CommandOutput {
        let mut command = self.command(words);
        output(command.env("FUGUE_TEAM", "1"))
    }

    /// Runs a tmux command that must succeed.
    fn ok(&self, words: &[&str]) -> String {
        succeeded(words, self.tmux(words))
    }

    /// Runs a tmux command outside any team.
    fn plain(&self, words: &[&str]) -> String {
        succeeded(words, output(&mut self.command(words)))
    }

    fn session(&self, name: &str) -> Option<Value> {
        let sessions = self.server.json(&["list-sessions"])["sessions"].clone();
        sessions.as_array().expect("a list").iter().find(|session| session["name"] == name).cloned()
    }
}

fn output(command: &mut Command) -> CommandOutput {
    let ran = command.output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    CommandOutput { code: ran.status.code().unwrap_or(-1), out: text(ran.stdout), err: text(ran.stderr) }
}

fn succeeded(words: &[&str], ran: CommandOutput) -> String {
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "tmux {}: {}", words.join(" "), ran.out);
    ran.out.trim_end_matches('\n').to_owned()
}

/// The command of a teammate: it writes down who it is.
fn teammate(team: &Team, name: &str) -> String {
    format!(
        "cd {} && env CLAUDECODE=1 {BINARY} whoami --json > {name}.who; exec cat",
        team.server.path().display()
    )
}

/// Opens a teammate with the commands of Claude Code, in its order. Returns the number of its pane.
fn open_teammate(team: &Team, socket: &str, lead: &str, first: bool, name: &str) -> String {
    let window = team.ok(&["-S", socket, "display-message", "-t", lead, "-p", "#{window_id}"]);
    team.ok(&["-S", socket, "list-panes", "-t", &window, "-F", "#{pane_id}"]);
    let split: &[&str] = match first {
        true => &[
            "-S",
            socket,
            "split-window",
            "-d",
            "-t",
            lead,
            "-h",
            "-l",
            "70%",
            "-P",
            "-F",
            "#{pane_id}",
            "--",
            "cat",
        ],
        false => {
            &["-S", socket, "split-window", "-d", "-t", lead, "-v", "-P", "-F", "#{pane_id}", "--", "cat"]
        }
    };
    let pane = team.ok(split);
    assert!(pane.starts_with('%'), "{pane}");
    for words in [
        &["set-option", "-p", "-t", &pane, "window-style", "bg=default,fg=blue"] as &[&str],
        &["set-option", "-p", "-t", &pane, "pane-border-format", "#[fg=blue,bold] #{pane_title} #[default]"],
        &["select-pane", "-t", &pane, "-T", name],
        &["set-option", "-w", "-t", &window, "pane-border-status", "top"],
        &["select-layout", "-t", &window, "main-vertical"],
        &["resize-pane", "-t", lead, "-x", "30%"],
        &["set-option", "-p", "-t", &pane, "remain-on-exit", "failed"],
        &["respawn-pane", "-k", "-t", &pane, "--", &teammate(team, name)],
    ] {
        assert_eq!(team.ok(&[&["-S", socket], words].concat()), "");
    }
    pane
}

#[test]
fn the_commands_of_claude_code_open_teammates_with_an_identity_a_parent_and_an_inbox_of_their_own() {
    let team = Team::new();
    // What Claude Code asks at its start.
    assert_eq!(team.ok(&["-V"]), "tmux 3.5a");
    assert_eq!(team.ok(&["show", "-Av", "mouse"]), "on");
    assert_eq!(team.ok(&["show", "-gv", "focus-events"]), "on");
    assert_eq!(team.ok(&["display-message", "-p", "#{client_control_mode}"]), "0");
    let lead = team.ok(&["display-message", "-p", "#{pane_id}"]);
    let place = team.ok(&["display-message", "-p", "-t", &lead, "#{session_name}:#{window_id}.#{pane_id}"]);
    assert_eq!(place, format!("lead:@0.{lead}"));
    let format =
        "#{client_termtype}\t#{allow-passthrough}\t#{pane_top}\t#{pane_left}\t#{status}\t#{window_bigger}";
    assert_eq!(team.ok(&["display-message", "-p", "-t", &lead, format]), "\toff\t0\t0\toff\t0");
    let socket = team.server.socket();
    let socket = socket.to_str().expect("UTF-8");
    let a = open_teammate(&team, socket, &lead, true, "worker-a");
    let b = open_teammate(&team, socket, &a, false, "worker-b");
    assert_ne!(a, b);
    let lead_session = team.session("lead").expect("the lead");
    for name in ["worker-a", "worker-b"] {
        let session = team.session(&format!("lead-{name}")).expect("a session of its own");
        assert_eq!(session["parent_id"], lead_session["session_id"], "{session}");
        let pane = &session["windows"][0]["panes"][0];
        let file = team.server.path().join(format!("{name}.who"));
        until("the teammate says who it is", || fs::read(&file).is_ok_and(|text| text.ends_with(b"\n")));
        let who: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
        assert_eq!(who["pane_id"], pane["pane_id"], "{who}");
        assert_eq!(who.get("claimed"), None, "{who}");
        assert_eq!(pane["name"], name);
    }
    team.server.ok(&["send-orchestration", "-s", "lead-worker-a", "task.assigned", "{}"]);
    let unread = |name: &str| team.session(name).expect("a session")["unread"].as_u64().unwrap_or_default();
    assert_eq!((unread("lead"), unread("lead-worker-a"), unread("lead-worker-b")), (0, 1, 0));
    // The end of a teammate, and of the lead.
    team.ok(&["-S", socket, "kill-pane", "-t", &a]);
    assert_eq!(team.session("lead-worker-a"), None);
    assert!(team.session("lead-worker-b").is_some());
    team.server.ok(&["close-pane", "-t", &team.lead]);
    assert_eq!(team.server.json(&["list-sessions"])["sessions"], serde_json::json!([]));
}

#[test]
fn teammates_are_closed_when_the_program_that_leads_them_is_killed() {
    let team = Team::new();
    let script = "#!/bin/bash\ntmux -V\necho \"$@\" $TMUX_PANE $CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS\n\
                  tmux split-window -d -P -F 'opened #{pane_id}' -- cat\necho ready $$\nexec sleep 600\n";
    let claude = team.server.path().join("claude");
    fs::write(&claude, script).expect("a script");
    fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).expect("a mode");
    let line = format!("{BINARY} teams -- ./claude --model x");
    team.server.ok(&[
        "send-input",
        "-t",
        &team.lead,
        &format!("cd {}; {line}", team.server.path().display()),
        "--submit",
    ]);
    team.server.wait_for(&team.lead, "^ready");
    let text = team.server.text(&team.lead);
    assert!(text.contains("tmux 3.5a") && text.contains("--model x --teammate-mode tmux %0 1"), "{text}");
    assert!(text.contains("opened %1"), "{text}");
    assert!(team.session("lead-1").is_some());
    let variables = team.server.json(&["get-environment", "-s", "lead-1"])["entries"].clone();
    assert_eq!(variables["PATH"], std::env::var("PATH").expect("a path"), "without the link");
    let pid = text.lines().find_map(|line| line.strip_prefix("ready ")).expect("a process");
    assert!(Command::new("kill").args(["-9", pid.trim()]).status().expect("kill runs").success());
    until("the teammate is closed", || team.session("lead-1").is_none());
    assert!(team.session("lead").is_some(), "the shell of the lead is still there");
}

#[test]
fn the_end_of_one_lead_leaves_the_teammates_of_another_in_the_same_pane() {
    let team = Team::new();
    let lead = "tmux split-window -d -P -F 'opened #{pane_id}' -- cat; echo ready $$; exec sleep 600";
    let start = format!("{BINARY} teams -- sh -c \"{}\" &", lead.replace('$', "\\$"));
    let pids = || -> Vec<String> {
        let text = team.server.text(&team.lead);
        text.lines().filter_map(|line| Some(line.strip_prefix("ready ")?.trim().to_owned())).collect()
    };
    for count in 1..=2 {
        team.server.ok(&["send-input", "-t", &team.lead, &start, "--submit"]);
        until("the lead has a teammate", || pids().len() == count);
    }
    assert!(team.session("lead-1").is_some() && team.session("lead-2").is_some());
    assert!(Command::new("kill").args(["-9", &pids()[0]]).status().expect("kill runs").success());
    until("its teammate is closed", || team.session("lead-1").is_none());
    assert!(team.session("lead-2").is_some(), "the other lead's teammate was closed");
    assert!(Command::new("kill").args(["-9", &pids()[1]]).status().expect("kill runs").success());
    until("its teammate is closed, too", || team.session("lead-2").is_none());
}

#[test]
fn teammates_are_beside_the_lead_if_the_user_wants_that() {
    let team = Team::new();
    let line =
        format!("{BINARY} teams --panes -- tmux split-window -d -h -P -F 'opened #{{pane_index}}' cat");
    team.server.ok(&["send-input", "-t", &team.lead, &line, "--submit"]);
    team.server.wait_for(&team.lead, "^opened 1");
    assert_eq!(
        team.session("lead").expect("the lead")["windows"][0]["panes"].as_array().map(Vec::len),
        Some(2)
    );
}

#[test]
fn a_session_without_teams_is_split_like_one_of_tmux() {
    let team = Team::new();
    let right =
        team.plain(&["split-window", "-h", "-d", "-l", "25%", "-P", "-F", "#{pane_id} #{pane_index}", "cat"]);
    assert_eq!(right, "%1 1");
    let panes = team.plain(&["list-panes", "-F", "#{pane_id} #{pane_width} #{?pane_active,active,}"]);
    assert_eq!(panes, "%0 59 active\n%1 20 ");
    team.plain(&["select-pane", "-t", "%1", ";", "send-keys", "-t", "%1", "hello", "Enter"]);
    assert_eq!(team.plain(&["display-message", "-p", "-t", "lead:0", "#D #S:#I.#P"]), "%1 lead:0.1");
    team.server.wait_for(
        team.server.json(&["list-panes"])["panes"][1]["pane_id"].as_str().expect("an id"),
        "^hello",
    );
    assert!(team.plain(&["capture-pane", "-p", "-t", "%1"]).contains("hello"));
    assert_eq!(team.plain(&["new-window", "-d", "-n", "two", "-P", "cat"]), "lead:1.0");
    assert_eq!(
        team.plain(&[
            "new-session",
            "-d",
            "-s",
            "other",
            "-x",
            "100",
            "-y",
            "30",
            "-P",
            "-F",
            "#{session_id} #{window_width}",
            "cat"
        ]),
        "$1 100"
    );
    assert_eq!(team.plain(&["has-session", "-t", "=other"]), "");
    assert_eq!(team.plain(&["list-windows", "-F", "#{window_id} #{window_name}"]).lines().count(), 2);
    assert_eq!(team.plain(&["list-sessions", "-F", "#{session_name}"]).lines().count(), 2);
    team.plain(&["kill-pane", "-t", "%1"]);
    team.plain(&["kill-session", "-t", "other"]);
    assert_eq!(team.plain(&["list-panes", "-a", "-F", "#{pane_id}"]), "%0\n%2");
}

#[test]
fn a_program_without_the_variables_acts_on_its_own_pane_and_never_on_another() {
    let team = Team::new();
    let server = &team.server;
    let file = server.path().join("place");
    let print = format!(
        "env -u FUGUE_PANE_ID -u FUGUE_PANE_KEY -u TMUX_PANE {} display-message -p '#S #D' >{}",
        team.tmux.display(),
        file.display()
    );
    assert_eq!(team.plain(&["split-window", "-P", "-F", "#D", "cat"]), "%1");
    server.session("other", &["cat"]);
    server.ok(&["send-input", "-t", &team.lead, &print, "--submit"]);
    let place = || fs::read_to_string(&file).unwrap_or_default();
    until("the command has run", || !place().is_empty());
    assert_eq!(place(), "lead %0\n");
    let stale = output(server.command_from(&team.tmux, &["kill-pane"]).env("TMUX_PANE", "%9"));
    assert_eq!((stale.code, stale.err.as_str()), (1, "can't find pane: %9\n"));
}

#[test]
fn what_does_not_exist_is_refused_in_the_words_of_tmux() {
    let team = Team::new();
    for (words, why) in [
        (&["kill-pane", "-t", "%9"] as &[&str], "can't find pane: %9\n"),
        (&["list-panes", "-t", "@7"], "can't find window: @7\n"),
        (&["has-session", "-t", "none"], "can't find session: none\n"),
        (&["frobnicate"], "unknown command: frobnicate\n"),
        (&["split-window", "-j"], "command split-window: unknown flag -j\n"),
        (&["show", "-gv", "no-such-option"], "invalid option: no-such-option\n"),
        (&["-S", "/nowhere", "list-panes"], "error connecting to /nowhere (No such file or directory)\n"),
    ] {
        let ran = team.tmux(words);
        assert_eq!((ran.code, ran.err.as_str()), (1, why), "tmux {}", words.join(" "));
    }
    let nobody = TestServer::new(BINARY);
    let ran = nobody.run(&["tmux", "list-panes"]);
    assert!(ran.code == 1 && ran.err.starts_with("no server running on "), "{ran:?}");
}
