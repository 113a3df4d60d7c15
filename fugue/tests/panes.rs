//! The environment of a program in a pane, its output, and the pane after the program exits.

use fugue_testkit::{TestServer, until};
use serde_json::json;

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// The environment of a pane's program.
fn environment(server: &TestServer, words: &[&str]) -> std::collections::BTreeMap<String, String> {
    let all = [words, &["--on-exit", "keep", "--", "env"]].concat();
    let pane = server.json(&all)["pane_id"].as_str().expect("a pane").to_owned();
    server.ok(&["wait", "-t", &pane, "--until", "exit"]);
    let text = server.text(&pane);
    let entries = text.lines().filter_map(|line| line.split_once('='));
    let mut found: std::collections::BTreeMap<_, _> =
        entries.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    found.insert("pane".into(), pane);
    found
}

#[test]
fn every_pane_knows_its_identity_however_it_was_created() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "work", "--size", "200x50", "--env", "COLOR=blue", "--", "cat"]);
    let session = server.json(&["ls"])["sessions"][0]["session_id"].as_str().expect("an id").to_owned();
    for words in [&["create-window", "-s", "work"][..], &["create-pane", "-s", "work", "--right"][..]] {
        let found = environment(&server, words);
        assert_eq!(found["FUGUE_PANE_ID"], found["pane"]);
        assert_eq!(found["FUGUE_SESSION_ID"], session);
        assert_eq!(found["FUGUE_SESSION_NAME"], "work");
        assert_eq!(found["FUGUE_SOCKET"], server.socket().display().to_string());
        assert_eq!(found["TERM"], "xterm-256color");
        assert_eq!(found["COLORTERM"], "truecolor");
        assert_eq!(found["TERM_PROGRAM"], "fugue");
        assert_eq!(found["COLOR"], "blue");
        assert!(found.contains_key("FUGUE_WINDOW_ID"), "{found:?}");
        assert_eq!(found["PWD"], server.path().display().to_string());
        assert!(!found.contains_key("FUGUE_KEEPER_FD"), "{found:?}");
    }
}

#[test]
fn a_program_that_calls_whoami_at_once_gets_an_answer() {
    let server = test_server();
    for number in 0..10 {
        let name = format!("s{number}");
        let words = [
            "new",
            "-d",
            "-s",
            &name,
            "--on-exit",
            "keep",
            "--json",
            "--",
            env!("CARGO_BIN_EXE_fugue"),
            "whoami",
        ];
        let pane: serde_json::Value = serde_json::from_str(&server.ok(&words)).expect("JSON");
        server.wait_for(pane["pane_id"].as_str().expect("a pane"), &format!("session_name: {name}$"));
    }
}

#[test]
fn a_program_has_a_terminal_of_the_right_size_no_stray_files_and_default_signals() {
    let server = test_server();
    let look = "tty; stty size; ls /proc/self/fd | tr '\\n' ' '; echo; grep -E 'Sig(Blk|Ign)' /proc/self/status; ps -o sid= -p $$ | tr -d ' '; echo pid $$; ulimit -n; exec cat";
    let new = ["new", "-d", "-s", "work", "--size", "132x43", "--", "sh", "-c", look];
    let pane = server.json(&new)["pane_id"].as_str().expect("a pane").to_owned();
    server.wait_for(&pane, "^pid [0-9]+$");
    server.wait_for(&pane, "^[0-9]+$");
    let text = server.text(&pane);
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("/dev/pts/"), "{text}");
    assert_eq!(lines[1], "43 132");
    assert_eq!(lines[2].trim(), "0 1 2 3", "0 to 2, and the directory that ls reads: {text}");
    assert!(lines[3].ends_with("0000000000000000") && lines[4].ends_with("0000000000000000"), "{text}");
    assert_eq!(format!("pid {}", lines[5]), lines[6], "leader of its own session");
}

#[test]
fn a_new_pane_starts_where_the_one_it_came_from_is_now() {
    let server = test_server();
    std::fs::create_dir(server.path().join("deep")).expect("a directory");
    let pane = server.session("work", &["sh"]);
    server.ok(&["send-input", "-t", &pane, "cd deep && echo gone''-there", "--submit"]);
    server.wait_for(&pane, "gone-there");
    let new = server.json(&["create-pane", "-s", "work", "--", "sh", "-c", "pwd; exec cat"]);
    server.wait_for(new["pane_id"].as_str().expect("a pane"), "/deep$");
}

