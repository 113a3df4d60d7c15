//! The agents and sessions of all hosts in one client: seen, visited, and back.

use std::fs;

use fugue_testkit::{TestServer, TestTerminal, signal, until};

use crate::sshd::Hosts;

/// `approve Bash: touch x`.
const BLOCKED: &str = "state=blocked:app=claude-code:kind=permission:msg=YXBwcm92ZSBCYXNoOiB0b3VjaCB4";

/// A program that reports this status once and then prints what it is given.
fn agent(server: &TestServer, session: &str, status: &str) -> String {
    let line = format!("stty -echo; printf '\\033]7501;{status}\\007'; echo ready; exec cat");
    server.session(session, &["sh", "-c", &line])
}

/// Names the other host, and more, in the configuration.
fn configure(hosts: &Hosts, more: &str) {
    fs::create_dir_all(hosts.here.path().join("config/fugue")).expect("a directory");
    let text = format!("{more}\n[hosts]\ngpu = \"box\"\n");
    fs::write(hosts.here.path().join("config/fugue/config.toml"), text).expect("a configuration");
}

/// A client in a session of this host, with the sidebar open, while an agent on the other host needs the person.
fn attached(hosts: &Hosts) -> TestTerminal {
    configure(hosts, "[client]\nsidebar = true");
    hosts.here.session("mine", &["sh", "-c", "stty -echo; echo home; exec cat"]);
    agent(&hosts.there, "train", BLOCKED);
    let mut terminal = hosts.terminal(&["attach", "mine"]);
    terminal.shows("home");
    // The sidebar is shown by default only in a wide terminal.
    terminal.resize(160, 24);
    terminal.shows("! gpu/train");
    terminal.shows("│   claude · ");
    terminal
}

/// Closes the list that is open.
fn close_list(terminal: &mut TestTerminal) {
    terminal.send("\x1b");
    terminal.until("the list is closed", |terminal| !terminal.picture().contains('╭'));
}

/// The text that the only pane of a server's session holds.
fn typed(server: &TestServer, session: &str) -> String {
    server.ok(&["get-output", "-s", session])
}

#[test]
fn an_agent_on_another_host_that_needs_the_person_is_seen_visited_and_left() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    terminal.shows("1 needs you");
    terminal.prefix("a");
    terminal.send("go on\r");
    terminal.shows("go on");
    terminal.shows(" gpu/train ");
    until("it was typed there", || typed(&hosts.there, "train").contains("go on"));
    terminal.prefix("L");
    terminal.shows("home");
    terminal.send("back again\r");
    terminal.shows("back again");
    assert!(!typed(&hosts.there, "train").contains("back again"));
    assert!(typed(&hosts.here, "mine").contains("back again"));
    until("the client has left the session there", || {
        hosts.there.json(&["list-clients"])["clients"].as_array().is_some_and(Vec::is_empty)
    });
    terminal.shows("! gpu/train");
    terminal.shows("│   claude · ");
    terminal.prefix("L");
    terminal.shows("go on");
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(terminal.picture().contains("[detached from session gpu/train]"), "{}", terminal.picture());
}

#[test]
fn keys_typed_right_before_and_after_a_jump_arrive_where_they_were_meant() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    for round in 0..5 {
        terminal.send(format!("here {round}\r"));
        terminal.prefix("a");
        terminal.send(format!("there {round}\r"));
        terminal.shows(&format!("there {round}"));
        terminal.send(format!("there again {round}\r"));
        terminal.prefix("\t");
        terminal.send(format!("here again {round}\r"));
        terminal.shows(&format!("here again {round}"));
    }
    let lines = |server: &TestServer, session: &str| -> Vec<String> {
        typed(server, session).lines().skip(1).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let expected = |place: &str| -> Vec<String> {
        (0..5).flat_map(|round| [format!("{place} {round}"), format!("{place} again {round}")]).collect()
    };
    assert_eq!(lines(&hosts.here, "mine"), expected("here"));
    assert_eq!(lines(&hosts.there, "train"), expected("there"));
}

#[test]
fn the_tree_the_list_of_agents_and_the_palette_name_sessions_with_their_hosts() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    terminal.prefix("w");
    terminal.shows("gpu/train");
    terminal.shows("needs approval: approve Bash: touch x");
    close_list(&mut terminal);
    terminal.prefix("A");
    terminal.shows("gpu/train  claude");
    terminal.send("\r");
    terminal.shows("ready");
    terminal.shows(" gpu/train ");
    terminal.prefix("w");
    terminal.shows("mine");
    terminal.send("mine\r");
    terminal.shows("home");
    terminal.prefix(":");
    terminal.send("attach gpu/train\r");
    terminal.shows("ready");
    terminal.prefix("P");
    terminal.send("go to mine");
    terminal.shows("mine  0:");
}

