//! `config.toml`: keys, themes and mistakes, reloaded while the client runs.

use std::fs;

use fugue_testkit::TestServer;
use insta::assert_snapshot;

use crate::{attached, test_server};

fn write(server: &TestServer, text: &str) {
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("config.toml"), text).expect("the file");
}

#[test]
fn a_changed_prefix_and_changed_keys_apply_at_once() {
    let server = test_server();
    write(&server, "history_lines = 500\n[keys]\n\"prefix h\" = \"split-window --right\"\n");
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("h");
    crate::shows_panes(&mut terminal, 2);
    write(&server, "[client]\nprefix = \"C-a\"\n[keys]\n\"M-z\" = \"zoom-pane\"\n");
    terminal.send("\x1bz");
    terminal.shows("*Z");
    terminal.send("\x01");
    terminal.shows("C-a …");
    terminal.send("?");
    terminal.shows("C-a %");
}

#[test]
fn a_table_of_ones_own_is_selected_for_one_key_and_both_prefixes_work() {
    let server = test_server();
    write(
        &server,
        "[client]\nprefix2 = \"C-a\"\n[keys]\n\"prefix T\" = \"switch-client -T mine\"\n\
         \"mine a\" = { run = \"say 'an a'\", about = \"say a\" }\n\
         \"mine s\" = \"say stays ; switch-client -T mine\"\n\"M-r\" = \"say root\"\n",
    );
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("T");
    terminal.shows(" mine …   a say a");
    terminal.send("a");
    terminal.until("the key of the table", |terminal| terminal.status_showed("an a"));
    terminal.send("x");
    terminal.shows("$ x");
    // The other prefix; a key that selects the table again; one that the table lacks.
    terminal.send("\x01Tssqy");
    terminal.shows("$ xy");
    terminal.send("\x01T\x1br");
    terminal.until("a key without a prefix", |terminal| terminal.status_showed("root"));
    server.ok(&["tmux", "switch-client", "-T", "mine"]);
    terminal.shows(" mine …");
    terminal.send("a");
    terminal.shows("an a");
    server.ok(&["tmux", "switch-client", "-T", "none"]);
    terminal.shows("No key is bound in a table named none");
}

#[test]
fn a_key_repeats_for_as_long_as_the_setting_says() {
    let server = test_server();
    let resize = "[keys]\n\"prefix T\" = \"switch-client -T size\"\n\
                  \"size r\" = { run = \"tmux set -ga @r x\", repeat = true }\n";
    write(&server, &format!("[client]\nrepeat_time = 0\n{resize}"));
    let mut terminal = attached(&server, 80, 24);
    let value = || server.ok(&["tmux", "show", "-gqv", "@r"]).trim().to_owned();
    terminal.prefix("T");
    terminal.send("rr");
    terminal.shows("$ r");
    fugue_testkit::until("the first", || value() == "x");
    write(
        &server,
        &format!("[client]\nrepeat_time = 30000\n[keys]\n\"M-k\" = \"say read\"\n{}", &resize[7..]),
    );
    terminal.send("\x1bk");
    terminal.until("the file is read", |terminal| terminal.status_showed("read"));
    terminal.prefix("T");
    terminal.send("rr");
    fugue_testkit::until("both", || value() == "xxx");
}

#[test]
fn a_mistake_is_reported_with_its_line_and_the_other_settings_apply() {
    let server = test_server();
    let mut terminal = attached(&server, 100, 24);
    write(&server, "[keys]\n\"prefix h\" = \"zoom-pain\"\n\"prefix j\" = \"create-pane\"\n");
    terminal
        .shows("config.toml, line 2: \"prefix h\": unknown command `zoom-pain`; did you mean `zoom-pane`?");
    terminal.prefix("j");
    crate::shows_panes(&mut terminal, 2);
    assert!(
        !server.ok(&["server-status"]).contains("keys"),
        "the daemon does not mind the client's sections"
    );
}

#[test]
fn the_theme_follows_light_and_dark_mode_unless_one_is_chosen() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let bar = |terminal: &fugue_testkit::TestTerminal, color: &str| {
        terminal.screen().screen_ansi().concat().contains(color)
    };
    let (dusk, dawn) = ("48:2::47:53:77", "48:2::234:228:217");
    terminal.until("the dark theme", |terminal| bar(terminal, dusk));
    terminal.set_background((250, 244, 237));
    terminal.until("the light theme", |terminal| bar(terminal, dawn));
    write(&server, "[theme]\nlight = \"dusk\"\n");
    terminal.until("the chosen one", |terminal| bar(terminal, dusk));
    write(&server, "[theme]\nname = \"terminal\"\n");
    terminal.until("the terminal's own colors", |terminal| !bar(terminal, dusk) && !bar(terminal, dawn));
}

