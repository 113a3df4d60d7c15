//! `run`: a command is typed at a shell's prompt or gets a pane of its own, and its outcome is reported.

use fugue_testkit::{TestServer, TestTerminal, shells_among, until};
use serde_json::{Value, json};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// The reply, whatever the outcome.
fn run(server: &TestServer, words: &[&str]) -> Value {
    let result = server.run(&[&["run", "--json"], words].concat());
    serde_json::from_str(&result.out).unwrap_or_else(|_| panic!("{words:?}: {} {}", result.out, result.err))
}

fn outcome(result: &Value) -> (&Value, &Value, &Value) {
    (&result["outcome"], &result["exit_code"], &result["output"])
}

/// Runs a test in every installed shell, and in one without prompt marks.
fn in_every_shell(test: impl Fn(&TestServer, &str, &str)) {
    for shell in shells_among(&["bash", "zsh", "fish", "dash"]) {
        let server = test_server();
        let pane = server.session(shell, &[shell]);
        test(&server, &pane, shell);
    }
}

#[test]
fn a_shell_runs_a_command_and_only_its_exit_code_and_output_come_back() {
    in_every_shell(|server, pane, shell| {
        for (command, code, output) in [
            ("false", 1, ""),
            ("printf 'no newline'", 0, "no newline"),
            ("echo one; echo two", 0, "one\ntwo"),
            ("echo 'it'\"'\"'s fine!'", 0, "it's fine!"),
            ("sh -c 'exit 42'", 42, ""),
        ] {
            let result = run(server, &["-t", pane, command]);
            assert_eq!(
                outcome(&result),
                (&json!("finished"), &json!(code), &json!(output)),
                "{shell}: {command}"
            );
        }
    });
}

#[test]
fn a_command_of_several_lines_is_one_command() {
    in_every_shell(|server, pane, shell| {
        let loops = match shell {
            "fish" => "for n in 1 2 3\n  echo n$n\nend\necho done",
            _ => "for n in 1 2 3\ndo\n\techo n$n\ndone\necho done",
        };
        let result = run(server, &["-t", pane, loops]);
        assert_eq!(outcome(&result), (&json!("finished"), &json!(0), &json!("n1\nn2\nn3\ndone")), "{shell}");
    });
}

#[test]
fn a_command_with_a_control_character_is_refused_where_it_would_be_typed() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    let command = "printf '%s' 'a\u{1b}b' | od -An -tx1";
    let refused = server.run(&["run", "-t", &pane, command]);
    let why = r"contains the control character '\u{1b}', which cannot be typed at a prompt";
    assert!(refused.code != 0 && refused.err.contains(why), "{refused:?}");
    assert_eq!(server.ok(&["run", "-s", "work", command]).trim(), "61 1b 62");
    let lines = "printf '%s' 'a\tb' | od -An -tx1\r\necho end\r\n";
    assert_eq!(server.ok(&["run", "-t", &pane, lines]).trim(), "61 09 62\nend");
}

#[test]
fn a_syntax_error_is_reported_and_the_next_command_runs() {
    in_every_shell(|server, pane, shell| {
        for nonsense in ["echo 'never closed", "if true", "echo )"] {
            let result = run(server, &["-t", pane, nonsense]);
            assert_eq!(result["outcome"], "finished", "{shell}: {nonsense}: {result}");
            assert!(
                result["exit_code"].as_i64().is_some_and(|code| code != 0),
                "{shell}: {nonsense}: {result}"
            );
            assert_ne!(result["output"], "", "{shell}: {nonsense}");
        }
        assert_eq!(run(server, &["-t", pane, "echo on"])["output"], "on", "{shell}");
    });
}

#[test]
fn directory_and_variables_persist_for_the_next_command() {
    in_every_shell(|server, pane, shell| {
        let set = if shell == "fish" { "cd /; set -x WORD kept" } else { "cd /; export WORD=kept" };
        assert_eq!(run(server, &["-t", pane, set])["exit_code"], 0, "{shell}");
        assert_eq!(run(server, &["-t", pane, "echo $PWD $WORD"])["output"], "/ kept", "{shell}");
    });
}

#[test]
fn of_twenty_megabytes_of_output_the_end_is_kept_and_the_rest_counted() {
    for words in [&["-t", "shell"] as &[&str], &[]] {
        let server = test_server();
        let pane = server.session("work", &["bash"]);
        server.ok(&["rename-pane", "-t", &pane, "shell"]);
        let flood =
            "head -c 20000000 /dev/zero | tr '\\0' x | fold -w 99; exit_with() { return 7; }; exit_with";
        let result = run(&server, &[words, &[flood]].concat());
        assert_eq!((&result["outcome"], &result["exit_code"]), (&json!("finished"), &json!(7)));
        let shown = result["output"].as_str().unwrap().lines().count() as u64;
        assert_eq!(shown, 100);
        let dropped = result["dropped"]["lines"].as_u64().unwrap_or_default();
        let missing = result["lines_missing"].as_u64().unwrap();
        assert_eq!(missing + dropped + shown, 20_000_000_u64.div_ceil(99));
    }
}

