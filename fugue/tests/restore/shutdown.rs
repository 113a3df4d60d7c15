//! The daemon and the machine are shut down in an orderly way.

use std::fs;
use std::os::unix::net::UnixStream;

use fugue_screen::Screen;
use fugue_testkit::{signal, until};

use super::{HEADER, is_gone, number, pane, screen_file, terminate_daemon, test_server, until_saved};

#[test]
fn a_daemon_that_is_asked_to_end_saves_the_newest_screens_first() {
    let server = test_server();
    let id = server.session("work", &["cat"]);
    server.ok(&["send-input", "-t", &id, "first", "--submit"]);
    until_saved(&server, &id, "first");
    server.ok(&["send-input", "-t", &id, "last words", "--submit"]);
    server.wait_for(&id, "^last words$");
    terminate_daemon(&server);
    let file = fs::read(screen_file(&server, &id)).expect("it is there");
    let screen = Screen::restore(&file[HEADER..]).expect("a screen");
    assert!(screen.lines(0, u64::MAX).iter().any(|line| line.text == "last words"));
}

#[test]
fn panes_whose_programs_end_while_the_machine_shuts_down_are_lost_and_not_closed() {
    let server = test_server();
    let panes = ["first", "second"].map(|name| server.session(name, &["cat"]));
    server.ok(&["send-input", "-t", &panes[0], "last words", "--submit"]);
    server.wait_for(&panes[0], "^last words$");
    let programs = panes.each_ref().map(|id| number(&pane(&server, id)["pid"]));
    let processes = [server.keeper_pid(), server.daemon_pid(), programs[0], programs[1]];
    processes.iter().for_each(|process| signal("TERM", *process));
    until("all are gone", || processes.iter().all(|process| is_gone(*process)));
    until("nobody listens", || UnixStream::connect(server.socket()).is_err());
    for id in &panes {
        assert_eq!(pane(&server, id)["state"], "lost");
    }
    assert!(server.text(&panes[0]).contains("last words"));
    assert_eq!(server.json(&["restore", "--all"])["restored"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_program_that_outlives_the_daemon_while_the_machine_shuts_down_does_not_delay_the_shutdown() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "trap '' TERM; echo ready; while :; do read line; done"]);
    server.wait_for(&id, "^ready$");
    let (keeper, daemon) = (server.keeper_pid(), server.daemon_pid());
    let program = number(&pane(&server, &id)["pid"]);
    [keeper, program, daemon].iter().for_each(|process| signal("TERM", *process));
    until("the daemon is gone", || is_gone(daemon));
    until("there is another one", || server.process_in_lock("daemon").is_some_and(|next| next != daemon));
    // As systemd does with what is left.
    signal("KILL", program);
    until("the keeper is gone", || is_gone(keeper));
    assert_eq!(pane(&server, &id)["state"], "lost");
}
