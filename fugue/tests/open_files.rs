//! The limit of open files: the daemon refuses panes before it has none left for itself.

use std::os::unix::net::UnixStream;

use fugue_protocol::verbs::GetServerStatus;
use fugue_testkit::{TestServer, until};

/// A server whose daemon may open this many files, with a session.
fn server_with_files(most: u32) -> TestServer {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let mut command = std::process::Command::new("prlimit");
    let first = server.command(&["new", "-d", "-s", "work", "--", "cat"]);
    command.arg(format!("--nofile={most}:{most}")).arg(first.get_program()).args(first.get_args());
    command.env_clear().envs(first.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(command.status().expect("prlimit runs").success());
    server
}

#[test]
fn a_process_that_takes_all_connections_that_the_open_files_allow_locks_nobody_out() {
    let server = server_with_files(256);
    let mut held = Vec::new();
    let refused = loop {
        let mut connection = server.connect();
        match connection.call(&GetServerStatus {}) {
            Ok(_) => held.push(connection),
            Err(error) => break error.to_string(),
        }
    };
    assert!(refused.starts_with("Too many connections from one process: the limit is 8\n"), "{refused}");
    assert!(held.len() > 20, "{} connections", held.len());
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
    let idle: Vec<_> = (0..250).map(|_| UnixStream::connect(server.socket())).collect();
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
    drop((idle, held));
    server.ok(&["shutdown"]);
}

#[test]
fn panes_are_refused_before_the_daemon_runs_out_of_files() {
    let server = server_with_files(300);
    let window = ["create-window", "-d", "-s", "work", "--", "cat"];
    let (mut panes, mut refused) = (1, server.run(&window));
    while refused.code == 0 {
        panes += 1;
        assert!(panes < 30, "300 files are enough for {panes} panes");
        refused = server.run(&window);
    }
    assert_eq!(
        refused.err,
        "fugue: Cannot start `cat`: the daemon has reached its limit of open files\n\
         hint: close panes, or raise the hard limit (`ulimit -Hn`) before the daemon starts\n"
    );
    assert_eq!(panes, (300 - 32 - 300 / 8) / 12);
    assert_eq!(server.json(&["list-panes"])["panes"].as_array().map(Vec::len), Some(panes));

    // People still get in, and a closed pane makes room for another.
    let clients: Vec<_> = (0..8).map(|_| server.connect()).collect();
    server.ok(&["kill-window", "-t", "work:3"]);
    until("there is room again", || server.run(&window).code == 0);
    drop(clients);
    server.ok(&["shutdown"]);
}
