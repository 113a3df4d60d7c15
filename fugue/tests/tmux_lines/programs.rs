//! What commands do to panes and their programs.

use std::fs;

use fugue_testkit::TestServer;

use super::{BINARY, server, shown};

#[test]
fn formats_know_the_cursor_the_history_and_the_client() {
    let server = TestServer::new(BINARY);
    let mut terminal =
        server.terminal(&["new", "-s", "work", "--", "sh", "-c", "seq 30; printf ab; exec cat"], 90, 24);
    terminal.shows("\n30\nab\n");
    assert_eq!(shown(&server, "#{cursor_x},#{cursor_y} #{cursor_flag} #{history_size}"), "2,22 1 8");
    assert_eq!(shown(&server, "#{client_width}x#{client_height}"), "90x24");
    let limit = shown(&server, "#{history_limit}");
    assert!(limit.parse::<usize>().is_ok_and(|limit| limit > 1_000), "{limit}");
    let tty = shown(&server, "#{client_tty}");
    assert!(tty.starts_with("/dev/pts/"), "{tty}");
    // A session that no client shows has the last client.
    server.ok(&["new", "-d", "-s", "other", "--", "cat"]);
    assert_eq!(server.ok(&["display-message", "-p", "-t", "other", "#{client_tty}"]).trim_end(), tty);
    // The status line knows them, too.
    server.ok(&["set", "-g", "status-right", "at #{cursor_x},#{cursor_y} of #{client_width}"]);
    terminal.shows("at 2,22 of 90");
}

#[test]
fn a_percent_sign_is_a_time_only_where_it_is_one_in_tmux() {
    let server = server();
    assert_eq!(server.ok(&["run-shell", "printf '%s-%d' '#{session_name}' 5"]).trim_end(), "work-5");
    assert_eq!(server.ok(&["list-windows", "-t", "work", "-F", "#W %d"]), "edit %d\nlogs %d\n");
    assert!(shown(&server, "%Y").parse::<u32>().is_ok_and(|year| year > 2_000));
    server.ok(&["tmux", "new-window", "-d", "-t", "work:", "-n", "100%d of #{session_name}", "cat"]);
    assert!(server.ok(&["list-windows", "-t", "work", "-F", "#W"]).ends_with("\n100%d of work\n"));
}

#[test]
fn a_variable_of_all_sessions_reaches_new_programs() {
    let server = server();
    server.ok(&["set-environment", "-g", "COLOR_OF", "blue"]);
    let pane = server.session("other", &["sh", "-c", "echo it is $COLOR_OF; exec cat"]);
    server.wait_for(&pane, "it is blue");
}

#[test]
fn a_pipe_gets_what_a_pane_prints_until_it_is_closed() {
    let server = server();
    let file = server.path().join("piped");
    let command = format!("cat > {}", file.display());
    server.ok(&["pipe-pane", "-t", "work:logs", &command]);
    let piped = || server.ok(&["list-panes", "-a", "-F", "#{pane_pipe}"]).replace('\n', "");
    assert_eq!(piped(), "001");
    server.ok(&["send-keys", "-t", "work:logs", "first", "Enter"]);
    fugue_testkit::until("the text is piped", || {
        fs::read_to_string(&file).is_ok_and(|text| text.contains("first"))
    });
    server.ok(&["pipe-pane", "-t", "work:logs"]);
    assert_eq!(piped(), "000");
    let pane = server.json(&["list-panes"])["panes"][2]["pane_id"].as_str().expect("an id").to_owned();
    server.ok(&["send-keys", "-t", "work:logs", "second", "Enter"]);
    server.wait_for(&pane, "second");
    assert!(!fs::read_to_string(&file).expect("a file").contains("second"));
}

/// A session whose program runs a line and then says so.
fn waiter(server: &TestServer, name: &str, line: &str) -> String {
    server.session(name, &["sh", "-c", &format!("{BINARY} {line} && echo went on; exec cat")])
}

fn until_waiting(server: &TestServer, count: usize) {
    let waits = || server.json(&["show-waits"])["waits"].as_array().map_or(0, Vec::len);
    fugue_testkit::until("they wait", || waits() == count);
}

#[test]
fn a_program_waits_for_the_signal_of_another() {
    let server = server();
    let waiting = waiter(&server, "waiting", "wait-for ready");
    until_waiting(&server, 1);
    server.ok(&["wait-for", "-S", "ready"]);
    server.wait_for(&waiting, "^went on");
}