#[test]
fn an_exit_code_is_kept_and_reported_and_the_pane_closed_or_kept() {
    let server = test_server();
    server.session("work", &["cat"]);
    let run = |keep: &str, script: &str| {
        let words = ["create-window", "-s", "work", "-d", "--on-exit", keep, "--", "sh", "-c", script];
        server.json(&words)["pane_id"].as_str().expect("a pane").to_owned()
    };
    let closed = run("close", "exit 3");
    assert_eq!(server.ok(&["wait", "-t", &closed, "--until", "exit"]), "exited, exit code 3\n");
    let is_closed = || !server.ok(&["list-panes", "--json"]).contains(&closed);
    until("it is closed", is_closed);
    let complaint = server.refused(&["send-input", "-t", &closed, "x"]);
    assert_eq!(
        complaint,
        format!("Pane not found: {closed}\nhint: its program exited (exit code 3) and the pane was closed")
    );
    assert_eq!(
        server.ok(&["wait", "-t", &closed, "--until", "exit"]),
        "exited, exit code 3\n",
        "after the pane was closed"
    );

    let kept = run("keep", "echo the last word; kill -9 $$");
    assert_eq!(server.ok(&["wait", "-t", &kept, "--until", "exit"]), "exited, signal 9\n");
    assert_eq!(server.text(&kept).trim_end(), "the last word");
    assert!(server.refused(&["send-input", "-t", &kept, "x"]).contains("has exited (signal 9)"));
    server.ok(&["respawn-pane", "-t", &kept, "--", "sh", "-c", "echo once more; exec cat"]);
    server.wait_for(&kept, "once more");
    assert!(server.text(&kept).contains("the last word"), "its history is kept");

    let failed = run("keep-failed", "exit 1");
    server.ok(&["wait", "-t", &failed, "--until", "exit"]);
    assert_eq!(server.json(&["get-output", "-t", &failed])["exit"], json!({"code": 1}));
}

#[test]
fn a_burst_of_sixteen_megabytes_loses_nothing_at_the_end() {
    let server = test_server();
    let script = "seq 1 2000000; echo; exit 5";
    let words = ["new", "-d", "-s", "work", "--on-exit", "keep", "--", "sh", "-c", script];
    let pane = server.json(&words)["pane_id"].as_str().expect("a pane").to_owned();
    assert_eq!(
        server.ok(&["wait", "-t", &pane, "--until", "exit", "--timeout-ms", "60000"]),
        "exited, exit code 5\n"
    );
    let text = server.text(&pane);
    let numbers: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(numbers.last(), Some(&2_000_000));
    assert!(
        numbers.len() >= 9_990 && numbers.windows(2).all(|two| two[1] == two[0] + 1),
        "{}",
        numbers.len()
    );
}

#[test]
fn only_output_since_a_cursor_is_read() {
    let server = test_server();
    let pane =
        server.session("work", &["sh", "-c", "stty -echo; echo one; while read x; do echo got $x; done"]);
    server.wait_for(&pane, "one");
    let first = server.json(&["get-output", "-t", &pane]);
    let sent = server.json(&["send-input", "-t", &pane, "two\n"]);
    assert_eq!(sent["cursor"], first["cursor"]);
    let since = first["cursor"].as_str().expect("a cursor").to_owned();
    server.ok(&["wait", "-t", &pane, "--match", "got two", "--since", &since]);
    assert_eq!(server.ok(&["get-output", "-t", &pane, "--since", &since]).trim(), "got two");
    let run = server.run(&["wait", "-t", &pane, "--match", "one", "--since", &since, "--timeout-ms", "50"]);
    assert_eq!((run.code, run.out.as_str()), (1, "timeout\n"), "text before the cursor does not match");
}

