//! Messages for a group of sessions on all hosts.

use fugue_core::scope::Scopes;
use serde_json::json;

use crate::fleet::{ID, arriving, deliver, host, receipts, settings, with_outbox};
use crate::story::{OUTSIDE, Story};

/// A host `a` with sessions `lead` and `worker`, which is tagged, and the id of a message of `lead` to all workers.
fn to_all_workers() -> (Story, String) {
    let mut story = host();
    story.run("create-session -s worker --tag worker");
    story.run_in(
        "a",
        r#"send-orchestration {"target":{"tag":"worker","hosts":"all"},"msg_type":"note","payload":{}}"#,
    );
    let id = story.aliases.message("m1").to_string();
    (story, id)
}

#[test]
fn a_message_for_all_hosts_goes_to_those_that_the_relay_finds() {
    let (mut story, id) = to_all_workers();
    assert_eq!(receipts(&mut story, &id), ["(all hosts) queued", "worker queued"]);
    let page = story.reply(OUTSIDE, "take-outbox");
    assert_eq!((&page["messages"], &page["groups"]), (&json!([]), &json!(["!m1"])));
    story.run(&format!("expand-outbox {id} --hosts a b c"));
    story.assert_events(&["recipients of m1: b/(tag worker) c/(tag worker)"]);
    assert_eq!(
        receipts(&mut story, &id),
        ["b/(tag worker) queued", "c/(tag worker) queued", "worker queued"]
    );
    let page = story.reply(OUTSIDE, "take-outbox");
    let items = page["messages"].as_array().expect("messages");
    let items: Vec<_> = items.iter().map(|item| (&item["host"], &item["tag"])).collect();
    assert_eq!(items, [(&json!("b"), &json!("worker")), (&json!("c"), &json!("worker"))]);
    assert_eq!(page.get("groups"), None);
    // A relay that was killed in between does it again.
    story.run(&format!("expand-outbox {id} --hosts b c d"));
    story.assert_events(&[]);
}

#[test]
fn the_hosts_say_who_got_a_message_for_all() {
    let (mut story, id) = to_all_workers();
    story.run(&format!("expand-outbox {id} --hosts b c d"));
    story.run(&format!("confirm-outbox --relayed b/{id} c/{id} d/{id}"));
    let receipt = |session: &str, state: &str| json!({ "host": "a", "message_id": id, "session": session, "state": state });
    deliver(&mut story, "b", &[], &[receipt("one", "queued"), receipt("two", "read")]);
    let nobody =
        json!({ "host": "a", "message_id": id, "nobody": true, "state": "dead_lettered", "reason": "x" });
    deliver(&mut story, "c", &[], &[nobody]);
    let expected = ["b/one relayed", "b/two read", "d/(tag worker) relayed", "worker queued"];
    assert_eq!(receipts(&mut story, &id), expected);
    story.restart();
    story.machine.configure(settings(), Scopes::default());
    assert_eq!(receipts(&mut story, &id), expected);
    // Members that are reported later are added; a host that did not receive the message cannot report any.
    deliver(&mut story, "b", &[], &[receipt("three", "offered")]);
    deliver(&mut story, "e", &[], &[receipt("four", "read")]);
    let refused = json!({ "host": "a", "message_id": id, "state": "dead_lettered", "reason": "too many" });
    deliver(&mut story, "d", &[], &[refused]);
    let expected = [
        "b/one relayed",
        "b/three offered",
        "b/two read",
        "d/(tag worker) dead_lettered too many",
        "worker queued",
    ];
    assert_eq!(receipts(&mut story, &id), expected);
}

#[test]
fn a_host_cannot_add_recipients_without_end() {
    let (mut story, id) = to_all_workers();
    story.run(&format!("expand-outbox {id} --hosts b"));
    let receipt = |number: usize| json!({ "host": "a", "message_id": id, "session": format!("s{number}"), "state": "read" });
    let many: Vec<_> = (0..90).map(receipt).collect();
    deliver(&mut story, "b", &[], &many);
    let more: Vec<_> = (90..300).map(receipt).collect();
    deliver(&mut story, "b", &[], &more);
    let from_there = receipts(&mut story, &id).into_iter().filter(|receipt| receipt.starts_with("b/"));
    assert_eq!(from_there.count(), 100);
}

