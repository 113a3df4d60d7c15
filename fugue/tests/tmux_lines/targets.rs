//! Targets of tmux, and the places that commands use if there is none.

use fugue_testkit::TestServer;

use super::{BINARY, server, shown};

#[test]
fn the_window_before_can_be_the_target_of_a_binding() {
    let server = server();
    server.ok(&["bind", "-r", "<", "swap-window", "-d", "-t", "-1"]);
    server.ok(&["bind", "-n", "M-Left", "select-window", "-t", "-1"]);
    let mut terminal = server.terminal(&["attach", "-t", "work"], 80, 24);
    terminal.shows("0:edit*");
    terminal.send("\u{1b}[1;3D");
    terminal.shows("1:logs*");
    terminal.send("\u{2}<");
    terminal.shows("0:logs");
}

#[test]
fn targets_of_tmux_work_in_every_command() {
    let server = server();
    for (line, format, value) in [
        ("select-window -t work:1", "#W", "logs"),
        ("select-window -t work:!", "#W", "edit"),
        ("rename-window -t work:edit code", "#W", "code"),
        ("select-pane -t work:0.1", "#P", "1"),
        ("select-pane -t work:.{left}", "#P", "0"),
        ("split-window -t work:0.0 -d cat", "#{pane_top},#{pane_height}", "0,12"),
        ("kill-pane -t work:0.1", "#{window_panes}", "2"),
        ("new-window -d -t work:2 -n five cat", "#{session_windows}", "3"),
        ("kill-window -t work:five", "#{session_windows}", "2"),
        ("split-window -t work:0", "#{window_panes}", "3"),
        ("split-window -v -t work:0.0", "#{window_panes}", "4"),
        ("select-layout -t work:0 tiled", "#{window_panes}", "4"),
        ("kill-pane -t work:0.3", "#{window_panes}", "3"),
        ("kill-pane -a -t work:0.0", "#{window_panes}", "1"),
        ("new-window -t work:1 -a -n after cat", "#{window_index}", "2"),
        ("respawn-pane -k -t work:1.0 cat", "#{session_windows}", "3"),
        ("kill-window -t work:after", "#{session_windows}", "2"),
        ("kill-window -t wor:lo", "#{session_windows}", "1"),
        ("send-keys -t work Enter", "#{session_windows}", "1"),
    ] {
        server.ok(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(shown(&server, format), value, "{line}");
    }
    let ran = server.run(&["has-session", "-t", "nothing"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, "can't find session: nothing\n"));
    server.ok(&["has-session", "-t", "=work"]);
    server.ok(&["new", "-A", "-d", "-s", "work"]);
}

#[test]
fn a_source_and_a_target_are_two_places() {
    let server = server();
    server.ok(&["split-window", "-d", "-t", "work:edit.1", "cat"]);
    let ids = || server.ok(&["list-panes", "-s", "-t", "work", "-F", "#{window_name}.#{pane_id}"]);
    let last = server.ok(&["display-message", "-p", "-t", "work:edit.2", "#{pane_id}"]);
    server.ok(&["break-pane", "-d", "-s", "work:edit.2", "-n", "out"]);
    assert!(ids().contains(&format!("out.{}", last.trim_end())), "{}", ids());
    server.ok(&["join-pane", "-d", "-s", "work:out", "-t", "work:logs"]);
    assert!(ids().contains(&format!("logs.{}", last.trim_end())), "{}", ids());
    server.ok(&["move-window", "-b", "-s", "work:logs", "-t", "work:0"]);
    assert_eq!(server.ok(&["list-windows", "-t", "work", "-F", "#W"]), "logs\nedit\n");
}

#[test]
fn a_layout_that_was_printed_is_applied_again() {
    let server = server();
    let layout = || server.ok(&["display-message", "-p", "-t", "work:edit", "#{window_layout}"]);
    let before = layout();
    server.ok(&["select-layout", "-t", "work:edit", "even-vertical"]);
    assert_ne!(layout(), before);
    server.ok(&["select-layout", "-t", "work:edit", before.trim_end()]);
    assert_eq!(layout(), before);
}

#[test]
fn a_new_pane_starts_where_a_format_says() {
    let server = TestServer::new(BINARY);
    server.ok(&["new", "-d", "-s", "work", "--", "sh", "-c", "cd /usr && exec cat"]);
    let pane = || shown(&server, "#{pane_current_path}");
    fugue_testkit::until("it is in /usr", || pane() == "/usr");
    for line in [["split-window", "-t"], ["new-window", "-t"]] {
        server.ok(&[line[0], line[1], "work", "-c", "#{pane_current_path}", "cat"]);
        assert_eq!(pane(), "/usr", "{}", line[0]);
    }
}

#[test]
fn a_target_whose_session_does_not_exist_says_so() {
    let server = server();
    let refused = |line: &str| {
        let ran = server.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, 1, "{line}");
        ran.err
    };
    for line in ["select-window -t wrok:1", "rename-window -t wrok:1 x", "select-pane -t wrok:0.1"] {
        assert_eq!(refused(line), "fugue: Session not found: wrok\nhint: did you mean `work`?\n", "{line}");
    }
    for line in ["work:7", "=:7", ":7"] {
        let error = refused(&format!("select-window -t {line}"));
        assert!(error.starts_with(&format!("fugue: Window not found: {line}\n")), "{error}");
    }
    server.ok(&["rename-window", "-t", "work:logs", "api:test"]);
    assert!(refused("select-window -t edi:0").starts_with("fugue: Session not found: edi\n"));
    let error = refused("select-window -t api:tset");
    assert_eq!(error, "fugue: Window not found: api:tset\nhint: did you mean `api:test`?\n");
}

#[test]
fn a_pane_that_can_be_named_without_a_flag_can_also_be_named_with_it() {
    let server = server();
    for (verb, code) in [("explain", 0), ("resume-agent", 1), ("screenshot", 0)] {
        let plain = server.run(&[verb, "work:logs"]);
        assert_eq!(plain.code, code, "{verb}: {plain:?}");
        for flag in ["-t", "--pane"] {
            let ran = server.run(&[verb, flag, "work:logs"]);
            assert_eq!((ran.code, &ran.out, &ran.err), (code, &plain.out, &plain.err), "{verb} {flag}");
            let missing = server.run(&[verb, flag, "work:nosuch"]);
            assert!(missing.err.starts_with("fugue: Pane not found: work:nosuch\n"), "{verb}: {missing:?}");
        }
        let twice = server.run(&[verb, "work:logs", "-t", "work:edit"]);
        assert!(twice.code == 2 && twice.err.contains("cannot be used with"), "{verb}: {twice:?}");
    }
}

#[test]
fn a_client_is_named_by_its_number_or_its_terminal() {
    let server = server();
    for format in ["#{client_name}", "#{client_tty}"] {
        let mut terminal = server.terminal(&["attach", "work"], 80, 24);
        terminal.shows("work");
        let client = server.ok(&["list-clients", "-F", format]).trim_end().to_owned();
        let refused = server.run(&["detach-client", "-t", "work"]);
        assert_eq!(refused.err, "can't find client: work\n");
        server.ok(&["detach-client", "-t", &client]);
        terminal.shows("[detached by another client]");
    }
}

#[test]
fn selecting_a_pane_by_its_side_wraps_around() {
    let server = server();
    server.ok(&["select-pane", "-t", "work:0.0"]);
    for (side, index) in [("-L", "1"), ("-R", "0"), ("-R", "1")] {
        server.ok(&["select-pane", "-t", "work:0", side]);
        assert_eq!(shown(&server, "#P"), index, "{side}");
    }
}
