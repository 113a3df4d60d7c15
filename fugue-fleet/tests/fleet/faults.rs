//! What a user meets when a part of the fleet is away.

use fugue_testkit::{PATIENCE, until, until_within};
use serde_json::json;

use crate::hosts::{Host, await_presence, fugue, two};
use crate::nats::Nats;

#[test]
fn messages_wait_for_a_server_that_is_away() {
    let mut nats = Nats::start(1, &["a", "b"]);
    let (a, b) = two(&nats);
    let first = a.send("b/work", "{}");
    a.await_state(&first, "relayed");
    nats.kill_server(0);
    let second = a.send("b/work", "{}");
    assert_eq!(a.state(&second), "queued");
    nats.start_server(0);
    a.await_state(&second, "relayed");
    let have_arrived = || b.poll("work")["messages"].as_array().map(Vec::len) == Some(2);
    until_within(PATIENCE, have_arrived, || b.relay_log());
    let ids: Vec<_> = b.poll("work")["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .map(|message| message["message_id"].clone())
        .collect();
    assert_eq!(ids, [json!(first), json!(second)]);
}

#[test]
fn messages_wait_for_a_host_that_is_away() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = (Host::new("a", &nats, ""), Host::new("b", &nats, ""));
    a.set_up(&nats, 1);
    a.start_relay();
    b.start_relay();
    await_presence(&a, 2);
    b.kill_relay();
    let message = a.send("b/work", "{}");
    a.await_state(&message, "relayed");
    b.start_relay();
    assert_eq!(b.poll("work")["messages"][0]["message_id"], json!(message));
    a.await_state(&message, "offered");
}

#[test]
fn messages_that_the_servers_lost_after_they_had_confirmed_them_are_relayed_again() {
    let mut nats = Nats::start(1, &["a", "b"]);
    let host = |name: &str| Host::new(name, &nats, "resend_after = 1");
    let (a, b) = (host("a"), host("b"));
    a.set_up(&nats, 1);
    a.start_relay();
    b.start_relay();
    await_presence(&a, 2);
    b.kill_relay();
    let messages = [a.send("b/work", "{}"), a.send("b/work", "{}")];
    messages.iter().for_each(|message| a.await_state(message, "relayed"));
    nats.lose_server(0);
    nats.start_server(0);
    a.set_up(&nats, 1);
    b.start_relay();
    let have_arrived = || b.poll("work")["messages"].as_array().map(Vec::len) == Some(2);
    until_within(PATIENCE, have_arrived, || b.relay_log());
    messages.iter().for_each(|message| a.await_state(message, "offered"));
    let arrived = b.poll("work")["messages"].as_array().cloned().unwrap_or_default();
    let ids: Vec<_> = arrived.iter().map(|message| message["message_id"].clone()).collect();
    assert_eq!(ids, [json!(messages[0]), json!(messages[1])]);
}

#[test]
fn a_daemon_has_one_relay() {
    let nats = Nats::start(1, &["a"]);
    let a = Host::new("a", &nats, "");
    a.start_relay();
    until("the relay answers", || !a.status()["relay"].is_null());
    let (code, error) = a.second_relay();
    assert_eq!(code, 1);
    assert!(error.starts_with("fugue fleet: This daemon's relay is already running\nhint: "), "{error}");
}

#[test]
fn without_the_relay_program_the_command_says_where_it_belongs() {
    let directory = tempfile::tempdir_in(fugue().parent().expect("a directory")).expect("a directory");
    let alone = directory.path().join("fugue");
    std::fs::hard_link(fugue(), &alone).expect("a link");
    let a = Host::with_servers("a", &["nats://127.0.0.1:1".into()], "");
    let ran = a.server.command_from(&alone, &["fleet", "status"]).output().expect("fugue runs");
    assert_eq!(ran.status.code(), Some(2));
    let expected = format!(
        "fugue: `fugue-fleet` is not installed next to fugue in {}\n\
         hint: build it with `cargo build --release -p fugue-fleet` and copy it there\n",
        directory.path().display()
    );
    assert_eq!(String::from_utf8_lossy(&ran.stderr), expected);
}
