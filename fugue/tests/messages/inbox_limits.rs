//! A full inbox, a large backlog, a recipient that never reads, a sender in a loop: refusals, pages, and a daemon
//! that does not grow.

use fugue_client::CallError;
use fugue_protocol::limits;
use fugue_protocol::verbs::PollMessages;
use fugue_testkit::{RepeatingCaller, memory, signal};
use serde_json::json;

use crate::soak::message;
use crate::test_server;

#[test]
fn a_sender_with_16_mib_in_an_inbox_is_refused_and_they_can_be_read_completely() {
    let server = test_server();
    let (from, to) = (server.session("from", &["cat"]), server.session("to", &["cat"]));
    let mut sender = RepeatingCaller::new(&server, &from);
    let before = memory(server.daemon_pid());
    // A payload of 256 KiB, including quotes and field name.
    let text = "x".repeat(limits::MESSAGE_BYTES - r#"{"t":""}"#.len());
    let mut sent = 0;
    let refused = loop {
        match sender.call(&message("to", format!("k{sent}"), json!({ "t": text }))) {
            Ok(_) => sent += 1,
            Err(CallError::Refused(refused)) => break refused,
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(
        (refused.code.as_str(), sent),
        ("inbox_full", limits::INBOX_BYTES / limits::MESSAGE_BYTES / 2)
    );
    assert!(refused.detail["retry_after_ms"].as_u64().is_some());
    // A sender in a loop is refused each time, and nothing grows; payloads are on disk.
    for number in 0..500 {
        assert!(sender.call(&message("to", format!("again{number}"), json!({ "t": text }))).is_err());
    }
    let grown = memory(server.daemon_pid()).saturating_sub(before);
    assert!(grown < 24 << 10, "{grown} KiB for a backlog of {} KiB", limits::INBOX_BYTES >> 11);
    signal("KILL", server.daemon_pid());
    let (mut reader, mut read, mut acknowledge) = (RepeatingCaller::new(&server, &to), 0, Vec::new());
    loop {
        let page = reader
            .call(&PollMessages { acknowledge, max_bytes: 1 << 20, ..Default::default() })
            .expect("a page");
        if page.messages.is_empty() {
            break;
        }
        let bytes: usize = page.messages.iter().map(|message| message.bytes).sum();
        assert!(bytes <= 1 << 20, "{bytes}");
        assert!(
            page.messages
                .iter()
                .all(|message| message.payload.as_ref().is_some_and(|p| serde_json::json!(p)["t"] == text))
        );
        read += page.messages.len();
        acknowledge = page.messages.iter().map(|message| message.message_id).collect();
    }
    assert_eq!(read, sent);
}

#[test]
fn old_acknowledged_messages_are_removed_from_memory_and_disk() {
    let server = test_server();
    let (from, to) = (server.session("from", &["cat"]), server.session("to", &["cat"]));
    let (mut sender, mut reader) = (RepeatingCaller::new(&server, &from), RepeatingCaller::new(&server, &to));
    // Payloads of 256 KiB: far more in total than is kept.
    let text = "x".repeat(limits::MESSAGE_BYTES - 100);
    let mut acknowledge = Vec::new();
    for number in 0..400 {
        sender.call(&message("to", format!("k{number}"), json!({ "t": text }))).expect("sent");
        let page = reader.call(&PollMessages { acknowledge, ..Default::default() }).expect("a page");
        acknowledge = page.messages.iter().map(|message| message.message_id).collect();
    }
    let database = std::fs::metadata(server.state_dir().join("journal.db")).expect("a journal").len();
    assert!(database < 96 << 20, "{database} bytes on disk after 100 MiB of messages");
    let kept = server.json(&["list-messages", "-n", "200"])["older"].as_u64().expect("a count") + 200;
    assert!((200..400).contains(&kept), "{kept} kept");
}
