//! A terminal that is attached to a session on another host, over a line that drops.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use fugue_testkit::{TestServer, TestTerminal, signal, until};

use crate::sshd::Hosts;

/// Attaches to a session on the other host whose program is `cat`.
fn attached(hosts: &Hosts) -> TestTerminal {
    hosts.there.session("far", &["sh", "-c", "stty -echo; echo ready; exec cat"]);
    let mut terminal = hosts.terminal(&["attach", "box:far"]);
    terminal.shows("ready");
    terminal
}

#[test]
fn a_session_on_another_host_is_shown_and_typed_into() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    terminal.send("hello over there\r");
    terminal.shows("hello over there");
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(hosts.there.ok(&["ls"]).contains("far"));
}

#[test]
fn files_of_another_host_are_not_opened_here() {
    let hosts = Hosts::start();
    hosts.there.session("far", &["sh", "-c", "echo see /etc/passwd; exec cat"]);
    let mut terminal = hosts.terminal(&["attach", "box:far"]);
    terminal.shows("see /etc/passwd");
    terminal.prefix(":edit-history\r");
    terminal.shows("Cannot open scrollback of a pane on box in an editor");
    terminal.prefix(":hints\r");
    terminal.shows("Type a label");
    terminal.send("A");
    terminal.shows("Cannot open a file on box from here; copy its path instead");
}

#[test]
fn of_many_hosts_a_few_are_logged_in_to_at_a_time() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let at = |name: &str| server.path().join(name);
    let hosts: String = (0..30).map(|number| format!("h{number} = \"box{number}\"\n")).collect();
    fs::create_dir_all(at("config/fugue")).expect("a directory");
    fs::write(at("config/fugue/config.toml"), format!("[hosts]\n{hosts}")).expect("a configuration");
    // Logins that take a while and fail, and what they write down.
    let logins = |directory: &str| {
        let program = at(directory).join("ssh");
        fs::create_dir(at(directory)).expect("a directory");
        let ssh = "#!/bin/sh\nlog=${0%/*}/log; echo + >>$log; sleep 0.3; echo - >>$log; exit 255\n";
        fs::write(&program, ssh).expect("a program");
        fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("its mode");
        program.display().to_string()
    };
    let log = |directory: &str| fs::read_to_string(at(directory).join("log")).unwrap_or_default();
    let most = |directory: &str| {
        let mut now = 0_usize;
        let count = |line: &str| {
            now = if line == "+" { now + 1 } else { now - 1 };
            now
        };
        log(directory).lines().map(count).max().expect("logins")
    };
    server.session("work", &["cat"]);
    let _terminal = server.terminal_with(&["attach"], 80, 24, &[("FUGUE_SSH", &logins("of-client"))]);
    until("every host was tried", || log("of-client").matches('+').count() >= 30);
    assert!((2..=8).contains(&most("of-client")), "{} at a time", most("of-client"));
    let pinged = server.command(&["hosts", "ping"]).env("FUGUE_SSH", logins("of-ping")).output();
    assert_eq!(String::from_utf8_lossy(&pinged.expect("it runs").stdout).lines().count(), 30);
    assert!((2..=8).contains(&most("of-ping")), "{} at a time", most("of-ping"));
}

#[test]
fn keys_typed_while_the_line_is_killed_again_and_again_arrive_once() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    for round in 0..5 {
        for word in 0..20 {
            terminal.send(format!("w{round}-{word}\r"));
            if word == 10 {
                let ssh = hosts.ssh_of(terminal.process()).expect("a line");
                signal("KILL", ssh);
            }
        }
        terminal.shows(&format!("w{round}-19"));
    }
    let pane = hosts.there.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    let text = hosts.there.text(&pane);
    let typed: Vec<&str> = text.lines().filter(|line| line.starts_with('w')).collect();
    let expected: Vec<String> =
        (0..5).flat_map(|round| (0..20).map(move |word| format!("w{round}-{word}"))).collect();
    assert_eq!(typed, expected, "no key is lost or doubled");
}

#[test]
fn a_line_that_stands_still_is_opened_again() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    terminal.send("before\r");
    terminal.shows("before");
    let ssh = hosts.ssh_of(terminal.process()).expect("a line");
    signal("STOP", ssh);
    terminal.send("while it stands\r");
    terminal.shows("while it stands");
    until("the stopped line is ended", || hosts.ssh_of(terminal.process()) != Some(ssh));
    let text = terminal.picture();
    assert_eq!(text.matches("while it stands").count(), 1, "{text}");
}

#[test]
fn when_too_many_dropped_lines_are_remembered_the_person_is_asked_to_check_the_last_keys() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    terminal.send("before\r");
    terminal.shows("before");
    let slots = hosts.there.state_dir().join("dropped-lines");
    fs::create_dir_all(&slots).expect("a directory");
    let slots: Vec<_> = (0..64)
        .map(|number| {
            let slot = fs::File::create(slots.join(number.to_string())).expect("a slot");
            slot.try_lock().expect("a free slot");
            slot
        })
        .collect();
    let ssh = hosts.ssh_of(terminal.process()).expect("a line");
    signal("STOP", ssh);
    terminal.send("while it stands\r");
    // Once the client has opened the help, it has sent what was typed before.
    terminal.prefix("?");
    terminal.shows("type to filter");
    terminal.send("\x1b");
    terminal.until("the help is closed", |terminal| !terminal.picture().contains("type to filter"));
    signal("KILL", ssh);
    terminal.shows("Connection to box was lost while you were typing; check whether");
    drop(slots);
    terminal.send("after\r");
    terminal.shows("after");
}

#[test]
fn keys_survive_the_daemon_and_the_line_at_once() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    terminal.send("one\r");
    terminal.shows("one");
    // Stopped first, so that it does not end because the daemon has.
    let ssh = hosts.ssh_of(terminal.process()).expect("a line");
    signal("STOP", ssh);
    signal("KILL", hosts.there.daemon_pid());
    signal("KILL", ssh);
    terminal.send("two\r");
    terminal.shows("two");
    let text = terminal.picture();
    assert_eq!((text.matches("one").count(), text.matches("two").count()), (1, 1), "{text}");
}

#[test]
fn a_client_ends_when_the_daemon_of_the_other_host_is_shut_down() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    hosts.there.ok(&["shutdown"]);
    assert_eq!(terminal.wait_for_exit(), 0);
}