#[test]
fn a_lock_and_those_that_wait_outlive_a_kill_of_the_daemon() {
    let server = server();
    server.ok(&["wait-for", "-L", "turn"]);
    let locking = waiter(&server, "locking", "wait-for -L turn");
    let waiting = waiter(&server, "waiting", "tmux wait-for ready");
    until_waiting(&server, 2);
    fugue_testkit::signal("KILL", server.daemon_pid());
    until_waiting(&server, 2);
    server.ok(&["wait-for", "-S", "ready"]);
    server.wait_for(&waiting, "^went on");
    assert_eq!(server.text(&locking).trim(), "", "it is still locked");
    server.ok(&["wait-for", "-U", "turn"]);
    server.wait_for(&locking, "^went on");
}

#[test]
fn clear_history_deletes_the_scrollback() {
    let server = TestServer::new(BINARY);
    let pane = server.session("work", &["sh", "-c", "seq 500; echo last; exec cat"]);
    server.wait_for(&pane, "last");
    server.ok(&["clear-history", "-t", "work"]);
    let all = server.ok(&["capture-pane", "-p", "-S", "-", "-t", "work"]);
    assert!(!all.lines().any(|line| line == "7") && all.contains("last"), "{all}");
}

#[test]
fn options_that_are_set_at_the_same_time_are_all_kept() {
    let server = server();
    let set = |number: usize| server.command(&["tmux", "set", "-g", &format!("@o{number}"), "x"]).spawn();
    let children: Vec<_> = (0..20).map(|number| set(number).expect("it runs")).collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    let options = server.ok(&["tmux", "show-options", "-g"]);
    assert_eq!(options.lines().filter(|line| line.starts_with("@o")).count(), 20, "{options}");
}

#[test]
fn a_pipe_goes_on_with_the_next_daemon_and_says_that_output_may_be_missing() {
    let server = TestServer::new(BINARY);
    let pane = server.session("work", &["sh", "-c", "stty -echo; echo ready; exec cat"]);
    server.wait_for(&pane, "^ready");
    server.ok(&["pipe-pane", "-t", "work", "cat >log"]);
    let log = || fs::read_to_string(server.path().join("log")).unwrap_or_default();
    server.ok(&["send-input", "-t", &pane, "before", "--submit"]);
    fugue_testkit::until("output arrives", || log().contains("before"));
    fugue_testkit::signal("KILL", server.daemon_pid());
    fugue_testkit::until("it is marked", || {
        log().contains("[fugue: the daemon restarted; some output may be missing]")
    });
    server.ok(&["send-input", "-t", &pane, "after", "--submit"]);
    fugue_testkit::until("output arrives again", || log().contains("after"));
    assert_eq!(server.ok(&["tmux", "pipe-pane", "-t", "work"]), "");
}

#[test]
fn a_paste_has_brackets_only_for_a_program_that_asked_for_them() {
    let server = server();
    server.ok(&["set-buffer", "a\u{1b}[201~b"]);
    for (mode, shown) in [("h", "^[[200~ab^[[201~"), ("l", "a^[[201~b")] {
        let line = format!("stty -echo -icanon; printf '\\033[?2004{mode}ready\\n'; exec cat -v");
        let pane = server.session(&format!("s{mode}"), &["sh", "-c", &line]);
        server.wait_for(&pane, "^ready");
        server.ok(&["tmux", "paste-buffer", "-p", "-t", &format!("s{mode}")]);
        fugue_testkit::until("it is pasted", || server.text(&pane).contains(shown));
    }
}

#[test]
fn an_alias_that_a_program_has_set_is_one_in_lines_of_programs_only() {
    let server = server();
    server.ok(&["tmux", "split-window", "-d", "-t", "work:edit", "cat"]);
    server.ok(&["tmux", "set-option", "-s", "command-alias[100]", "zoom=resize-pane -Z"]);
    server.ok(&["tmux", "zoom", "-t", "work:edit.0"]);
    assert_eq!(server.ok(&["display-message", "-p", "-t", "work:edit", "#{window_zoomed_flag}"]), "1\n");
    server.ok(&["tmux", "set-option", "-as", "command-alias", "list-windows=kill-server"]);
    assert_eq!(server.ok(&["list-windows", "-t", "work", "-F", "#W"]), "edit\nlogs\n", "a person typed it");
    assert_eq!(server.run(&["tmux", "list-windows"]).code, 0);
    assert!(server.run(&["tmux", "has-session"]).err.starts_with("no server running on "));
}

