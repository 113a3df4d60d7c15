//! Labels on the links and paths of the screen: copying one, opening one.

use std::os::unix::fs::PermissionsExt;

use fugue_testkit::{TestServer, TestTerminal, until};
use insta::assert_snapshot;

use crate::{THREE_SIZES, test_server};

/// A program that shows links and paths, one of them twice, and one with a scheme that is never opened.
const LINKS: &str = r"
printf 'See https://example.com/guide (or http://localhost:8080/).\n'
printf 'error in src/main.rs:10:5, not in and/or\n'
printf 'again: https://example.com/guide\n'
printf '\033]8;;https://example.com/hidden\033\\a link\033]8;;\033\\ '
printf '\033]8;;javascript:alert(1)\033\\no link\033]8;;\033\\\n'
exec cat
";

fn attached_to_links(server: &TestServer, cols: u16, rows: u16) -> TestTerminal {
    let words = ["new", "-s", "work", "--", "sh", "-c", LINKS];
    let environment = [("EDITOR", server.path().join("editor")), ("VISUAL", "".into())];
    let environment = environment.each_ref().map(|(name, value)| (*name, value.to_str().expect("text")));
    let mut terminal = server.terminal_with(&words, cols, rows, &environment);
    terminal.shows("a link no link");
    terminal
}

/// Writes a program that notes its arguments, one line for each run, and then does this.
fn write_program(server: &TestServer, name: &str, then: &str) {
    let file = server.path().join(name);
    let notes = server.path().join(format!("{name}-notes"));
    let script = format!("#!/bin/sh\necho \"$*\" >>'{}'\n{then}\n", notes.display());
    std::fs::write(&file, script).expect("a program");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("its mode");
}

fn notes(server: &TestServer, name: &str) -> String {
    std::fs::read_to_string(server.path().join(format!("{name}-notes"))).unwrap_or_default()
}

fn configure(server: &TestServer) {
    let opener = server.path().join("opener");
    std::fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    let settings = format!("[client]\nopen_command = \"{} --with\"\n", opener.display());
    std::fs::write(server.path().join("config/fugue/config.toml"), settings).expect("a configuration");
}

#[test]
fn links_and_paths_are_labeled_and_a_letter_copies_one() {
    for (cols, rows) in THREE_SIZES {
        let server = test_server();
        let mut terminal = attached_to_links(&server, cols, rows);
        terminal.prefix("F");
        terminal.shows("Type a label to copy the item, or in capitals to open it");
        assert_snapshot!(format!("hints-{cols}x{rows}"), terminal.picture());
        terminal.send("d");
        terminal.shows("Copied 16 characters");
        assert!(!terminal.picture().contains("Type a label"), "{}", terminal.picture());
        terminal.prefix("=");
        terminal.shows("0: src/main.rs:10:5");
    }
}

#[test]
fn a_capital_opens_a_link_with_the_configured_command() {
    let server = test_server();
    configure(&server);
    write_program(&server, "opener", "exit 0");
    let mut terminal = attached_to_links(&server, 80, 24);
    terminal.prefix("F");
    terminal.shows("Type a label");
    terminal.send("F");
    terminal.shows("Opening https://example.com/hidden");
    until("the link is opened", || notes(&server, "opener") == "--with https://example.com/hidden\n");
}

#[test]
fn a_command_that_cannot_open_a_link_is_reported() {
    let server = test_server();
    configure(&server);
    write_program(&server, "opener", "echo no browser here >&2; exit 3");
    let mut terminal = attached_to_links(&server, 80, 24);
    terminal.prefix("F");
    terminal.shows("Type a label");
    terminal.send("A");
    terminal.shows("no browser here");
}

#[test]
fn a_capital_opens_a_file_in_the_editor_if_it_exists() {
    let server = test_server();
    write_program(&server, "editor", "exec cat");
    let mut terminal = attached_to_links(&server, 80, 24);
    terminal.prefix("F");
    terminal.shows("Type a label");
    terminal.send("D");
    terminal.shows("No such file: src/main.rs");
    let pane = server.json(&["list-panes"])["panes"][0].clone();
    let source = std::path::Path::new(pane["cwd"].as_str().expect("a directory")).join("src");
    std::fs::create_dir_all(&source).expect("a directory");
    std::fs::write(source.join("main.rs"), "").expect("a file");
    terminal.prefix("F");
    terminal.shows("Type a label");
    terminal.send("D");
    terminal.shows("1:main.rs*");
    let expected = format!("+10 {}\n", source.join("main.rs").display());
    until("the editor runs", || notes(&server, "editor") == expected);
    std::fs::remove_dir_all(&source).expect("it can be removed");
}

#[test]
fn copy_mode_labels_what_it_shows_and_stays() {
    let server = test_server();
    let program = "echo /etc/first; seq 1000 1100; exec cat";
    let mut terminal = server.terminal(&["new", "-s", "work", "--", "sh", "-c", program], 80, 24);
    terminal.shows("1100");
    terminal.prefix("F");
    terminal.shows("No links or paths on the screen");
    terminal.prefix("[");
    terminal.shows("[0/");
    terminal.send("gu");
    terminal.shows("Type a label");
    terminal.until("the label", |terminal| terminal.picture().starts_with("aetc/first"));
    terminal.send("a");
    terminal.shows("Copied 10 characters");
    terminal.until("copy mode", |terminal| {
        terminal.picture().starts_with("/etc/first") && terminal.picture().contains("[80/80]")
    });
}

#[test]
fn an_open_popup_is_labeled_alone() {
    let server = test_server();
    let mut terminal = attached_to_links(&server, 80, 24);
    terminal.prefix(":");
    terminal.send("display-popup -w 40 -h 6 -- sh -c 'echo see /etc/hosts; exec cat'\r");
    terminal.shows("see /etc/hosts");
    terminal.prefix("F");
    terminal.shows("│seea/etc/hosts");
    terminal.shows("See https://example.com/guide");
    terminal.send("a");
    terminal.shows("Copied 10 characters");
    terminal.shows("│see /etc/hosts");
}
