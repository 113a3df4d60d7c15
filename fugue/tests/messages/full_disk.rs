//! A full disk, simulated by a limit on the size of the daemon's files.

use fugue_client::CallError;
use fugue_testkit::signal;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

use crate::soak::{Agent, message};
use crate::test_server;

/// Limits the size of the daemon's files.
fn limit_file_size(daemon: u32, bytes: Option<u64>) {
    let process = Pid::from_raw(daemon.cast_signed()).expect("a process");
    let hard = rustix::process::getrlimit(Resource::Fsize).maximum;
    prlimit(Some(process), Resource::Fsize, Rlimit { current: bytes.or(hard), maximum: hard })
        .expect("a limit");
}

#[test]
fn a_full_disk_refuses_messages_and_loses_no_acknowledged_one() {
    let server = test_server();
    let (from, _) = (server.session("from", &["cat"]), server.session("to", &["cat"]));
    let mut sender = Agent::new(&server, &from);
    let daemon = server.daemon_pid();
    limit_file_size(daemon, Some(1 << 20));
    let mut acknowledged = Vec::new();
    let refused = loop {
        let key = format!("k{}", acknowledged.len());
        match sender.call(&message("to", key, json!({ "t": "x".repeat(20_000) }))) {
            Ok(sent) => acknowledged.push(sent.message_id.to_string()),
            Err(CallError::Refused(refused)) => break refused,
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(refused.code, "storage_full", "{refused}");
    assert!((1..200).contains(&acknowledged.len()), "{} were stored", acknowledged.len());
    let kept = || {
        let list = server.json(&["list-messages", "-n", "200"]);
        let messages = list["messages"].as_array().expect("messages").clone();
        messages
            .iter()
            .filter_map(|message| Some(message["message_id"].as_str()?.to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(), acknowledged, "refused messages are not stored");
    assert_eq!(server.daemon_pid(), daemon, "the daemon keeps running");
    limit_file_size(daemon, None);
    // The same key again: the first attempt was refused, so this is not a duplicate.
    let key = format!("k{}", acknowledged.len());
    let sent =
        sender.call(&message("to", key, json!({ "t": "x".repeat(20_000) }))).expect("there is space again");
    assert!(!sent.duplicate);
    acknowledged.push(sent.message_id.to_string());
    signal("KILL", daemon);
    assert_eq!(kept(), acknowledged, "everything is on disk");
}
