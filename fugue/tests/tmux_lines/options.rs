//! Options of tmux, and files of commands.

use std::fs;

use fugue_testkit::signal;

use super::{server, shown};

#[test]
fn buffers_options_and_the_mark_end_with_the_daemon() {
    let server = server();
    server.ok(&["set-buffer", "-b", "secret", "word"]);
    server.ok(&["set", "-g", "@choice", "kept"]);
    server.ok(&["select-pane", "-m", "-t", "work"]);
    signal("KILL", server.daemon_pid());
    assert_eq!(server.ok(&["show-buffer", "-b", "secret"]), "word", "a crash loses nothing");
    server.ok(&["shutdown"]);
    server.ok(&["new", "-d", "-s", "work", "--", "cat"]);
    assert_eq!(server.ok(&["list-buffers"]), "");
    assert_eq!(server.ok(&["show", "-gqv", "@choice"]), "");
    assert_eq!(shown(&server, "#{pane_marked_set}"), "0");
}

#[test]
fn an_option_is_not_set_for_all_windows_if_one_is_named() {
    let server = server();
    let ran = server.run(&["set", "-w", "-t", "work:logs", "remain-on-exit", "on"]);
    assert_eq!(ran.code, 1);
    let why = "remain-on-exit cannot be set for a single window (work:logs): it applies to all windows\n\
               hint: use `set-option -g remain-on-exit …`\n";
    assert_eq!(ran.err, why);
    assert!(server.run(&["set", "-u", "-t", "work", "mouse"]).err.contains("for a single session (work)"));
    assert!(server.ok(&["set", "-g", "remain-on-exit", "on"]).starts_with("on_exit = \"keep\" in "));
    server.ok(&["set", "-w", "-t", "work:logs", "@mine", "x"]);
    assert_eq!(server.ok(&["show", "-wv", "-t", "work:logs", "@mine"]), "x\n");
}

#[test]
fn options_show_what_holds() {
    let server = server();
    for (name, set) in [("mouse", "off"), ("prefix", "C-a"), ("base-index", "1"), ("remain-on-exit", "on")] {
        let show = || server.ok(&["show", "-gv", name]).trim_end().to_owned();
        let default = show();
        assert_ne!(default, set, "{name}");
        server.ok(&["set", "-g", name, set]);
        assert_eq!(show(), set, "{name}");
        server.ok(&["set", "-gu", name]);
        assert_eq!(show(), default, "{name}");
    }
    let refused = server.run(&["set", "-g", "default-command", "bash -l"]);
    assert!(refused.code == 1 && refused.err.contains("default-command"), "{refused:?}");
}

#[test]
fn the_settings_of_a_person_are_written_and_those_of_a_program_are_remembered() {
    let server = server();
    let config = server.path().join("config/fugue/config.toml");
    server.ok(&["tmux", "set", "-g", "mouse", "off"]);
    assert_eq!(server.ok(&["tmux", "show", "-gv", "mouse"]), "off\n");
    assert!(!config.exists());
    server.ok(&["set", "-g", "mouse", "off"]);
    assert_eq!(fs::read_to_string(&config).expect("written"), "[client]\nmouse = false\n");
    for (line, why) in [
        ("set -g lock-command x", "fugue has no lock-command"),
        ("set -g mouse maybe", "fugue cannot set mouse to `maybe`: it must be on or off\n"),
        ("set -g nonsense 5", "invalid option: nonsense"),
        ("show -g synchronize-panes", "only an attached client knows synchronize-panes"),
        ("bind x frobnicate", "unknown command `frobnicate`"),
    ] {
        let ran = server.run(&line.split(' ').collect::<Vec<_>>());
        assert!(ran.code == 1 && ran.err.starts_with(why), "{line}: {ran:?}");
    }
    for value in ["top", "off"] {
        server.ok(&["set", "-g", "pane-border-status"]);
        assert_eq!(server.ok(&["show", "-gv", "pane-border-status"]).trim_end(), value);
    }
}

