//! tmux's lines as a person types them at a shell, and the import of a tmux.conf.

use std::fs;

use fugue_testkit::{TestServer, signal};

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// A session `work` with a window of two panes and a window `logs`.
fn server() -> TestServer {
    let server = TestServer::new(BINARY);
    server.ok(&["new", "-d", "-s", "work", "-n", "edit", "--size", "80x24", "--", "cat"]);
    server.ok(&["split-window", "-d", "-h", "-t", "work:edit", "cat"]);
    server.ok(&["new-window", "-d", "-t", "work:", "-n", "logs", "cat"]);
    server
}

fn shown(server: &TestServer, format: &str) -> String {
    server.ok(&["display-message", "-p", "-t", "work", format]).trim_end().to_owned()
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
fn a_name_may_be_shortened_as_long_as_it_is_clear() {
    let server = server();
    server.ok(&["split", "-d", "-t", "work:logs", "cat"]);
    assert_eq!(server.ok(&["list-wi", "-t", "work", "-F", "#W #{window_panes}"]), "edit 2\nlogs 2\n");
    server.ok(&["set-buffer", "-b", "kept", "text"]);
    for mistake in ["delete", "ru", "wai", "server"] {
        let ran = server.run(&[mistake]);
        assert!(ran.err.contains("unrecognized subcommand"), "{mistake}: {ran:?}");
    }
    assert_eq!(server.ok(&["show-buffer"]), "text");
    server.ok(&["kill-ses", "-t", "work"]);
    assert_ne!(server.run(&["has", "-t", "work"]).code, 0);
    let ran = server.run(&["tmux", "kill"]);
    assert!(ran.err.starts_with("ambiguous command: kill, could be: kill-pane, "), "{ran:?}");
    assert_eq!(server.run(&["tmux", "nothing"]).err, "unknown command: nothing\n");
}

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
fn help_says_which_flags_mean_something_else_in_tmux() {
    let server = TestServer::new(BINARY);
    for command in ["break-pane", "move-window", "join-pane"] {
        let help = server.ok(&[command, "--help"]);
        assert!(help.contains("`-s` is the source and `-t` the destination, as in tmux"), "{help}");
    }
    assert!(!server.ok(&["close-pane", "--help"]).contains("tmux"));
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
    let refused = server.run(&["-CC", "attach"]);
    assert!(refused.code == 1 && refused.err.contains("no control mode"), "{refused:?}");
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
    server.ok(&["send-keys", "-t", "work:logs", "first", "Enter"]);
    fugue_testkit::until("the text is piped", || {
        fs::read_to_string(&file).is_ok_and(|text| text.contains("first"))
    });
    server.ok(&["pipe-pane", "-t", "work:logs"]);
    let pane = server.json(&["list-panes"])["panes"][2]["pane_id"].as_str().expect("an id").to_owned();
    server.ok(&["send-keys", "-t", "work:logs", "second", "Enter"]);
    server.wait_for(&pane, "second");
    assert!(!fs::read_to_string(&file).expect("a file").contains("second"));
}

#[test]
fn a_program_waits_for_the_signal_of_another() {
    let server = server();
    let mut waiting = server.command(&["wait-for", "ready"]).spawn().expect("it runs");
    let waits = server.socket().with_extension("tmux-channels").join("c-ready");
    fugue_testkit::until("it waits", || fs::read_dir(&waits).is_ok_and(|entries| entries.count() > 1));
    server.ok(&["wait-for", "-S", "ready"]);
    assert!(waiting.wait().expect("it ends").success());
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

const TMUX_CONF: &str = r##"
set -g prefix C-a
set -g mouse off   # no mouse
setw -g mode-keys emacs
set -g history-limit 5000
set -g status-style 'bg=colour235,fg=white'
set -sg escape-time 0
set -g status-left '[#S] '
set -g status-right '#[fg=green]#{pane_title} %d.%m.'
set -g status-position top
set -g status 2
set -g base-index 1
setw -g pane-base-index 1
set -g renumber-windows on
set -g set-titles on
set -g set-titles-string '#S'
setw -g monitor-activity on
setw -g monitor-silence 30
set -s copy-command 'xsel -i'
set -g lock-command vlock
bind | split-window -h -c "#{pane_current_path}"
bind -r H resize-pane -L 5
is_vim="ps -t '#{pane_tty}' | grep -q vim"
bind -n C-h if-shell "$is_vim" 'send-keys C-h' 'select-pane -L'
bind -T copy-mode-vi v send-keys -X begin-selection
bind x frobnicate
bind r source-file ~/tmux.conf \; display "Reloaded"
set -ga terminal-overrides ",xterm-256color:Tc"
run '~/.tmux/plugins/tpm/tpm'
"##;

#[test]
fn a_tmux_conf_becomes_a_config_toml_and_what_is_left_out_is_listed() {
    let server = server();
    let file = server.path().join("tmux.conf");
    fs::write(&file, TMUX_CONF).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let config = server.path().join("config/fugue/config.toml");
    let shown = server.ok(&["import-tmux", file]);
    assert!(shown.contains("Nothing written; use `--write` to write") && !config.exists(), "{shown}");
    fs::create_dir_all(config.parent().expect("a directory")).expect("created");
    fs::write(&config, "# mine\n[client]\nmouse = true\nsidebar = true\n").expect("written");
    let shown = server.ok(&["import-tmux", file, "--write"]);
    for text in [
        "# Replaces these settings in ",
        "#   mouse",
        "escape-time: a lone Escape is recognized automatically",
        "terminal-overrides: terminal features are detected automatically",
        "fugue has no lock-command",
        "pane-base-index: panes, like windows, are numbered from `base_index`",
        "unknown command `frobnicate`",
        "plugins and scripts are not run",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    let written = fs::read_to_string(&config).expect("written");
    for line in [
        "# mine",
        "sidebar = true",
        "history_lines = 5000",
        "prefix = \"C-a\"",
        "mouse = false",
        "copy_keys = \"emacs\"",
        "\"prefix |\" = \"split-window -h -c #{pane_current_path}\"",
        "\"prefix H\" = { repeat = true, run = \"resize-pane -L 5\" }",
        "v = \"select-text\"",
        "bar = \"white on 235\"",
        "left = [\"session\", \"windows\"]",
        "right = [\"warnings\", \"agents\", \"messages\", \"#[fg=green]#{pane_title} %d.%m.\"]",
        "position = \"top\"",
        "base_index = 1",
        "renumber_windows = true",
        "set_titles = true",
        "titles_format = \"#S\"",
        "monitor_activity = true",
        "monitor_silence = 30",
        "copy_command = \"xsel -i\"",
    ] {
        assert!(written.lines().any(|of| of == line), "{line}: {written}");
    }
    let reload = format!(
        "\"prefix r\" = \"run-shell 'fugue import-tmux --write {file} > /dev/null' ; display Reloaded\""
    );
    assert!(written.contains(&reload), "{reload}: {written}");
    assert!(written.contains("\nsecond_line = { center = [\"#{P:"), "{written}");
    assert!(written.contains("\nC-h = ") && written.contains("grep -q vim"), "{written}");
    assert!(server.ok(&["config", "check"]).contains("has no errors"));
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
        ("set -g mouse maybe", "invalid value for mouse: maybe\nhint: it takes on or off\n"),
        ("set -g nonsense 5", "invalid option: nonsense"),
        ("bind x frobnicate", "unknown command `frobnicate`"),
    ] {
        let ran = server.run(&line.split(' ').collect::<Vec<_>>());
        assert!(ran.code == 1 && ran.err.starts_with(why), "{line}: {ran:?}");
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
