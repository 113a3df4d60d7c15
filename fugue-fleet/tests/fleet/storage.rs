//! The stream's storage: how much of it one host can use, and what everybody learns once it is full.

use std::time::Duration;

use async_nats::ConnectOptions;
use async_nats::jetstream::{self, stream};

use crate::hosts::{Host, await_presence, two};
use crate::nats::{Nats, block};

/// The items that the stream takes from one host for another.
const ITEMS_PER_PAIR: usize = 256;

async fn context(nats: &Nats, user: &str) -> jetstream::Context {
    let options = ConnectOptions::new()
        .custom_inbox_prefix(format!("_INBOX_{user}"))
        .user_and_password(user.into(), format!("secret-of-{user}"));
    let client = options.connect(nats.addresses(user).remove(0)).await.expect("a connection");
    jetstream::ContextBuilder::new().timeout(Duration::from_secs(5)).build(client)
}

#[test]
fn a_host_cannot_fill_the_stream_with_items_for_hosts_that_do_not_exist_or_are_away() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let (a, b) = two(&nats);
    await_presence(&a, 2);
    b.kill_relay();
    block(async {
        let rogue = context(&nats, "c").await;
        let invented = rogue.publish("fugue.to.nosuch.c", "{}".into()).await.expect("sent").await;
        assert!(invented.is_err(), "{invented:?}");
        for number in 0..=ITEMS_PER_PAIR {
            let stored = rogue.publish("fugue.to.b.c", "{}".into()).await.expect("sent").await;
            assert_eq!(stored.is_ok(), number < ITEMS_PER_PAIR, "{number}: {stored:?}");
        }
    });
    // The messages of others are stored, and arrive.
    let honest = a.send("b/work", "{}");
    a.await_state(&honest, "relayed");
    b.start_relay();
    assert_eq!(b.poll("work")["messages"][0]["message_id"].as_str(), Some(honest.as_str()));
}

#[test]
fn a_full_stream_is_named_and_an_administrator_can_free_it() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = (Host::new("a", &nats, ""), Host::new("b", &nats, ""));
    a.set_up_with(&nats.addresses("admin"), 1, &["--max-bytes", "1000000"]);
    a.start_relay();
    b.start_relay();
    await_presence(&a, 2);
    a.await_verdict("");
    b.kill_relay();
    let payload = format!("{{\"text\":\"{}\"}}", "x".repeat(100_000));
    (0..12).for_each(|_| drop(a.send("b/work", &payload)));
    a.await_verdict("maximum bytes exceeded");
    let (_, error) = a.verdict();
    assert!(error.contains("storage") && !error.contains("permissions"), "{error}");
    assert_eq!(a.status()["trouble"]["kind"], "store_full");
    let admin = nats.addresses("admin").remove(0);
    let forgot = a.fleet(&["forget", "b", "--servers", &admin]).output().expect("it runs");
    assert!(forgot.status.success(), "{}", String::from_utf8_lossy(&forgot.stderr));
    assert!(String::from_utf8_lossy(&forgot.stdout).starts_with("removed "), "{forgot:?}");
    let nobody = a.fleet(&["forget", "nobody", "--servers", &admin]).output().expect("it runs");
    assert!(nobody.status.success(), "{nobody:?}");
    let hosts = a.status_text();
    assert!(!hosts.contains("nobody") && !hosts.contains("away"), "what is forgotten is not listed: {hosts}");
}

#[test]
fn setup_gives_a_stream_of_an_older_version_the_limits() {
    let nats = Nats::start(1, &["a"]);
    let a = Host::new("a", &nats, "");
    let limits = block(async {
        let admin = context(&nats, "admin").await;
        let old = stream::Config {
            name: "FUGUE".into(),
            subjects: vec!["fugue.to.*.*".into()],
            retention: stream::RetentionPolicy::WorkQueue,
            discard: stream::DiscardPolicy::New,
            discard_new_per_subject: true,
            max_messages_per_subject: 10_000,
            deny_purge: true,
            ..stream::Config::default()
        };
        admin.create_stream(old).await.expect("a stream");
        a.set_up(&nats, 1);
        let mut stream = admin.get_stream("FUGUE").await.expect("the stream");
        let config = stream.info().await.expect("its description").config.clone();
        (config.max_bytes, config.max_messages, config.max_messages_per_subject)
    });
    assert_eq!(limits, (4 << 30, 1_000_000, ITEMS_PER_PAIR as i64));
}

#[test]
fn a_message_to_a_host_that_never_joined_is_dead_lettered() {
    let nats = Nats::start(1, &["a", "b"]);
    let a = Host::new("a", &nats, "");
    a.set_up(&nats, 1);
    a.start_relay();
    let (late, never) = (a.send("b/work", "{}"), a.send("nosuch/work", "{}"));
    // One that is being set up has a moment.
    let b = Host::new("b", &nats, "");
    b.start_relay();
    a.await_state(&late, "relayed");
    a.await_state(&never, "dead_lettered");
    let receipt = a.server.json(&["message-status", &never])["receipts"][0].clone();
    let reason = "host `nosuch` has never joined the fleet; `fugue fleet status` lists its hosts";
    assert_eq!(receipt["reason"], reason);
    // One that joined and is away keeps its messages.
    b.kill_relay();
    let kept = a.send("b/work", "{}");
    a.await_state(&kept, "relayed");
    a.await_verdict("");
}