#[test]
fn indexes_of_windows_begin_where_a_program_says() {
    let server = server();
    server.ok(&["tmux", "set-option", "-g", "base-index", "100"]);
    server.ok(&["tmux", "new-session", "-d", "-s", "more", "cat"]);
    server.ok(&["tmux", "set-option", "-t", "more", "base-index", "200"]);
    server.ok(&["tmux", "new-window", "-d", "-t", "more:", "cat"]);
    server.ok(&["tmux", "new-window", "-d", "-t", "more:", "cat"]);
    assert_eq!(server.ok(&["list-windows", "-t", "more", "-F", "#I"]), "100\n200\n201\n");
}

#[test]
fn a_socket_may_be_anywhere() {
    let server = server();
    let socket = server.path().join("elsewhere.sock");
    let at = |words: &[&str]| {
        let words = [&["tmux", "-S", socket.to_str().expect("UTF-8")], words].concat();
        server.run(&words)
    };
    assert!(at(&["list-sessions"]).err.starts_with("error connecting to "), "no daemon is started");
    assert_eq!(at(&["new-session", "-d", "-s", "there", "cat"]).code, 0);
    assert_eq!(
        at(&["list-sessions", "-F", "#S #{socket_path}"]).out,
        format!("there {}\n", socket.display())
    );
    assert_eq!(at(&["run-shell", &format!("{BINARY} tmux list-sessions -F '#S'")]).out, "there\n");
    assert_eq!(server.ok(&["list-sessions", "-F", "#S"]), "work\n");
    assert_eq!(at(&["kill-server"]).code, 0);
}

#[test]
fn variables_are_printed_so_that_a_shell_reads_them() {
    let server = server();
    server.ok(&["tmux", "set-environment", "-t", "work", "TEXT", "a$b`c\"d\\e"]);
    let printed = server.ok(&["tmux", "show-environment", "-t", "work", "-s", "TEXT"]);
    assert_eq!(printed, "TEXT=\"a\\$b\\`c\\\"d\\\\e\"; export TEXT;\n");
    for (words, why) in [
        (&["set-environment", "", "x"][..], "empty variable name\n"),
        (&["set-environment", "A=B", "x"], "variable name contains =\n"),
        (&["set-environment", "-u", "A", "x"], "can't specify a value with -u\n"),
        (&["show-environment", "-t", "nosuch", "A"], "no such session: nosuch\n"),
    ] {
        assert_eq!(server.run(&[&["tmux"], words].concat()).err, why, "{words:?}");
    }
}

#[test]
fn options_with_several_values_are_listed_one_by_one() {
    let server = server();
    let run = |line: &str| server.run(&line.split(' ').collect::<Vec<_>>()).out;
    run("tmux set-option -g update-environment AAA,BBB");
    run("tmux set-option -ag update-environment CCC");
    assert_eq!(
        run("tmux show-options -g update-environment"),
        "update-environment[0] AAA\nupdate-environment[1] BBB\nupdate-environment[2] CCC\n"
    );
    run("tmux set-option -gu update-environment[1]");
    assert_eq!(run("tmux show-options -gv update-environment"), "AAA\nCCC\n");
    run("tmux set-option -gu update-environment");
    assert!(run("tmux show-options -g update-environment").starts_with("update-environment[0] DISPLAY\n"));
    run("tmux set-option -t work update-environment DDD");
    assert_eq!(run("tmux show-options -t work update-environment"), "update-environment[0] DDD\n");
}

#[test]
fn a_hook_of_the_users_own_runs_when_a_command_says_so() {
    let server = server();
    server.ok(&["new", "-d", "-s", "other", "--", "cat"]);
    server.ok(&[
        "tmux",
        "set-hook",
        "-g",
        "@mine",
        "display-message -p '#{hook} #{session_name} #{window_index}'",
    ]);
    assert_eq!(server.ok(&["tmux", "set-hook", "-R", "-t", "other:", "@mine"]), "@mine other 0\n");
    assert!(server.ok(&["tmux", "show-hooks", "-g"]).starts_with("@mine[0] display-message"));
}

#[test]
fn the_file_of_a_new_daemon_has_conditions_before_there_is_a_session() {
    let server = TestServer::new(BINARY);
    let file = server.path().join("start.conf");
    fs::write(&file, "if-shell true 'set -g @shell yes'\nif-shell -F '#{version}' 'set -g @format yes'\n")
        .expect("a file");
    let file = file.to_str().expect("UTF-8");
    server.ok(&["tmux", "-f", file, "new-session", "-d", "-s", "work", "cat"]);
    assert_eq!(server.ok(&["tmux", "show-options", "-gv", "@shell"]), "yes\n");
    assert_eq!(server.ok(&["tmux", "show-options", "-gv", "@format"]), "yes\n");
}