/// Whether the terminal was sent this.
fn was_sent(terminal: &fugue_testkit::TestTerminal, bytes: &str) -> bool {
    String::from_utf8_lossy(&terminal.written).contains(bytes)
}

#[test]
fn a_mistake_in_daemon_settings_is_shown_on_attach() {
    let server = test_server();
    write(&server, "history_lines = \"many\"\n");
    let mut terminal = server.terminal(&["new", "-s", "work", "--", "sh"], 120, 24);
    let mistake = "config.toml, line 1: \"history_lines\" must be a whole number";
    terminal.until("the mistake", |terminal| terminal.status_showed(mistake));
}

#[test]
fn several_mistakes_are_listed_and_fixing_them_is_reported() {
    let server = test_server();
    let mut terminal = attached(&server, 130, 24);
    write(&server, "[client]\nmose = true\nbell = 3\n");
    let first = "2 problems (C-b ~ lists them): config.toml, line 2: unknown setting \"mose\" in [client]";
    terminal.until("the first", |terminal| terminal.status_showed(first));
    terminal.prefix("~");
    terminal.shows("config.toml, line 3: \"bell\" must be true or false");
    write(&server, "[client]\nmouse = true\nbell = false\n");
    terminal.until("the end", |terminal| terminal.status_showed("config.toml is valid again"));
}

#[test]
fn copy_mode_keys_can_be_rebound() {
    let server = test_server();
    write(&server, "[copy_keys]\n\"Y\" = \"copy\"\n\"y\" = \"\"\n");
    let mut terminal = attached(&server, 80, 24);
    terminal.send("echo some words\r");
    terminal.until("the echo", |terminal| terminal.picture().contains("\nsome words\n$"));
    terminal.prefix("[");
    terminal.shows("[0/");
    terminal.send("kVyY");
    terminal.until("the words", |terminal| terminal.status_showed("Copied 11 characters"));
}

#[test]
fn a_program_writes_to_the_clipboard_unless_a_setting_forbids_it() {
    let server = test_server();
    write(&server, "[client]\nclipboard = \"on\"\n");
    let mut terminal = attached(&server, 80, 24);
    terminal.send("printf '\\033]52;c;b25l\\007'\r");
    terminal.until("the first", |terminal| was_sent(terminal, "\x1b]52;c;b25l\x07"));
    write(&server, "[client]\nclipboard = \"off\"\n[keys]\n\"M-k\" = \"create-pane\"\n");
    // The key works as soon as the file is read.
    terminal.send("\x1bk");
    crate::shows_panes(&mut terminal, 2);
    terminal.send("printf '\\033]52;c;dHdv\\007'; echo wri''tten\r");
    terminal.until("the second", |terminal| terminal.picture().contains("written"));
    assert!(!was_sent(&terminal, "\x1b]52;c;dHdv"), "the clipboard is not written");
    terminal.prefix("=");
    terminal.shows("0: one");
}

#[test]
fn by_default_a_programs_text_reaches_the_clipboard_only_after_a_key() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("printf '\\033]52;c;b25l\\007'\r");
    terminal.until("the question", |terminal| {
        terminal.status_showed(" wants to copy 3 characters; press C-b y to allow it")
    });
    assert!(!was_sent(&terminal, "\x1b]52;"), "nothing reaches the terminal before the key");
    terminal.prefix("y");
    terminal.until("the text", |terminal| was_sent(terminal, "\x1b]52;c;b25l\x07"));
    terminal.prefix("y");
    terminal.until("nothing more", |terminal| terminal.status_showed("No program is asking to copy text"));
}

#[test]
fn the_primary_selection_never_becomes_the_clipboard_and_reads_are_not_answered() {
    let server = test_server();
    write(&server, "[client]\nclipboard = \"on\"\n");
    let mut terminal = attached(&server, 80, 24);
    terminal.send("printf '\\033]52;p;b25l\\007\\033]52;c;?\\007\\033]52;c;dHdv\\007'\r");
    terminal.until("the clipboard", |terminal| was_sent(terminal, "\x1b]52;c;dHdv\x07"));
    assert!(!was_sent(&terminal, "\x1b]52;c;b25l") && !was_sent(&terminal, "\x1b]52;p"), "it stays inside");
    terminal.send("echo th''en\r");
    terminal.until("the next prompt", |terminal| terminal.picture().contains("\nthen\n"));
    assert!(!terminal.picture().contains("not found"), "no reply was typed: {}", terminal.picture());
}