#[test]
fn a_message_for_all_that_reaches_nobody_says_so() {
    let mut story = host();
    let send =
        r#"send-orchestration {"target":{"tag":"worker","hosts":"all"},"msg_type":"note","payload":{}}"#;
    story.run_in("a", send);
    let id = story.aliases.message("m1").to_string();
    story.run(&format!("expand-outbox {id}"));
    assert_eq!(
        receipts(&mut story, &id),
        ["(all hosts) dead_lettered no other host is currently in the fleet"]
    );
    story.run_in("a", send);
    let id = story.aliases.message("m2").to_string();
    story.run(&format!("expand-outbox {id} --hosts b c"));
    let nobody =
        json!({ "host": "a", "message_id": id, "nobody": true, "state": "dead_lettered", "reason": "x" });
    deliver(&mut story, "b", &[], std::slice::from_ref(&nobody));
    deliver(&mut story, "c", &[], &[nobody]);
    assert_eq!(
        receipts(&mut story, &id),
        ["c/(tag worker) dead_lettered no session on any host matches the target"]
    );
    let hosts: Vec<_> = (0..1_001).map(|number| format!("h{number}")).collect();
    story.run_in("a", send);
    let id = story.aliases.message("m3").to_string();
    story.run(&format!("expand-outbox {}", json!({ "messages": [id], "hosts": hosts })));
    assert_eq!(receipts(&mut story, &id), ["(all hosts) dead_lettered the fleet has more than 1000 hosts"]);
}

#[test]
fn later_messages_of_a_sender_do_not_overtake_one_for_all_hosts() {
    let (mut story, id) = to_all_workers();
    story.machine.configure(with_outbox(10), Scopes::default());
    story.run_in("a", "send-orchestration -s b/worker note");
    let hosts = |story: &mut Story, line: &str| {
        let page = story.reply(OUTSIDE, line);
        page["messages"].as_array().expect("messages").iter().map(|m| m["host"].clone()).collect::<Vec<_>>()
    };
    story.run("send-orchestration -s c/worker note");
    assert_eq!(hosts(&mut story, "take-outbox"), ["c"], "only the other sender's");
    assert_eq!(story.reply(OUTSIDE, "take-outbox --without-groups").get("groups"), None);
    story.run(&format!("expand-outbox {id} --hosts b"));
    assert_eq!(hosts(&mut story, "take-outbox"), ["b", "b", "c"]);
}

#[test]
fn a_message_for_a_group_reaches_all_its_members_and_each_has_a_receipt() {
    let mut story = host();
    story.run("create-session -s one --tag worker");
    story.run("create-session -s two --tag worker");
    let mut message = arriving(ID, "", None);
    message.as_object_mut().expect("an object").remove("session");
    message["tag"] = json!("worker");
    let outcome = deliver(&mut story, "b", std::slice::from_ref(&message), &[]);
    assert_eq!((&outcome["stored"], outcome.get("refused")), (&json!(1), None));
    let again = deliver(&mut story, "b", &[message], &[]);
    assert_eq!(again["duplicates"], 1);
    let waiting = |story: &mut Story| {
        let page = story.reply(OUTSIDE, "take-outbox");
        let receipts = page["receipts"].as_array().cloned().unwrap_or_default();
        receipts.iter().map(|it| format!("{} {}", it["session"], it["state"])).collect::<Vec<_>>()
    };
    assert_eq!(waiting(&mut story), [r#""one" "queued""#, r#""two" "queued""#]);
    let confirmed = |session: &str, state: &str| {
        let receipt = json!({ "host": "b", "message_id": ID, "session": session, "state": state });
        format!("confirm-outbox {}", json!({ "reported": [receipt] }))
    };
    story.run(&confirmed("one", "queued"));
    story.run(&confirmed("two", "queued"));
    story.run(&format!("poll-messages -s two -n 0 --ack {ID}"));
    assert_eq!(waiting(&mut story), [r#""two" "read""#]);
    story.run(&confirmed("two", "read"));
    assert_eq!(waiting(&mut story), [] as [String; 0]);
}

#[test]
fn a_message_for_a_group_without_members_here_is_refused() {
    let mut story = host();
    let mut message = arriving(ID, "", None);
    message.as_object_mut().expect("an object").remove("session");
    message["tag"] = json!("worker");
    let outcome = deliver(&mut story, "b", &[message], &[]);
    assert_eq!(outcome["refused"][0]["nobody"], true);
    assert_eq!(outcome["refused"][0]["reason"], "no session on host `a` matches the target");
}

#[test]
fn without_a_fleet_no_message_goes_to_all_hosts() {
    let mut story = Story::of(&["create-session -s lead"]);
    story.refused(
        r#"send-orchestration {"target":{"tag":"worker","hosts":"all"},"msg_type":"note","payload":{}}"#,
        "No fleet configured: this daemon does not send messages to other hosts\n\
         hint: set `host` in the [fleet] section of config.toml; see docs/fleet.md",
    );
}
