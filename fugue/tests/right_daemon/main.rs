//! The right daemon, always: `--server`, `--host` and `FUGUE_SOCKET` hold for every verb, every other command and every
//! command of tmux. The lists of lines must name all of them, so that a new command cannot be forgotten.
//!
//! No daemon runs: something listens at the socket of each, takes note of who comes, and hangs up.

mod tripwire;
mod world;

use fugue_protocol::verbs::NAMES;
use fugue_testkit::TestServer;
use world::{Outcome, World};

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// The lines of a list; the ones behind `-` ask no daemon.
fn lines(text: &str) -> Vec<(bool, Vec<&str>)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let asks = !line.starts_with("- ");
            (asks, line.trim_start_matches("- ").split(' ').collect())
        })
        .collect()
}

fn verbs() -> Vec<(bool, Vec<&'static str>)> {
    lines(include_str!("verbs.txt"))
}

fn own() -> Vec<(bool, Vec<&'static str>)> {
    lines(include_str!("own.txt"))
}

fn tmux_names() -> impl Iterator<Item = &'static str> {
    fugue_tmux::command_table::COMMANDS.iter().map(fugue_tmux::command_table::CommandRow::name)
}

#[test]
fn every_verb_has_a_line() {
    let mut listed: Vec<_> = verbs().into_iter().map(|(_, words)| words[0]).collect();
    let mut names = NAMES.to_vec();
    listed.sort_unstable();
    names.sort_unstable();
    assert_eq!(listed, names);
}

/// Runs lines that name daemon `b`; each must reach it, if it asks any, and never another.
fn check_named(world: &World, lines: &[(bool, Vec<&str>)], before: &[&str], is_in_environment: bool) {
    let mut wrong = Vec::new();
    for (asks, words) in lines {
        let words = [before, words].concat();
        let Outcome { reached, others, ran, .. } = world.run(&words, is_in_environment);
        if !others.is_empty() || (*asks && !reached) {
            wrong.push(format!("{}: reached: {reached}, others: {others:?}, {ran:?}", words.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_verb_reaches_the_daemon_that_is_named_and_no_other() {
    let world = World::new(BINARY);
    check_named(&world, &verbs(), &["--server", "b"], false);
    check_named(&world, &verbs(), &[], true);
}

#[test]
fn every_other_command_reaches_the_daemon_that_is_named_and_no_other() {
    let world = World::new(BINARY);
    check_named(&world, &own(), &["--server", "b"], false);
    check_named(&world, &own(), &["--server=b"], false);
    check_named(&world, &own(), &[], true);
}

#[test]
fn every_tmux_command_reaches_the_daemon_that_is_named_and_no_other() {
    let world = World::new(BINARY);
    let lines: Vec<_> = tmux_names().map(|name| (true, vec![name])).collect();
    check_named(&world, &lines, &["--server", "b", "tmux"], false);
    check_named(&world, &lines, &["tmux", "-L", "b"], false);
    check_named(&world, &lines, &["tmux"], true);
    // Some of them mean a verb that wants other words here; those are refused.
    let typed: Vec<_> = tmux_names().map(|name| (false, vec![name])).collect();
    check_named(&world, &typed, &["--server", "b"], false);
}

#[test]
fn the_name_of_a_daemon_may_be_that_of_a_command() {
    let mut world = World::new(BINARY);
    for (name, words) in
        [("tmux", &["tmux", "kill-server"][..]), ("kill-server", &["tmux", "ls"]), ("ls", &["ls"])]
    {
        world.listen(name);
        assert_eq!(world.run(&[&["--server", name], words].concat(), false).others, [name]);
    }
}

/// Runs lines that name another host: each goes there over ssh, or is refused; nothing happens here.
fn check_host(world: &World, lines: &[(bool, Vec<&str>)], before: &[&str]) {
    let mut wrong = Vec::new();
    for (_, words) in lines {
        let words = [before, words].concat();
        let Outcome { reached, others, went_to_host, ran } = world.run(&words, false);
        let is_refused = ran.code != 0 && (ran.err.contains("--host") || ran.err.contains("terminal"));
        let is_right = went_to_host || is_refused || words.last() == Some(&"mcp");
        if reached || !others.is_empty() || !is_right {
            wrong.push(format!("{}: went: {went_to_host}, others: {others:?}, {ran:?}", words.join(" ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_command_for_another_host_goes_there_or_is_refused_and_does_nothing_here() {
    let world = World::new(BINARY);
    check_host(&world, &verbs(), &["--host", "box"]);
    check_host(&world, &own(), &["--host", "box"]);
    let tmux: Vec<_> = tmux_names().map(|name| (true, vec![name])).collect();
    check_host(&world, &tmux, &["--host", "box", "tmux"]);
    check_host(&world, &tmux, &["tmux", "--host=box"]);
}

#[test]
fn tmux_kill_server_ends_the_daemon_that_is_named_and_says_which() {
    let server = TestServer::new(BINARY);
    server.session("work", &["cat"]);
    server.ok(&["--server", "b", "new", "-d", "-s", "other", "--", "cat"]);
    server.ok(&["--server", "b", "tmux", "new-session", "-d", "-s", "second", "cat"]);
    server.ok(&["--server", "b", "tmux", "rename-session", "-t", "other", "first"]);
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
    let said = server.ok(&["--server", "b", "tmux", "kill-server"]);
    assert_eq!(said, "Shut down daemon b: ended 2 sessions (first, second) and 2 panes\n");
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
    let ended = server.run(&["--server", "b", "tmux", "ls"]);
    assert!(ended.err.starts_with("no server running on "), "{ended:?}");
    server.ok(&["set-buffer", "text"]);
    let removed = server.ok(&["remove-buffer"]);
    assert!(!removed.contains("Shut down"), "{removed}");
    let said = server.ok(&["shutdown"]);
    assert_eq!(said, "Shut down daemon default: ended 1 session (work) and 1 pane\n");
}

#[test]
fn two_names_for_the_daemon_are_refused() {
    let world = World::new(BINARY);
    let Outcome { reached, others, ran, .. } = world.run(&["--server", "b", "tmux", "-L", "c", "ls"], false);
    assert!(!reached && others.is_empty());
    assert_eq!(ran.err, "--server b and -L c name different daemons\n");
}