#[test]
fn a_file_of_tmux_commands_is_run_and_its_settings_are_named() {
    let server = server();
    let file = server.path().join("more.conf");
    fs::write(&file, "rename-window -t work:0 sourced\nset -g mouse off\nfrobnicate\n").expect("a file");
    let ran = server.run(&["source-file", file.to_str().expect("UTF-8")]);
    assert!(ran.code == 1 && ran.err.contains("more.conf:3: unknown command: frobnicate"), "{ran:?}");
    assert!(
        ran.out.contains("Settings and key bindings were skipped (1); run `fugue import-tmux"),
        "{ran:?}"
    );
    assert_eq!(shown(&server, "#W"), "sourced");
}

#[test]
fn a_file_of_tmux_commands_sets_nothing_in_its_conditions_and_files_either() {
    let server = server();
    let (config, inner) = (server.path().join("config/fugue/config.toml"), server.path().join("inner.conf"));
    fs::write(&inner, "bind x kill-pane\n").expect("a file");
    let file = server.path().join("more.conf");
    let lines = [
        "if-shell true { set -g mouse off }",
        "if -F 1 'set -g status off; rename-window -t work:0 inside'",
        "run-shell -C 'set -gu mouse'",
        &format!("source-file {}", inner.display()),
        "if true \"unbind-key c\"",
    ];
    fs::write(&file, lines.join("\n")).expect("a file");
    let ran = server.ok(&["source-file", file.to_str().expect("UTF-8")]);
    assert!(ran.contains("skipped (4); run `fugue import-tmux") && ran.contains("skipped (1); run"), "{ran}");
    assert_eq!(shown(&server, "#W"), "inside", "other commands are run");
    assert!(!config.exists(), "{:?}", fs::read_to_string(&config));
    server.ok(&["if-shell", "true", "set -g mouse off"]);
    assert_eq!(fs::read_to_string(&config).expect("written"), "[client]\nmouse = false\n", "outside a file");
}

#[test]
fn the_conditions_of_a_file_are_about_the_current_session() {
    let server = server();
    let file = server.path().join("more.conf");
    let text = "%if #{==:#{session_name},work}\nrename-window -t work:0 yes\n%else\nrename-window -t work:0 no\n%endif\n\
                %if \"#{==:a,b}\"\nkill-server\n%endif\n";
    fs::write(&file, text).expect("a file");
    server.ok(&["source-file", file.to_str().expect("UTF-8")]);
    assert_eq!(shown(&server, "#W"), "yes");
}

#[test]
fn keys_are_bound_listed_and_unbound_in_any_table() {
    let server = server();
    server.ok(&["bind-key", "-r", "-T", "size", "h", "resize-pane", "-L"]);
    server.ok(&["bind-key", "-T", "size", "l", "resize-pane", "-R"]);
    server.ok(&["bind-key", "S", "switch-client", "-T", "size"]);
    let listed = |table: &str| server.ok(&["tmux", "list-keys", "-T", table]);
    let spaced = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        spaced(listed("size")),
        "bind-key -r -T size h resize-pane -L bind-key -T size l resize-pane -R"
    );
    server.ok(&["unbind-key", "-T", "size", "l"]);
    assert_eq!(listed("size").lines().count(), 1);
    server.ok(&["unbind-key", "-a", "-T", "size"]);
    let gone = server.refused(&["tmux", "list-keys", "-T", "size"]);
    assert!(gone.contains("table size doesn't exist"), "{gone}");
    server.ok(&["set-option", "-g", "prefix2", "C-a"]);
    server.ok(&["set-option", "-g", "repeat-time", "300"]);
    assert_eq!(server.ok(&["show-options", "-gv", "prefix2"]).trim(), "C-a");
    assert_eq!(server.ok(&["show-options", "-gv", "repeat-time"]).trim(), "300");
    server.ok(&["set-option", "-g", "prefix2", "None"]);
}