#[test]
fn a_command_that_waits_for_input_is_reported_and_keeps_running() {
    in_every_shell(|server, pane, shell| {
        let result = run(server, &["-t", pane, "printf 'name? '; head -n 1 | tr a-z A-Z"]);
        assert_eq!(outcome(&result), (&json!("waiting_for_input"), &Value::Null, &json!("name?")), "{shell}");
        let refused = server.refused(&["run", "-t", pane, "true"]);
        assert!(refused.contains("is busy with `"), "{shell}: {refused}");
        server.ok(&["send-input", "-t", pane, "ada\n"]);
        let done = server.json(&["wait", "-t", pane, "--until", "command_done"]);
        assert_eq!(
            (&done["outcome"], &done["exit"]),
            (&json!("command_done"), &json!({ "code": 0 })),
            "{shell}"
        );
        let read = server.json(&["get-output", "-t", pane, "--mode", "last_command"]);
        assert_eq!(read["text"], "name? ada\nADA", "{shell}");
        assert_eq!(read["command"]["exit_code"], 0, "{shell}");
        assert!(read["command"]["duration_ms"].is_u64(), "{shell}: {read}");
    });
}

#[test]
fn the_output_of_a_command_is_shown_with_its_exit_code_and_duration() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    assert_eq!(run(&server, &["-t", &pane, "echo hello; false"])["exit_code"], 1);
    let read = ["get-output", "-t", &pane, "--mode", "last_command"];
    let mut person = TestTerminal::spawn(server.command(&read), 80, 24);
    person.shows("` exited with code 1 after ");
    assert_eq!(person.screen().screen_rows()[0], "hello");
    assert_eq!(server.ok(&read), "hello\n", "without a terminal only the output is printed");
}

#[test]
fn a_command_that_exceeds_the_time_limit_keeps_running() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    let result = run(&server, &["-t", &pane, "--timeout-ms", "700", "sh -c 'echo begun; exec sleep 1000'"]);
    assert_eq!(outcome(&result), (&json!("timeout"), &Value::Null, &json!("begun")));
    server.ok(&["send-input", "-t", &pane, "--key", "C-c"]);
    let done = server.json(&["wait", "-t", &pane, "--until", "command_done"]);
    assert_eq!(done["exit"], json!({ "code": 130 }));
}

#[test]
fn without_a_pane_a_command_gets_a_temporary_one() {
    let server = test_server();
    server.session("work", &["cat"]);
    let windows = || server.json(&["list-sessions"])["sessions"][0]["windows"].as_array().unwrap().len();
    let result = run(&server, &["-s", "work", "-c", "/", "pwd; exit 3"]);
    assert_eq!(outcome(&result), (&json!("finished"), &json!(3), &json!("/")));
    assert_eq!(result["pane_closed"], true);
    until("its window is closed", || windows() == 1);
    let result = run(&server, &["-s", "work", "--timeout-ms", "300", "echo begun; cat"]);
    assert_eq!(outcome(&result), (&json!("timeout"), &Value::Null, &json!("begun")));
    let pane = result["pane_id"].as_str().unwrap();
    assert_eq!(windows(), 2, "a command that keeps running keeps its pane");
    server.ok(&["send-input", "-t", pane, "\u{4}"]);
    assert_eq!(server.json(&["wait", "-t", pane, "--until", "exit"])["exit"], json!({ "code": 0 }));
    assert_eq!(server.text(pane), "begun\n", "its output can still be read");
    let result = run(&server, &["-s", "work", "kill -9 $$"]);
    assert_eq!((&result["signal"], result.get("exit_code")), (&json!(9), None));
}

#[test]
fn fugue_run_exits_with_the_code_of_the_command() {
    let server = test_server();
    server.session("work", &["cat"]);
    for (command, code, message) in [
        ("exit 0", 0, ""),
        ("exit 3", 3, "fugue: exit code 3\n"),
        ("exit 255", 255, "fugue: exit code 255\n"),
        ("kill -9 $$", 137, "fugue: signal 9\n"),
    ] {
        for json in [&[][..], &["--json"]] {
            let result = server
                .command(&[&["run", "-s", "work", command], json].concat())
                .output()
                .expect("fugue runs");
            assert_eq!(
                (result.status.code(), &*String::from_utf8_lossy(&result.stderr)),
                (Some(code), message)
            );
        }
    }
}

