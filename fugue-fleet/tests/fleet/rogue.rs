//! A host that is part of the fleet, but does what it should not: each attempt is refused by the server, or by the host
//! that it is meant for.

use std::time::Duration;

use async_nats::jetstream::consumer::{DeliverPolicy, pull, push};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::hosts::{Host, await_presence, two};
use crate::nats::{Nats, block};

const STREAM: &str = "FUGUE";

/// A client of the server with the rights of host `c`.
struct Rogue {
    client: Client,
    jetstream: Context,
}

impl Rogue {
    async fn connect(nats: &Nats) -> Self {
        let address = nats.addresses("c").remove(0);
        let options = ConnectOptions::new()
            .custom_inbox_prefix("_INBOX_c")
            .user_and_password("c".into(), "secret-of-c".into());
        let client = options.connect(address).await.expect("a connection");
        let jetstream =
            jetstream::ContextBuilder::new().timeout(Duration::from_secs(2)).build(client.clone());
        Self { client, jetstream }
    }

    async fn publish(&self, subject: &str, item: &Value) -> Result<(), String> {
        let sent = self.jetstream.publish(subject.to_owned(), item.to_string().into()).await;
        sent.map_err(|why| why.to_string())?.await.map(drop).map_err(|why| why.to_string())
    }
}

/// A message as a relay sends it.
fn item(id: &str, to: &str, from: &str) -> Value {
    json!({ "message": { "host": to, "session": "work", "message": {
        "message_id": id, "from_session_id": "019a0000-0000-7000-8000-0000000000aa", "from_session_name": from,
        "target": { "session": format!("{to}/work") }, "msg_type": "note", "payload": { "forged": true },
        "bytes": 15, "sent_at": 1_700_000_000_000_u64, "expires_at": 2_700_000_000_000_u64, "number": 1,
    } } })
}

const ID: &str = "019a0000-0000-7000-8000-000000000001";

/// Sends an honest message and returns everything in the inbox once it has arrived.
fn inbox_after_an_honest_message(a: &Host, b: &Host) -> Vec<Value> {
    let honest = a.send("b/work", "{}");
    let start = std::time::Instant::now();
    loop {
        let page = b.poll("work");
        let messages = page["messages"].as_array().cloned().unwrap_or_default();
        if messages.iter().any(|message| message["message_id"] == json!(honest)) {
            return messages.into_iter().filter(|message| message["message_id"] != json!(honest)).collect();
        }
        assert!(start.elapsed() < fugue_testkit::PATIENCE, "{}", b.relay_log());
    }
}

#[test]
fn a_host_cannot_speak_for_another() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let (a, b) = two(&nats);
    block(async {
        let rogue = Rogue::connect(&nats).await;
        let refused = rogue.publish("fugue.to.b.a", &item(ID, "b", "lead")).await;
        assert!(refused.is_err(), "{refused:?}");
    });
    assert_eq!(inbox_after_an_honest_message(&a, &b), [] as [Value; 0]);
}

#[test]
fn what_a_message_says_about_its_host_is_ignored() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let (a, b) = two(&nats);
    block(async {
        let rogue = Rogue::connect(&nats).await;
        rogue.publish("fugue.to.b.c", &item(ID, "b", "a/lead")).await.expect("its own subject");
    });
    let got = inbox_after_an_honest_message(&a, &b);
    assert_eq!(got[0]["from_session_name"], "c/a/lead", "{got:?}");
    assert_ne!(got[0]["from_session_id"], "019a0000-0000-7000-8000-0000000000aa");
}

#[test]
fn a_server_does_not_deliver_to_a_subject_of_another_host() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let (a, b) = two(&nats);
    block(async {
        let rogue = Rogue::connect(&nats).await;
        // It sends itself a message, and has the server pass it on under another name.
        rogue.publish("fugue.to.c.c", &item(ID, "b", "lead")).await.expect("its own subject");
        let consumer = push::Config {
            durable_name: Some("to-c".into()),
            filter_subject: "fugue.to.c.*".into(),
            deliver_subject: "fugue.to.b.a".into(),
            ..push::Config::default()
        };
        let refused = rogue.jetstream.create_consumer_on_stream(consumer, STREAM).await;
        assert!(refused.is_err(), "{refused:?}");
        let consumer = pull::Config {
            durable_name: Some("to-c".into()),
            filter_subject: "fugue.to.c.*".into(),
            ..pull::Config::default()
        };
        rogue.jetstream.create_consumer_on_stream(consumer, STREAM).await.expect("its own consumer");
        let next = "$JS.API.CONSUMER.MSG.NEXT.FUGUE.to-c";
        let request = json!({ "batch": 1 }).to_string();
        rogue.client.publish_with_reply(next, "fugue.to.b.a", request.into()).await.expect("a request");
        let value = item(ID, "b", "lead").to_string();
        rogue.client.publish("$KV.fugue_hosts.c", value.into()).await.expect("its own entry");
        let get = "$JS.API.DIRECT.GET.KV_fugue_hosts.$KV.fugue_hosts.c";
        rogue.client.publish_with_reply(get, "fugue.to.b.a", "".into()).await.expect("a request");
        let get = "$JS.API.STREAM.MSG.GET.KV_fugue_hosts";
        let last = json!({ "last_by_subj": "$KV.fugue_hosts.c" }).to_string();
        rogue.client.publish_with_reply(get, "fugue.to.b.a", last.into()).await.expect("a request");
        rogue.client.flush().await.expect("sent");
    });
    assert_eq!(inbox_after_an_honest_message(&a, &b), [] as [Value; 0]);
}

