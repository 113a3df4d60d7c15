//! Refusals: bad input gets a message and a hint, and changes nothing.

use fugue_testkit::TestServer;

/// A command line and its complete error message.
const BAD: [(&[&str], &str); 24] = [
    (&["kill-session", "-t", "wrk"], "Session not found: wrk\nhint: did you mean `work`?"),
    (&["kill-session", "-t", "zzz"], "Session not found: zzz\nhint: `fugue list-sessions` lists sessions"),
    (
        &["select-window", "-w", "7"],
        "Window not found: 7\nhint: `fugue list-sessions` lists sessions and their windows",
    ),
    (&["get-output", "-t", "nowhere"], "Pane not found: nowhere\nhint: `fugue list-panes` lists panes"),
    (
        &["get-output", "-t", "019a0000-0000-7000-8000-000000000000"],
        "Pane not found: 019a0000-0000-7000-8000-000000000000\nhint: `fugue list-panes` lists panes",
    ),
    (
        &["new", "-d", "-s", "work"],
        "Session already exists: work\nhint: `fugue attach work` attaches to it; otherwise, choose another name",
    ),
    (
        &["create-pane", "--cwd", "/no/such/place"],
        "Cannot use directory `/no/such/place`: No such file or directory\nhint: use an existing directory that you can access",
    ),
    (
        &["create-pane", "--", "/no/such/program"],
        "Cannot start `/no/such/program`: No such file or directory\nhint: check the program name and PATH",
    ),
    (
        &["create-window", "--", "no-such-program"],
        "Cannot start `no-such-program`: No such file or directory\nhint: check the program name and PATH",
    ),
    (
        &["create-window", "--", "/etc/passwd"],
        "Cannot start `/etc/passwd`: Permission denied\nhint: check the program name and PATH",
    ),
    (
        &["create-window", "--command", "  "],
        "--command: must not be empty\nhint: specify a shell command line, for example `make test 2>&1 | tail`",
    ),
    (
        &["create-window", "--env", "=1"],
        "--env: the variable name is empty\nhint: names must not be empty or contain `=`; names and values must not contain NUL",
    ),
    (&["send-input"], "input: nothing to send\nhint: specify text, keys, or both"),
    (&["send-input", "--key", "Entre"], "Unknown key: Entre\nhint: did you mean `Enter`?"),
    (
        &["run", ""],
        "command: must not be empty\nhint: specify a shell command line, for example `make test 2>&1 | tail`",
    ),
    (
        &["wait", "--match", "("],
        "--match: unclosed group\nhint: the pattern is a regular expression; escape literal ( [ { . * + ? | ^ $ with \\",
    ),
    (
        &["wait", "--until", "match"],
        "--match: required when waiting for a match\nhint: specify a regular expression, or wait for exit, idle or command_done instead",
    ),
    (
        &["wait", "--timeout-ms", "86400001"],
        "--timeout-ms: 86400001 exceeds the maximum of 86400000\nhint: call again to wait longer",
    ),
    (
        &["get-output", "--grep", "x", "--context", "101"],
        "--context: 101 exceeds the maximum of 100\nhint: read fewer lines at a time and page backward",
    ),
    (
        &[
            "run-parallel",
            "1",
            "2",
            "3",
            "4",
            "5",
            "6",
            "7",
            "8",
            "9",
            "10",
            "11",
            "12",
            "13",
            "14",
            "15",
            "16",
            "17",
        ],
        "Too many parallel commands: the limit is 16\nhint: run at most 16 commands per call",
    ),
    (
        &["create-layout", r#"{"direction":"right","children":[{}]}"#],
        "layout: a split needs two or more children, not one",
    ),
    (&["resize-pane", "--right"], "layout: "),
    (&["swap-panes", "--with", "nowhere"], "Pane not found: nowhere\nhint: `fugue list-panes` lists panes"),
    (&["focus-pane", "--right"], "--direction: there is no pane on that side"),
];

#[test]
fn invalid_requests_are_refused_and_change_nothing() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    server.session("work", &["cat"]);
    let before = server.json(&["ls"]);
    for (words, expected) in BAD {
        let refused = server.refused(words);
        let matches =
            if expected.ends_with(' ') { refused.starts_with(expected) } else { refused == expected };
        assert!(matches, "fugue {}\n{refused}\nexpected\n{expected}", words.join(" "));
        assert_eq!(server.json(&["ls"]), before, "fugue {}", words.join(" "));
    }
}

#[test]
fn invalid_arguments_exit_with_code_two() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    server.session("work", &["cat"]);
    let cases: [(&[&str], &str); 9] = [
        (&["new", "-d", "--size", "0x24"], "`0x24` is not a size"),
        (&["new", "-d", "--size", "10000x24"], "`10000x24` is not a size"),
        (&["new", "-d", "-s", "a\u{7}b"], "a session name cannot contain the character '\\u{7}'"),
        (&["rename-session", ""], "a session name cannot be empty"),
        (&["create-pane", "--direction", "sideways"], "`sideways` is not a side"),
        (&["create-pane", "--left", "--right"], "cannot be used with"),
        (&["select-layout", "tilde"], "did you mean `tiled`?"),
        (&["list-sesions"], "Unknown command: list-sesions\nhint: did you mean `list-sessions`?"),
        (&["send-orchestration", "-s", "work", "well done"], "a message type has no spaces"),
    ];
    for (words, expected) in cases {
        let run = server.run(words);
        assert_eq!(run.code, 2, "fugue {}: {}", words.join(" "), run.err);
        assert!(run.err.contains(expected), "fugue {}\n{}\nexpected\n{expected}", words.join(" "), run.err);
    }
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
}