#[test]
fn a_pane_without_a_shell_prompt_is_not_touched() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let refused = server.refused(&["run", "-t", &pane, "ls"]);
    assert!(refused.contains("is running cat, not a shell at its prompt\nhint: omit `--pane`"), "{refused}");
    let pane = server.session("script", &["sh", "-c", "read word; echo got $word; cat"]);
    let refused = server.refused(&["run", "-t", &pane, "ls"]);
    assert!(refused.contains("not a shell at its prompt"), "{refused}");
    assert_eq!(server.text(&pane).trim(), "", "nothing was typed");
}

#[test]
fn a_draft_at_the_prompt_is_not_touched() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    assert_eq!(run(&server, &["-t", &pane, "echo ready"])["output"], "ready");
    server.ok(&["send-input", "-t", &pane, "rm -rf half"]);
    until("it is typed", || server.text(&pane).contains("rm -rf half"));
    let refused = server.refused(&["run", "-t", &pane, "echo mine"]);
    assert!(refused.contains("already contains typed text"), "{refused}");
}

#[test]
fn a_shell_that_exits_with_the_command_is_reported() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    let result = run(&server, &["-t", &pane, "exit 5"]);
    assert_eq!((&result["outcome"], &result["exit_code"]), (&json!("exited"), &json!(5)));
}

#[test]
fn a_shell_that_starts_slowly_still_reports_the_exit_code() {
    let server = test_server();
    std::fs::write(server.path().join(".bashrc"), "sleep 1\n").expect("a user file");
    let pane = server.session("work", &["bash"]);
    let result = run(&server, &["-t", &pane, "echo hi; (exit 3)"]);
    assert_eq!(outcome(&result), (&json!("finished"), &json!(3), &json!("hi")), "{result}");
}

#[test]
fn the_users_own_files_are_read_and_nothing_else_is_different() {
    let server = test_server();
    for (file, text) in [
        (".bash_profile", "export PROFILE=read; . ~/.bashrc; PROMPT_COMMAND='history -a;'; PS1='mine> '"),
        (".bashrc", "alias greet='echo hello'"),
        (".zshrc", "export RC=read; precmd() { PS1='mine> ' }"),
        (".zshenv", "export ZENV=read"),
    ] {
        std::fs::write(server.path().join(file), text).expect("a user file");
    }
    let bash = server.session("bash", &["bash", "--login"]);
    server.ok(&["wait", "-t", &bash, "--match", "mine>"]);
    std::fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    std::fs::write(server.path().join("config/fugue/config.toml"), "shell = \"/bin/bash\"\n")
        .expect("a setting");
    server.ok(&["shutdown"]);
    let login = server.session("login", &[]);
    let seen = "greet; echo $PROFILE $0 ${ENV-none} ${FUGUE_ENV-none} $HISTFILE; shopt -q login_shell && ! shopt -q inherit_errexit && set -o | grep posix | tr -s ' \\t' -";
    let result = run(&server, &["-t", &login, seen]);
    let history = server.path().join(".bash_history");
    let expected = format!("hello\nread -bash none none {}\nposix-off", history.display());
    assert_eq!(result["output"].as_str().unwrap(), expected, "{result}");
    server.wait_for(&login, "mine>");
    for _ in shells_among(&["zsh"]) {
        let zsh = server.session("zsh", &["zsh"]);
        let result = run(&server, &["-t", &zsh, "echo $ZENV $RC ${ZDOTDIR-none} ${FUGUE_ZDOTDIR-none}"]);
        assert_eq!(result["output"], "read read none none");
    }
}

#[test]
fn commands_run_without_prompt_marks_if_they_are_disabled() {
    let server = test_server();
    std::fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    std::fs::write(server.path().join("config/fugue/config.toml"), "prompt_marks = false\n")
        .expect("a setting");
    let pane = server.session("work", &["bash"]);
    let result = run(&server, &["-t", &pane, "echo $BASHOPTS | grep -c posix; echo ${ENV-none}"]);
    assert_eq!(result["output"], "0\nnone");
    let refused =
        server.refused(&["get-output", "-t", &server.session("cat", &["cat"]), "--mode", "last_command"]);
    assert!(refused.contains("does not emit prompt marks"), "{refused}");
}

/// Prompt marks as in a recording of another shell: a command that succeeded, and a prompt.
const RECORDED: &str =
    "\\033]133;D;0\\007\\033]133;A\\007$ \\033]133;B\\007ls\\r\\n\\033]133;C\\007a\\r\\n\\033]133;D;0\\007";

