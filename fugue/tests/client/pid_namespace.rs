//! A client in a PID namespace of its own, as in a container that shares the daemon's socket: the daemon and the leader
//! of the client's session have no process ids there.

use std::path::Path;
use std::process::Command;

use fugue_testkit::TestTerminal;

use crate::test_server;

const NAMESPACE: [&str; 5] = ["--user", "--map-current-user", "--pid", "--fork", "--mount-proc"];

/// Whether this user may create namespaces; some systems forbid it.
fn can_create_namespaces() -> bool {
    Command::new("unshare").args(NAMESPACE).arg("true").status().is_ok_and(|status| status.success())
}

#[test]
fn a_client_in_another_pid_namespace_attaches() {
    if !can_create_namespaces() {
        return eprintln!("not tested: this user cannot create namespaces");
    }
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