#[test]
fn a_host_cannot_read_the_messages_of_another() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let (a, b) = two(&nats);
    // Only a host that has joined gets messages.
    await_presence(&a, 2);
    b.kill_relay();
    let message = a.send("b/work", r#"{"secret":1}"#);
    a.await_state(&message, "relayed");
    block(async {
        let rogue = Rogue::connect(&nats).await;
        for (name, filter) in
            [("to-b", "fugue.to.b.*"), ("to-c", "fugue.to.b.*"), ("to-c", "fugue.to.*.*"), ("spy", "")]
        {
            let consumer = pull::Config {
                durable_name: Some(name.into()),
                filter_subject: filter.into(),
                deliver_policy: DeliverPolicy::All,
                ..pull::Config::default()
            };
            let refused = rogue.jetstream.create_consumer_on_stream(consumer, STREAM).await;
            assert!(refused.is_err(), "{name} {filter}: {refused:?}");
        }
        let mut spied = rogue.client.subscribe("fugue.to.b.>").await.expect("a request");
        let mut replies = rogue.client.subscribe("_INBOX_b.>").await.expect("a request");
        let next = rogue.client.request("$JS.API.CONSUMER.MSG.NEXT.FUGUE.to-b", "1".into());
        let next = tokio::time::timeout(Duration::from_secs(1), next).await;
        assert!(!matches!(next, Ok(Ok(_))), "{next:?}");
        let overheard = tokio::time::timeout(Duration::from_secs(1), async {
            tokio::select! { got = spied.next() => got, got = replies.next() => got }
        });
        assert!(!matches!(overheard.await, Ok(Some(_))));
    });
    b.start_relay();
    assert_eq!(b.poll("work")["messages"][0]["message_id"], json!(message));
}

#[test]
fn a_host_cannot_forge_receipts_of_messages_to_another() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let (a, b) = two(&nats);
    await_presence(&a, 2);
    b.kill_relay();
    let message = a.send("b/work", "{}");
    a.await_state(&message, "relayed");
    block(async {
        let rogue = Rogue::connect(&nats).await;
        let receipt = json!({ "receipts": [{ "host": "a", "message_id": message, "state": "read" }] });
        rogue.publish("fugue.to.a.c", &receipt).await.expect("its own subject");
        // A message of its own arrives after the receipt.
        rogue.publish("fugue.to.a.c", &item(ID, "a", "x")).await.expect("its own subject");
    });
    assert_eq!(a.poll("work")["messages"][0]["message_id"], ID);
    assert_eq!(a.state(&message), "relayed");
}

#[test]
fn a_host_that_floods_is_refused_and_others_are_not() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let b = Host::new("b", &nats, "messages_per_minute_per_host = 10");
    let a = Host::new("a", &nats, "");
    a.set_up(&nats, 1);
    a.start_relay();
    b.start_relay();
    block(async {
        let rogue = Rogue::connect(&nats).await;
        for number in 0..50 {
            let id = format!("019a0000-0000-7000-8000-0000000001{number:02}");
            rogue.publish("fugue.to.b.c", &item(&id, "b", "x")).await.expect("its own subject");
        }
    });
    let flood = inbox_after_an_honest_message(&a, &b);
    // The bucket fills up again by one every six seconds.
    assert!((10..25).contains(&flood.len()), "{}", flood.len());
}

#[test]
fn a_host_tells_only_of_its_own_sessions_that_got_a_message_for_all() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let (a, b) = two(&nats);
    await_presence(&a, 2);
    b.server.ok(&["set-tags", "-s", "work", "--add", "worker"]);
    let sent = a.server.json(&["send-orchestration", "--tag", "worker", "--all-hosts", "note", "{}"]);
    let message = sent["message_id"].as_str().expect("an id").to_owned();
    a.await_receipts(&message, &["b/work relayed"]);
    block(async {
        let rogue = Rogue::connect(&nats).await;
        // Host `c` was not there when the message was sent, and speaks of its own sessions and of another's.
        for session in ["mine", "b/work"] {
            let receipt = json!({ "host": "a", "message_id": message, "session": session, "state": "read" });
            rogue.publish("fugue.to.a.c", &json!({ "receipts": [receipt] })).await.expect("its own subject");
        }
        rogue.publish("fugue.to.a.c", &item(ID, "a", "x")).await.expect("its own subject");
    });
    assert_eq!(a.poll("work")["messages"][0]["message_id"], ID);
    a.await_receipts(&message, &["b/work relayed"]);
}

#[test]
fn a_message_that_arrives_again_is_not_refused_for_the_rate_limit() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let b = Host::new("b", &nats, "messages_per_minute_per_host = 1");
    b.set_up(&nats, 1);
    b.start_relay();
    block(async {
        let c = Rogue::connect(&nats).await;
        c.publish("fugue.to.b.c", &item(ID, "b", "lead")).await.expect("its own subject");
        // As if the acknowledgment of the first one had got lost; then a new one, which is one too many.
        c.publish("fugue.to.b.c", &item(ID, "b", "lead")).await.expect("its own subject");
        let other = "019a0000-0000-7000-8000-000000000002";
        c.publish("fugue.to.b.c", &item(other, "b", "lead")).await.expect("its own subject");
    });
    b.await_log("refused 1 messages from host `c`, which exceeded its rate limit");
    let page = b.poll("work");
    let ids: Vec<_> = page["messages"].as_array().into_iter().flatten().map(|it| &it["message_id"]).collect();
    assert_eq!(ids, [&json!(ID)]);
}