#[test]
fn screens_of_full_screen_programs_are_read_as_rows() {
    let server = test_server();
    let draw = r"printf '\033[?1049h\033[2J\033[5;10Hmiddle\033[24;75Hcorner'; exec cat";
    let pane = server.session("work", &["sh", "-c", draw]);
    server.wait_for(&pane, "corner");
    let rows = server.ok(&["get-output", "-t", &pane, "--mode", "screen"]);
    let rows: Vec<_> = rows.lines().collect();
    assert_eq!((rows.len(), rows[4], rows[23].trim_start()), (24, "         middle", "corner"));
}

#[test]
fn a_screenshot_is_available_in_every_format() {
    let server = test_server();
    let pane = server.session("work", &["sh", "-c", r"printf '\033[1;31mred <b>\033[0m plain'; exec cat"]);
    server.wait_for(&pane, "plain");
    let shot = |format: &str| server.ok(&["screenshot", &pane, "--format", format]);
    assert!(shot("svg").starts_with("<svg ") && shot("svg").contains("red"), "{}", shot("svg"));
    assert!(shot("html").contains("red &lt;b&gt;"), "{}", shot("html"));
    assert!(shot("ansi").contains("\u{1b}["), "{}", shot("ansi"));
    assert_eq!(shot("text"), "red <b> plain\n");
    let view: serde_json::Value = serde_json::from_str(&shot("json")).expect("JSON");
    assert_eq!(view["size"], json!({"cols": 80, "rows": 24}));
}

#[test]
fn a_program_that_exits_with_unread_input_affects_nobody_else() {
    let server = test_server();
    let program = "stty raw -echo; echo ready; dd bs=1 count=1 >/dev/null 2>&1";
    let pane = server.session("work", &["sh", "-c", program]);
    server.session("other", &["cat"]);
    server.wait_for(&pane, "ready");
    server.ok(&["send-input", "-t", &pane, &"x".repeat(100_000)]);
    assert_eq!(server.ok(&["wait", "-t", &pane, "--until", "exit"]), "exited, exit code 0\n");
    is_at_rest(&server, "other");
}

/// Checks that the daemon rests for a second in which a session is idle.
fn is_at_rest(server: &TestServer, session: &str) {
    let daemon = server.daemon_pid();
    let (before, used) = (fugue_testkit::switches(daemon), fugue_testkit::processor_time(daemon));
    server.run(&["wait", "-s", session, "--until", "idle", "--idle-ms", "1000"]);
    let woken = fugue_testkit::switches_since(daemon, &before);
    assert!(woken < 50, "it was woken {woken} times in a second");
    let used = fugue_testkit::processor_time(daemon) - used;
    assert!(used < 20, "it used {used} hundredths of a second of processor time");
}

#[test]
fn a_title_is_reported_once() {
    let server = test_server();
    let pane = server.session("work", &["sh", "-c", r"printf '\033]2;a title\007ready'; exec cat"]);
    server.wait_for(&pane, "ready");
    until("the title is reported", || server.json(&["list-panes"])["panes"][0]["title"] == "a title");
    is_at_rest(&server, "work");
}

#[test]
fn text_submitted_to_a_program_that_exits_with_it_was_submitted() {
    let server = test_server();
    server.session("other", &["cat"]);
    for _ in 0..3 {
        let pane = server.session("once", &["head", "-1"]);
        let sent = server.json(&["send-input", "-t", &pane, "bye", "--submit"]);
        assert_eq!(sent["submit"], "submitted");
    }
}

#[test]
fn a_session_name_has_no_colon() {
    let server = test_server();
    server.session("work", &["cat"]);
    let refused = "name: a session name cannot contain `:`\nhint: use another character, such as `-`";
    assert_eq!(server.refused(&["new", "-d", "-s", "a:b"]), format!("--{refused}"));
    // The name is no flag here.
    assert_eq!(server.refused(&["rename-session", "-s", "work", "a:b"]), refused);
}

#[test]
fn panes_are_listed_with_their_session_and_a_closed_one_is_said_to_be_closed() {
    let server = test_server();
    server.session("work", &["cat"]);
    let other = server.session("other", &["cat"]);
    let listed = server.ok(&["list-panes"]);
    let sessions: Vec<_> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(sessions, ["work", "other"], "{listed}");
    server.ok(&["close-pane", "-t", &other]);
    let refused = server.refused(&["get-output", "-t", &other]);
    assert_eq!(refused, format!("Pane not found: {other}\nhint: the pane was closed"));
}