#[test]
fn prompt_marks_in_displayed_recordings_do_not_end_a_command() {
    in_every_shell(|server, pane, shell| {
        let shown = format!("printf '{RECORDED}'; sh -c 'echo last; exit 7'");
        let result = run(server, &["-t", pane, &shown]);
        assert_eq!(outcome(&result), (&json!("finished"), &json!(7), &json!("$ ls\na\nlast")), "{shell}");
        let read = server.json(&["get-output", "-t", pane, "--mode", "last_command"]);
        assert_eq!((&read["text"], &read["command"]["exit_code"]), (&result["output"], &json!(7)), "{shell}");
    });
}

#[test]
fn replayed_prompt_marks_of_the_same_shell_do_not_end_a_command() {
    for shell in shells_among(&["bash", "zsh", "fish"]) {
        let server = test_server();
        let pane = server.session("work", &[shell]);
        let recorder = server.command(&["record", "-t", &pane, "all.cast"]).spawn();
        let mut recorder = recorder.expect("fugue runs");
        until("the recording has started", || {
            std::fs::metadata(server.path().join("all.cast")).is_ok_and(|file| file.len() > 0)
        });
        assert_eq!(run(&server, &["-t", &pane, "sh -c 'exit 3'"])["exit_code"], 3, "{shell}");
        until("its end is recorded", || {
            std::fs::read_to_string(server.path().join("all.cast"))
                .is_ok_and(|text| text.contains("133;D;3;k="))
        });
        fugue_testkit::signal("TERM", recorder.id());
        recorder.wait().expect("the recorder exits");
        let bytes = played(&std::fs::read_to_string(server.path().join("all.cast")).expect("a recording"));
        std::fs::write(server.path().join("raw"), bytes).expect("a file");
        let raw = server.path().join("raw");
        let result = run(&server, &["-t", &pane, &format!("cat {}; sh -c 'exit 5'", raw.display())]);
        assert_eq!((&result["outcome"], &result["exit_code"]), (&json!("finished"), &json!(5)), "{shell}");
    }
}

/// The output in a recording.
fn played(cast: &str) -> String {
    let events = cast.lines().skip(1).filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events.filter(|event| event[1] == "o").filter_map(|event| Some(event[2].as_str()?.to_owned())).collect()
}

#[test]
fn a_shell_with_redirected_output_still_reports_exit_codes() {
    for shell in shells_among(&["bash", "zsh"]) {
        let server = test_server();
        let pane = server.session("work", &[shell]);
        let file = server.path().join("elsewhere");
        let result = run(&server, &["-t", &pane, &format!("exec >{}", file.display())]);
        assert_eq!(outcome(&result), (&json!("finished"), &json!(0), &json!("")), "{shell}");
        let result = run(&server, &["-t", &pane, "echo hidden; sh -c 'exit 4'"]);
        assert_eq!(outcome(&result), (&json!("finished"), &json!(4), &json!("")), "{shell}");
        let written = std::fs::read_to_string(file).expect("its output");
        assert!(written.contains("hidden\n") && !written.contains("]133;"), "{shell}: {written:?}");
    }
}

#[test]
fn a_shell_that_stopped_sending_prompt_marks_is_distinguished_from_a_busy_one() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    let result = run(&server, &["-t", &pane, "PROMPT_COMMAND="]);
    assert_eq!((&result["outcome"], result.get("exit_code")), (&json!("finished"), None), "{result}");
    let refused = server.refused(&["run", "-t", &pane, "true"]);
    assert!(refused.contains("stopped sending prompt marks\nhint: "), "{refused}");
    server.ok(&["respawn-pane", "-t", &pane, "--kill"]);
    assert_eq!(
        run(&server, &["-t", &pane, "echo anew"])["output"],
        "anew",
        "a respawned shell is waited for from its first prompt"
    );
}

#[test]
fn wrapped_commands_are_not_in_the_shells_history() {
    in_every_shell(|server, pane, shell| {
        let history = match shell {
            "bash" | "fish" => "history",
            "zsh" => "fc -l 1",
            _ => return,
        };
        assert_eq!(run(server, &["-t", pane, "echo plain"])["output"], "plain", "{shell}");
        assert_eq!(run(server, &["-t", pane, "echo one | cat"])["output"], "one", "{shell}");
        let result = run(server, &["-t", pane, history]);
        let kept = result["output"].as_str().unwrap();
        assert!(kept.contains("echo plain") && !kept.contains("eval"), "{shell}: {kept}");
    });
}