#[test]
fn a_pane_is_split_until_there_is_no_room_and_then_refused_with_the_numbers() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    server.session("work", &["cat"]);
    let mut splits = 0;
    let expected = loop {
        let run = server.run(&["create-pane", "--below", "--", "cat"]);
        match run.code {
            0 => splits += 1,
            _ => break run.err,
        }
    };
    assert_eq!(splits, 3, "24 rows: 11, 5, 2 are left");
    assert!(expected.contains("has only 2 of the 3 rows needed"), "{expected}");
    assert!(expected.contains("hint: close or zoom a pane"), "{expected}");
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 4 panes\n");
}

#[test]
fn an_input_at_the_limit_arrives_and_one_byte_more_is_refused() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let pane = server
        .session("work", &["sh", "-c", "stty raw -echo; echo ready; head -c 1048576 | wc -c; exec cat"]);
    server.wait_for(&pane, "ready");
    let mut connection = server.connect();
    let send = |connection: &mut fugue_client::Connection, bytes: usize| {
        let choice = fugue_protocol::verbs::PaneChoice { session: "work".parse().ok(), pane: None };
        let input = Some("x".repeat(bytes));
        connection.call(&fugue_protocol::verbs::SendInput { choice, input, ..Default::default() })
    };
    let refused = send(&mut connection, (1 << 20) + 1).expect_err("too much");
    assert!(
        refused.to_string().starts_with("Input too large: 1048577 bytes (the limit is 1048576)"),
        "{refused}"
    );
    send(&mut connection, 1 << 20).expect("exactly the limit");
    server.wait_for(&pane, "1048576");
    let refused = send(&mut connection, 5 << 20).expect_err("more than a frame");
    assert!(refused.to_string().contains("the limit is 4194304"), "{refused}");
}

#[test]
fn the_sender_is_refused_when_a_program_never_reads_its_input() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let pane = server.session("work", &["sh", "-c", "stty raw -echo; echo ready; exec sleep 1000"]);
    server.wait_for(&pane, "ready");
    let mut connection = server.connect();
    let choice = fugue_protocol::verbs::PaneChoice { session: "work".parse().ok(), pane: None };
    let input =
        fugue_protocol::verbs::SendInput { choice, input: Some("x".repeat(1 << 20)), ..Default::default() };
    let refused = (0..8).find_map(|_| connection.call(&input).err()).expect("a refusal at last");
    assert!(refused.to_string().contains("is not reading its input"), "{refused}");
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
}

#[test]
fn a_wait_without_a_match_is_not_a_success() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let new = ["new", "-d", "-s", "work", "--on-exit", "keep", "--", "sh", "-c", "echo words"];
    let pane = server.json(&new)["pane_id"].as_str().expect("a pane").to_owned();
    assert_eq!(server.ok(&["wait", "-t", &pane, "--until", "exit"]), "exited, exit code 0\n");
    assert_eq!(server.ok(&["wait", "-t", &pane, "--match", "wor"]), "matched: words\n");
    for words in [["--match", "never"], ["--until", "agent_state"]] {
        let run = server.run(&[&["wait", "-t", &pane], &words[..]].concat());
        assert_eq!((run.code, run.out.as_str()), (1, "exited, exit code 0\n"), "{words:?}: {}", run.err);
    }
}

#[test]
fn a_cursor_beyond_the_end_is_refused() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let pane = server.session("work", &["sh", "-c", "echo words; exec cat"]);
    server.wait_for(&pane, "^words$");
    let run = server.run(&["get-output", "-t", &pane, "--since", "900:0"]);
    assert_eq!((run.code, run.out.trim()), (0, ""));
    assert!(run.err.starts_with("fugue: Cursor 900:0 is past the end "), "{}", run.err);
    assert_eq!(server.json(&["get-output", "-t", &pane, "--since", "0:0"]).get("note"), None);
}

#[test]
fn an_invalid_layout_is_refused_with_the_position() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    server.session("work", &["cat"]);
    for (layout, expected) in [
        ("[]", "expected an object that describes a pane or a split, found a list"),
        (r#"{"argv":[]}"#, "argv: must not be empty; omit it instead"),
        (r#"{"direction":"right","children":[]}"#, "children: must not be empty; omit it instead"),
        (
            r#"{"direction":"right","children":[{},{"ratio":"x"}]}"#,
            "children[1].ratio: expected an integer from 0 to 4294967295, found the string \"x\"",
        ),
    ] {
        let run = server.run(&["create-layout", layout]);
        assert_eq!(run.code, 2, "{layout}: {}", run.err);
        assert!(run.err.contains(expected), "{layout}: {}", run.err);
    }
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
}
