//! A client in a PID namespace of its own, as in a container that shares the daemon's socket: the daemon and the leader
//! of the client's session have no process ids there.

use std::path::Path;

use fugue_testkit::{TestTerminal, expect_namespaces};

use crate::test_server;

const NAMESPACE: [&str; 5] = ["--user", "--map-current-user", "--pid", "--fork", "--mount-proc"];

#[test]
fn in_namespace_a_client_of_another_pid_namespace_attaches() {
    expect_namespaces(&NAMESPACE);
    let server = test_server();
    server.session("work", &["cat"]);
    let words = [&NAMESPACE[..], &[env!("CARGO_BIN_EXE_fugue"), "attach", "-t", "work"]].concat();
    let mut terminal = TestTerminal::spawn(server.command_from(Path::new("unshare"), &words), 80, 24);
    terminal.shows("work");
    terminal.send("typed\r");
    terminal.shows("typed\ntyped");
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
}