#[test]
fn only_links_with_allowed_schemes_reach_the_terminal() {
    let server = test_server();
    let mut terminal = attached(&server, 100, 24);
    let link = |address: &str, text: &str| format!("printf '\\033]8;;{address}\\007{text}\\033]8;;\\007 '; ");
    let line = [
        link("https://example.org/a", "we''b"),
        link("javascript:alert(1)", "scri''pt"),
        link("file:///etc/passwd", "fi''le"),
        link("ssh://-oProxyCommand=touch/", "she''ll"),
        link("vscode://x", "co''de"),
    ]
    .concat();
    terminal.send(format!("{line}echo\r"));
    terminal.until("the links", |terminal| terminal.picture().contains("web script file shell code"));
    assert!(was_sent(&terminal, "\x1b]8;;https://example.org/a\x1b\\"));
    let addresses = ["javascript:", "file:", "ssh:", "vscode:"];
    for address in addresses {
        assert!(!was_sent(&terminal, &format!("\x1b]8;;{address}")), "{address}");
    }
    let printed = server.ok(&["get-output", "-s", "work", "--ansi"]);
    assert!(printed.contains("\x1b]8;;https:"), "{printed:?}");
    assert!(!addresses.iter().any(|address| printed.contains(&format!("\x1b]8;;{address}"))), "{printed:?}");
    write(&server, "[client]\nlink_schemes = [\"file\"]\n");
    terminal.until("the added scheme", |terminal| was_sent(terminal, "\x1b]8;;file:///etc/passwd"));
    assert!(!was_sent(&terminal, "\x1b]8;;javascript:"));
}

#[test]
fn color_queries_are_answered_with_the_terminals_colors() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send(
        "stty raw -echo; printf '\\033[?2031hready\\r\\n'; head -c 9 | od -c; printf '\\033]11;?\\033\\\\'; head -c 25 | od -c; stty sane\r",
    );
    terminal.until("ready", |terminal| terminal.picture().lines().any(|row| row.trim_end() == "ready"));
    terminal.set_background((250, 244, 237));
    // The terminal reports a light theme and its background color.
    terminal.shows("033   [   ?   9   9   7   ;   2   n");
    terminal.shows("f   a   f   a   /   f   4");
}

#[test]
fn pane_titles_are_shown_if_enabled() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    crate::shows_panes(&mut terminal, 2);
    write(&server, "[client]\ntitles = true\n");
    terminal.shows("─ sh ──");
    // Each program has one row less, and keys and mouse events reach it at its position.
    terminal.send("clear; until [ \"$(stty size)\" = '22 39' ]; do sleep 0.1; done; echo si''zed\r");
    terminal.until("its size", |terminal| terminal.picture().contains("│sized"));
    terminal.send("\x1b[<0;3;2M\x1b[<0;3;2m");
    terminal.send("echo he''re\r");
    terminal.until("the echo", |terminal| terminal.picture().contains("\nhere"));
    assert_snapshot!("titles", terminal.picture());
    terminal.prefix("z");
    terminal.until("one pane alone", |terminal| !terminal.picture().contains('│'));
    assert_snapshot!("titles-zoomed", terminal.picture());
    write(&server, "");
    terminal.until("no titles", |terminal| !terminal.picture().contains("─ sh ──"));
}

#[test]
fn programs_start_at_the_size_that_the_settings_leave() {
    for (text, rows) in [
        ("", 23),
        ("[client]\nstatus = false\n", 24),
        ("[client]\ntitles = true\n", 22),
        ("[status.second_line]\nleft = [\"session\"]\n", 22),
    ] {
        let server = test_server();
        fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
        fs::write(server.path().join("config/fugue/config.toml"), text).expect("a file");
        let script = "stty size; echo ready; read x; stty size; echo done; cat";
        let mut terminal = server.terminal(&["new", "-s", "work", "--", "sh", "-c", script], 80, 24);
        terminal.shows("ready");
        terminal.send("\r");
        terminal.shows("done");
        let picture = terminal.picture();
        let size = format!("{rows} 80\n");
        assert_eq!(picture.matches(&size).count(), 2, "{text}: {picture}");
    }
}
