//! A client that stops reading while a pane writes and other clients work.

use std::process::{Child, Stdio};

use fugue_testkit::{TestServer, memory, signal, switches, switches_since, until};

/// A subscriber to all events, in a separate process that can be stopped.
fn subscriber(server: &TestServer) -> Child {
    let mut command = server.command(&["events", "--follow"]);
    command.stdout(Stdio::null()).spawn().expect("fugue starts")
}

#[test]
fn a_stalled_subscriber_slows_no_other_client_and_memory_stays_bounded() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let pane = server.session("work", &["sh"]);
    let mut watching = watch(&server, &pane);
    let mut stopped = subscriber(&server);
    until("the subscriber is connected", || {
        server.json(&["server-status"])["connections"].as_u64() > Some(2)
    });
    signal("STOP", stopped.id());
    let daemon = server.daemon_pid();
    let before = memory(daemon);

    // 100 MB of text, and events at the same time.
    server.ok(&[
        "send-input",
        "-t",
        &pane,
        "yes 'the quick brown fox jumps over the lazy dog' | head -c 100000000; echo; echo all''-done",
        "--submit",
    ]);
    let mut served = 0;
    while server.run(&["wait", "-t", &pane, "--match", "^all-done", "--timeout-ms", "100"]).code != 0 {
        server.ok(&["set-metadata", "-s", "work", "count", &served.to_string()]);
        served += 1;
    }
    let grown = memory(daemon).saturating_sub(before);
    assert!(grown < 64 << 10, "the daemon grew by {grown} KiB");
    assert!(served > 0, "other clients were served meanwhile");

    signal("CONT", stopped.id());
    signal("TERM", stopped.id());
    stopped.wait().expect("fugue exits");
    assert!(watching.next_frame().is_ok(), "the client that never read is still connected");
}

/// A connection that watches a screen and never reads.
fn watch(server: &TestServer, pane: &str) -> fugue_client::Connection {
    let mut connection = server.connect();
    let choice =
        fugue_protocol::verbs::PaneChoice::of(pane.parse::<fugue_protocol::PaneId>().expect("an id"));
    connection.call(&fugue_protocol::verbs::WatchPane { choice, stop: false }).expect("watched");
    connection
}

#[test]
fn two_hundred_idle_panes_do_not_wake_the_daemon() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    server.session("idle", &["cat"]);
    for _ in 1..200 {
        server.ok(&["create-window", "-s", "idle", "-d", "--", "cat"]);
    }
    let daemon = server.daemon_pid();
    server.run(&["wait", "-s", "idle", "--until", "idle", "--idle-ms", "1000"]);
    let before = switches(daemon);
    std::thread::sleep(std::time::Duration::from_secs(5));
    let woken = switches_since(daemon, &before);
    assert!(woken < 25, "{woken} wake-ups in five seconds");
    println!("{woken} wake-ups in five seconds with 200 panes, {} KiB", memory(daemon));
}