#[test]
fn submitted_text_is_typed_and_only_multiple_lines_are_pasted() {
    let server = test_server();
    let show = r"stty raw -echo; printf '\033[?2004hready'; exec cat -v";
    let pane = server.session("work", &["sh", "-c", show]);
    server.wait_for(&pane, "ready");
    server.ok(&["send-input", "-t", &pane, ":wq", "--submit"]);
    server.wait_for(&pane, r"ready:wq\^M");
    server.ok(&["send-input", "-t", &pane, "one\ntwo", "--submit"]);
    server.wait_for(&pane, r"\^\[\[200~one");
}

#[test]
fn a_reader_never_sees_half_of_a_synchronized_update() {
    let server = test_server();
    let frames = "import sys\nfor n in range(10**9):\n  sys.stdout.write('\\x1b[?2026h\\x1b[H' + ''.join(f'frame {n} row\\x1b[K\\r\\n' for _ in range(20)) + '\\x1b[?2026l'); sys.stdout.flush()";
    let pane = server.session("work", &["python3", "-c", frames]);
    server.wait_for(&pane, "frame [0-9]+ row");
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let screen = server.ok(&["get-output", "-t", &pane, "--mode", "screen"]);
        let rows: std::collections::BTreeSet<_> = screen.lines().collect();
        assert_eq!((rows.len(), screen.lines().count()), (1, 20), "{screen}");
        seen.extend(rows.into_iter().map(str::to_owned));
    }
    assert!(seen.len() > 1, "the screen did not change");
}

#[test]
fn an_update_that_never_ends_does_not_freeze_its_pane() {
    let server = test_server();
    let pane = server.session("work", &["sh", "-c", "printf '\\033[?2026hhalf of it'; exec cat"]);
    server.wait_for(&pane, "half of it");
    server.ok(&["send-input", "-t", &pane, "and more", "-k", "Enter"]);
    server.wait_for(&pane, "and more");
}

#[test]
fn control_characters_are_shown_escaped() {
    let server = test_server();
    server.session("work", &["sh", "-c", "exec cat", "\x1b[31mred\ntwo"]);
    let listed = server.ok(&["list-panes"]);
    assert!(listed.contains(r"'\u{1b}[31mred\ntwo'"), "{listed:?}");
    assert_eq!(listed.lines().count(), 1, "{listed:?}");
    assert!(server.ok(&["list-panes", "--json"]).contains(r"\u001b[31mred\ntwo"), "JSON has its own escapes");
    let refused = server.refused(&["get-tags", "-s", "\x1b[31mred"]);
    assert!(refused.contains(r"\u{1b}[31mred") && !refused.contains('\x1b'), "{refused:?}");
}

#[test]
fn a_change_is_confirmed_in_one_line() {
    let server = test_server();
    server.session("work", &["cat"]);
    assert_eq!(server.ok(&["rename-session", "-s", "work", "play"]), "play: 1 window, 1 pane\n");
    let window = server.ok(&["rename-window", "-s", "play", "logs"]);
    assert!(
        window.starts_with("0: logs 80x24\n  %0 [80x24] pid ") && window.lines().count() == 2,
        "{window}"
    );
}

#[test]
fn output_goes_on_beyond_a_limit_of_file_sizes_which_programs_keep() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let mut command = std::process::Command::new("prlimit");
    let first = server.command(&["new", "-d", "-s", "work", "--", "sh"]);
    command.arg("--fsize=65536:").arg(first.get_program()).args(first.get_args());
    command.env_clear().envs(first.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(command.status().expect("prlimit runs").success());
    let limit = server.ok(&["run", "-s", "work", "grep 'Max file size' /proc/self/limits"]);
    assert!(limit.contains("65536"), "{limit}");
    // The first lines are left out, which is said on standard error.
    let ran = server.run(&["run", "-s", "work", "seq 200000"]);
    assert!(ran.code == 0 && ran.out.ends_with("\n200000\n"), "{ran:?}");
}