#[test]
fn a_host_that_cannot_be_reached_is_shown_with_the_reason_and_comes_back() {
    let mut hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    hosts.stop_sshd();
    signal("KILL", hosts.ssh_of(terminal.process()).expect("a line"));
    terminal.shows("⊘ gpu ");
    terminal.shows("│   unreachable");
    terminal.until("its agents are gone", |terminal| !terminal.picture().contains("gpu/train"));
    terminal.prefix("w");
    terminal.shows("unreachable since ");
    terminal.shows("Connection refused");
    close_list(&mut terminal);
    terminal.send("still here\r");
    terminal.shows("still here");
    hosts.restart_sshd();
    terminal.prefix("A");
    terminal.shows("gpu/train  claude");
}

#[test]
fn a_line_that_stands_still_does_not_hold_up_the_client() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    let ssh = hosts.ssh_of(terminal.process()).expect("a line");
    signal("STOP", ssh);
    for round in 0..20 {
        terminal.send(format!("line {round}\r"));
        terminal.shows(&format!("line {round}"));
    }
    // Going there needs the line, and a line that does not answer is replaced.
    signal("CONT", ssh);
    terminal.prefix("a");
    terminal.shows("ready");
}

#[test]
fn hosts_are_followed_as_the_configuration_changes() {
    let hosts = Hosts::start();
    hosts.here.session("mine", &["sh", "-c", "echo home; exec cat"]);
    agent(&hosts.there, "train", BLOCKED);
    let mut terminal = hosts.terminal(&["attach", "mine"]);
    terminal.shows("home");
    assert_eq!(hosts.ssh_of(terminal.process()), None, "no host is configured");
    assert_eq!(hosts.run(&["hosts", "add", "gpu", "box"]).0, 0);
    terminal.shows("1 needs you");
    assert_eq!(hosts.run(&["hosts", "remove", "gpu"]).0, 0);
    terminal.until("it is gone", |terminal| !terminal.picture().contains("1 needs you"));
    until("its line has ended", || hosts.ssh_of(terminal.process()).is_none());
}

#[test]
fn a_client_that_began_on_another_host_sees_this_one() {
    let hosts = Hosts::start();
    configure(&hosts, "");
    hosts.there.session("train", &["sh", "-c", "echo far; exec cat"]);
    agent(&hosts.here, "mine", BLOCKED);
    let mut terminal = hosts.terminal(&["attach", "gpu/train"]);
    terminal.shows("far");
    terminal.shows("1 needs you");
    terminal.prefix("a");
    terminal.shows("ready");
    terminal.shows(" mine ");
    terminal.prefix("L");
    terminal.shows("far");
    terminal.shows(" gpu/train ");
}

#[test]
fn a_host_without_a_daemon_is_not_an_unreachable_one() {
    let hosts = Hosts::start();
    configure(&hosts, "");
    hosts.here.session("mine", &["sh", "-c", "echo home; exec cat"]);
    let mut terminal = hosts.terminal(&["attach", "mine"]);
    terminal.shows("home");
    terminal.prefix("w");
    terminal.shows("no fugue daemon is running");
}

#[test]
fn a_program_on_another_host_runs_nothing_on_this_one() {
    let hosts = Hosts::start();
    let mut terminal = attached(&hosts);
    terminal.prefix("a");
    terminal.shows(" gpu/train ");
    let made = hosts.here.path().join("made");
    let touch = format!("touch {}", made.display());
    for line in [
        format!("display-popup -T '#({touch})' -E true"),
        format!("display-popup -t mine -E '{touch}'"),
        format!("attach -c '#({touch})' -t mine"),
    ] {
        let name = line.split(' ').next().expect("a word").to_owned();
        hosts.there.ok(&["run-in-client", &line]);
        terminal.shows(&format!("A program on gpu tried to run `{name}` here; ignored"));
        // The next one is another message.
        hosts.there.ok(&["run-in-client", "redraw"]);
        terminal.prefix("i");
        terminal.until("another message", |terminal| !terminal.picture().contains("tried to run"));
    }
    // Nor does the person's own tmux command act on this host, while another one is shown.
    terminal.prefix(":");
    terminal.send(format!("run-shell '{touch}'\r"));
    terminal.shows("`run-shell` runs only on this host, but gpu is shown");
    assert!(!made.exists());
}
