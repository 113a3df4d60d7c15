//! Names, flags and words of commands: what may be left out, and what is refused.

use fugue_testkit::TestServer;

use super::{BINARY, server, shown};

#[test]
fn a_word_too_many_is_refused_and_nothing_happens() {
    let server = server();
    server.ok(&["new", "-d", "-s", "last", "--", "cat"]);
    let before = server.ok(&["lsw", "-a", "-F", "#S #W #{window_panes}"]);
    for line in [
        "kill-session work",
        "kill-session nothing",
        "kill-window 1",
        "kill-pane 1",
        "kill-server now",
        "rename-session work other",
        "next-window 1",
        "select-window 1",
        "break-pane 1",
        "swap-window 1",
        "list-windows work",
        "list-buffers x",
    ] {
        let words: Vec<_> = line.split(' ').collect();
        for words in [words.clone(), [&["tmux"], words.as_slice()].concat()] {
            let ran = server.run(&words);
            assert!(ran.code != 0 && !ran.err.is_empty(), "{words:?}: {ran:?}");
        }
        assert_eq!(server.ok(&["lsw", "-a", "-F", "#S #W #{window_panes}"]), before, "{line}");
    }
    let ran = server.run(&["tmux", "kill-session", "work"]);
    assert_eq!(ran.err, "command kill-session: too many arguments (need at most 0)\n");
    let ran = server.run(&["tmux", "rename-session"]);
    assert_eq!(ran.err, "command rename-session: too few arguments (need at least 1)\n");
}

#[test]
fn no_session_is_killed_from_outside_without_its_name() {
    let server = server();
    for line in [&["kill-session"][..], &["kill-session", "-a"], &["kill-ses"]] {
        let ran = server.run(line);
        assert!(ran.code != 0 && !ran.err.is_empty(), "{line:?}: {ran:?}");
    }
    assert_eq!(shown(&server, "#{session_windows} #{window_panes}"), "2 2");
}

#[test]
fn a_name_may_be_shortened_as_long_as_it_is_clear() {
    let server = server();
    server.ok(&["split", "-d", "-t", "work:logs", "cat"]);
    assert_eq!(server.ok(&["list-wi", "-t", "work", "-F", "#W #{window_panes}"]), "edit 2\nlogs 2\n");
    server.ok(&["set-buffer", "-b", "kept", "text"]);
    for mistake in ["delete", "ru", "wai", "server"] {
        let ran = server.run(&[mistake]);
        assert!(ran.code == 2 && ran.err.contains(&format!(" command: {mistake}\nhint: ")), "{ran:?}");
    }
    assert_eq!(server.ok(&["show-buffer"]), "text");
    server.ok(&["kill-ses", "-t", "work"]);
    assert_ne!(server.run(&["has", "-t", "work"]).code, 0);
    let ran = server.run(&["tmux", "kill"]);
    assert!(ran.err.starts_with("ambiguous command: kill, could be: kill-pane, "), "{ran:?}");
    assert_eq!(server.run(&["tmux", "nothing"]).err, "unknown command: nothing\n");
}

#[test]
fn help_says_which_flags_mean_something_else_in_tmux() {
    let server = TestServer::new(BINARY);
    for command in ["break-pane", "move-window", "join-pane"] {
        let help = server.ok(&[command, "--help"]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains("`-s` is the source and `-t` the destination, as in tmux"), "{help}");
    }
    assert!(!server.ok(&["close-pane", "--help"]).contains("tmux"));
}

#[test]
fn the_server_of_tmux_is_named_by_its_flag() {
    let server = server();
    let ran = server.run(&["-L", "nowhere", "ls"]);
    assert!(ran.code == 1 && ran.err.starts_with("no server running on"), "{ran:?}");
}

#[test]
fn flags_of_tmux_before_a_command_are_understood() {
    let server = server();
    for flags in [&["-2"][..], &["-u"], &["-2u"], &["-f", "/dev/null"], &["-T", "256"]] {
        let line: Vec<_> = flags.iter().copied().chain(["ls", "-F", "#S"]).collect();
        assert_eq!(server.run(&line).out, "work\n", "{flags:?}");
    }
    let refused = server.run(&["-f", "other.conf", "ls"]);
    assert!(refused.code == 1 && refused.err.contains("fugue import-tmux other.conf"), "{refused:?}");
    let ran = server.run(&["-C", "list-sessions", "-F", "#S"]);
    assert!(ran.code == 0 && ran.out.starts_with("%begin ") && ran.out.contains("\nwork\n%end "), "{ran:?}");
}

#[test]
fn help_and_mistakes_in_fugues_own_lines_stay_fugues() {
    let server = server();
    assert!(server.ok(&["kill-pane", "--help"]).contains("Close a pane"));
    assert!(server.run(&["run", "--nonsense", "x"]).err.contains("--nonsense"));
    let ran = server.run(&["frobnicate"]);
    assert!(ran.code == 2 && ran.err.contains("frobnicate"), "{ran:?}");
}

#[test]
fn a_key_is_not_bound_to_a_line_with_too_many_words() {
    let server = server();
    for line in ["last-window foo", "suspend-client foo"] {
        let words: Vec<_> = ["bind", "x"].into_iter().chain(line.split(' ')).collect();
        let ran = server.run(&words);
        let (name, _) = line.split_once(' ').expect("a word");
        let why = format!("command {name}: too many arguments (need at most 0)\n");
        assert_eq!((ran.code, ran.err.as_str()), (1, why.as_str()), "{line}");
    }
    assert!(!server.path().join("config/fugue/config.toml").exists());
}

#[test]
fn lines_that_mean_something_else_in_tmux_say_what_to_use() {
    let server = server();
    for (words, expected) in [
        (&["run", "-b", "true"][..], "fugue: `fugue run` is not tmux's `run`\nhint: use `fugue run-shell`\n"),
        (&["wait", "-S", "done"], "fugue: `fugue wait` is not tmux's `wait`\nhint: use `fugue wait-for`\n"),
        (
            &["--host", "box", "split-window", "-h"],
            "fugue: tmux's `split-window` does not support --host\nhint: use `fugue --host box tmux split-window …`\n",
        ),
        (
            &["--host", "box", "lsw", "-a"],
            "fugue: tmux's `lsw` does not support --host\nhint: use `fugue --host box tmux lsw …`\n",
        ),
    ] {
        let ran = server.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (2, expected), "{words:?}");
    }
    // Mistakes in fugue's own lines are reported as such.
    for words in [&["run"][..], &["run", "make", "test"], &["wait", "build"]] {
        let ran = server.run(words);
        assert!(ran.code == 2 && ran.err.contains("\nhint: use `fugue "), "{words:?}: {ran:?}");
    }
}
