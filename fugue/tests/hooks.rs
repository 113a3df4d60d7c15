//! Commands of `[hooks]`: what they are told, what they may do, and that nothing waits for them.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use fugue_testkit::{PATIENCE, TestServer, until, until_within};

fn server_with(config: &str) -> TestServer {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    configure(&server, config);
    server
}

fn configure(server: &TestServer, config: &str) {
    fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    fs::write(server.path().join("config/fugue/config.toml"), config).expect("a configuration");
}

/// The file to which hooks write.
fn log(server: &TestServer) -> PathBuf {
    server.path().join("log")
}

/// Waits until the hooks have written these lines, in any order: they run side by side.
#[track_caller]
fn expect_lines(server: &TestServer, expected: &[&str]) {
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    let read = || {
        let text = fs::read_to_string(log(server)).unwrap_or_default();
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let report = || format!("{:?} instead of {expected:?}", read());
    until_within(PATIENCE, || read() == expected, report);
}

/// A line of `[hooks]` that writes an event and these variables to the log.
fn writes(event: &str, variables: &str) -> String {
    let values: Vec<_> = variables.split(' ').map(|name| format!("$FUGUE_HOOK_{name}")).collect();
    format!("{event} = 'echo \"$FUGUE_HOOK {}\" >> ~/log'\n", values.join(" "))
}

/// Sends a notification, and ends once the test has seen the hook.
const NOTIFIES: &str = r"printf '\033]777;notify;Done;all $(touch ~/evil) tests\033\\';
                         until test -e ~/told; do sleep 0.05; done; exit 3";

#[test]
fn commands_are_told_what_happened() {
    let config = [
        "[hooks]\n".to_owned(),
        writes("session-created", "SESSION"),
        writes("session-renamed", "SESSION"),
        writes("session-closed", "SESSION"),
        writes("window-opened", "SESSION WINDOW"),
        writes("window-closed", "SESSION WINDOW"),
        writes("pane-exited", "SESSION EXIT"),
        writes("message-sent", "MESSAGE_TYPE FROM TO"),
        writes("notification", "TITLE TEXT"),
    ]
    .concat();
    let server = server_with(&config);
    server.ok(&["new", "-d", "-s", "work", "-n", "main", "--", "cat"]);
    server.ok(&["rename-session", "-s", "work", "play"]);
    server.ok(&["send-orchestration", "-s", "play", "status.update"]);
    server.ok(&["neww", "-t", "play", "-n", "logs", NOTIFIES]);
    until("the hook has been told of the notification", || {
        fs::read_to_string(log(&server)).is_ok_and(|text| text.contains("notification"))
    });
    fs::write(server.path().join("told"), "").expect("a file");
    expect_lines(
        &server,
        &[
            "session-created work",
            "session-renamed play",
            "window-opened work main",
            "window-opened play logs",
            "message-sent status.update  play",
            "notification Done all $(touch ~/evil) tests",
            "pane-exited play exit code 3",
            "window-closed play logs",
        ],
    );
    server.ok(&["kill-session", "-s", "play"]);
    until("the session is closed", || {
        fs::read_to_string(log(&server)).is_ok_and(|text| text.contains("session-closed play"))
    });
    assert!(!server.path().join("evil").exists(), "a value is never a command");
}

#[test]
fn an_agent_that_asks_is_told_once_and_a_hook_acts_for_its_user() {
    let hooks = "[scopes]\n\"*\" = \"observe\"\n[hooks]\nagent-needs-attention = [\n\
                 'echo \"$FUGUE_HOOK_AGENT $FUGUE_HOOK_STATE $FUGUE_HOOK_REASON\" >> ~/log',\n\
                 'PATH=\"$PATH:BIN\"; fugue set-metadata -s \"$FUGUE_HOOK_SESSION_ID\" asked yes',\n]\n";
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_fugue"));
    let directory = binary.parent().expect("a directory").display().to_string();
    let server = server_with(&hooks.replace("BIN", &directory));
    let asks = r"\033]7501;state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNo\007";
    let works = r"\033]7501;state=working:app=claude-code\007";
    let script =
        format!("printf '{works}'; sleep 0.3; printf '{asks}'; sleep 0.3; printf '{asks}'; exec cat");
    server.session("work", &["sh", "-c", &script]);
    expect_lines(&server, &["claude blocked approve Bash"]);
    until("the hook has acted", || server.json(&["get-metadata", "-s", "work"])["entries"]["asked"] == "yes");
}

#[test]
fn nothing_waits_for_hooks_and_what_is_too_much_is_not_run() {
    let server =
        server_with("[hooks]\nsession-renamed = 'echo >> ~/log; until test -e ~/go; do sleep 0.05; done'\n");
    server.ok(&["new", "-d", "-s", "s0", "--", "cat"]);
    let start = Instant::now();
    // 8 run and 512 wait.
    for number in 0..600 {
        server.ok(&["rename-session", "-s", &format!("s{number}"), &format!("s{}", number + 1)]);
    }
    let took = start.elapsed();
    let lines = || fs::read_to_string(log(&server)).unwrap_or_default().lines().count();
    until("the first ones run", || lines() == 8);
    fs::write(server.path().join("go"), "").expect("a file");
    until("those that waited have run", || lines() >= 8 + 512);
    let daemon_log = fs::read_to_string(server.state_dir().join("log")).expect("the log");
    assert!(daemon_log.contains("hooks were not run, because too many were waiting"), "{daemon_log}");
    assert!(lines() < 600, "{took:?}");
}

#[test]
fn changes_of_the_section_take_effect_and_are_audited_and_mistakes_are_told() {
    let server = server_with("[hooks]\nsesion-created = 'true'\nbell = 3\n");
    server.ok(&["new", "-d", "-s", "first", "--", "cat"]);
    let status = server.ok(&["server-status"]);
    let wrong = "\"sesion-created\" is not an event that can have hooks; did you mean \"session-created\"?";
    assert!(
        status.contains(wrong) && status.contains("\"bell\" must be a shell command or a list of them"),
        "{status}"
    );
    configure(&server, "[hooks]\nsession-created = 'echo $FUGUE_HOOK_SESSION >> ~/log'\n");
    until("the file was read", || !server.ok(&["server-status"]).contains(wrong));
    server.ok(&["new", "-d", "-s", "second", "--", "cat"]);
    expect_lines(&server, &["second"]);
    let audit = fs::read_to_string(server.state_dir().join("audit.log")).expect("the audit log");
    assert!(audit.contains("session-created = echo $FUGUE_HOOK_SESSION >> ~/log"), "{audit}");
}

#[test]
fn lines_of_tmux_run_for_the_file_and_for_set_hook_and_are_about_what_happened() {
    let server = server_with(
        "[hooks]\nsession-created = { tmux = \"set -gF @made '#{hook} #{hook_session_name}'\" }\n",
    );
    let value = |name: &str| server.ok(&["tmux", "show", "-gqv", name]).trim_end().to_owned();
    server.ok(&["new", "-d", "-s", "work", "-n", "main", "--", "cat"]);
    until("the line of the file", || value("@made") == "session-created work");
    server.ok(&["set-hook", "-g", "window-linked", "set -gaF @opened '#{hook_window_name} '"]);
    server.ok(&["set-hook", "-ga", "window-linked", "set -g @second x ; set -g @third yes"]);
    server.ok(&["set-hook", "-t", "work", "pane-exited", "set -gF @ended '#{session_name}'"]);
    server.ok(&["neww", "-d", "-t", "work:", "-n", "logs", "exit 3"]);
    until("both lines of the event", || value("@opened") == "logs" && value("@third") == "yes");
    until("the hook of the session", || value("@ended") == "work");
    // Lines of one session are not for another one.
    server.ok(&["set-hook", "-t", "work", "window-renamed", "set -ga @renamed work"]);
    server.ok(&["set-hook", "-g", "window-renamed", "set -ga @renamed other"]);
    server.ok(&["new", "-d", "-s", "more", "-n", "one", "--", "cat"]);
    server.ok(&["tmux", "rename-window", "-t", "work:main", "two"]);
    until("that of the session", || value("@renamed") == "work");
    server.ok(&["tmux", "rename-window", "-t", "more:one", "two"]);
    until("that of all others", || value("@renamed") == "workother");
    let shown = server.ok(&["show-hooks", "-g"]);
    assert!(shown.contains("window-linked[1] set -g @second x ; set"), "{shown}");
    server.ok(&["set-hook", "-gu", "window-linked"]);
    server.ok(&["neww", "-d", "-t", "work:", "-n", "quiet", "cat"]);
    let first = server.refused(&["set-hook", "-g", "after-new-window", "display x"]);
    assert!(first.starts_with("fugue has no hook after-new-window"), "{first}");
    server.ok(&["tmux", "set-hook", "-g", "after-new-window", "display x"]);
    assert!(server.refused(&["set-hook", "-g", "sesion-created", "display x"]).contains("invalid option"));
    assert_eq!(value("@opened"), "logs one");
}

#[test]
fn what_a_program_says_never_becomes_a_part_of_the_line_of_a_hook() {
    let server = server_with(
        "[hooks]\nnotification = { tmux = \"run-shell \\\"echo $FUGUE_HOOK_TEXT >> ~/log\\\" ; \
         set -gF @seen \\\"$FUGUE_HOOK_TEXT\\\"\" }\n",
    );
    let says = r"printf '\033]777;notify;x;it is done $(touch ~/evil) `touch ~/evil` #(touch ~/evil); touch ~/evil;\033\\'; cat";
    server.ok(&["new", "-d", "-s", "work", "--", "sh", "-c", says]);
    until("the line has run", || !server.ok(&["tmux", "show", "-gqv", "@seen"]).trim().is_empty());
    let plain = "it is done touch ~/evil";
    let seen = server.ok(&["tmux", "show", "-gqv", "@seen"]);
    assert!(seen.starts_with(plain), "{seen}");
    let logged = fs::read_to_string(log(&server)).expect("the log");
    assert!(logged.starts_with("it is done touch"), "{logged}");
    assert!(!server.path().join("evil").exists(), "a value is never a command");
}

#[test]
fn a_hook_knows_nothing_of_the_terminal_in_which_the_daemon_was_started() {
    let server = server_with("[hooks]\nsession-created = 'echo \"<$TMUX$TMUX_PANE$STY>\" >> ~/log'\n");
    let mut first = server.command(&["new", "-d", "-s", "work", "--", "cat"]);
    first.envs([("TMUX", "/tmp/tmux-1000/default,1,0"), ("TMUX_PANE", "%7"), ("STY", "1.tty")]);
    assert!(first.status().expect("it starts").success());
    expect_lines(&server, &["<>"]);
}

#[test]
fn an_agent_with_a_scope_sets_no_hook_and_the_hook_of_another_is_no_person() {
    let server = server_with("");
    let binary = env!("CARGO_BIN_EXE_fugue");
    let log = log(&server);
    let asks =
        format!("run-shell \"{binary} authorize > {} 2>&1; echo over >> {}\"", log.display(), log.display());
    server.ok(&["new", "-d", "-s", "work", "--", "sh"]);
    // Each runs in a pane of its own.
    let inside = |line: &str| server.run(&["run", "-s", "work", line]);
    let set = inside(&format!("{binary} tmux set-hook -g alert-bell '{asks}'"));
    assert_eq!(set.code, 0, "{} {}", set.out, set.err);
    configure(&server, "[scopes]\n\"*\" = \"descendants\"\n");
    until("the scope is in force", || {
        inside(&format!("{binary} tmux set-hook -g window-renamed x")).code != 0
    });
    server.ok(&["neww", "-d", "-t", "work:", "printf '\\a'; exec cat"]);
    until("the hook has run", || fs::read_to_string(&log).is_ok_and(|text| text.contains("over")));
    let told = fs::read_to_string(&log).expect("its output");
    assert!(told.contains("scope"), "an agent's hook has the rights of an agent: {told}");
}
