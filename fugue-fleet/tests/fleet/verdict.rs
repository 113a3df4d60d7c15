//! `fugue fleet status` succeeds only if messages are relayed, and otherwise names the reason.

use fugue_testkit::{signal, until};

use crate::hosts::{Host, await_presence, two};
use crate::nats::{Nats, NatsSecurity, account, user};

/// Users with other permissions than those in the documentation.
fn start(users: &str) -> Nats {
    Nats::start_with(1, &[], &NatsSecurity { accounts: Some(account(users)), ..NatsSecurity::default() })
}

#[test]
fn a_relay_that_works_has_made_a_round_trip() {
    let nats = Nats::start(1, &["a"]);
    let a = Host::new("a", &nats, "");
    a.set_up(&nats, 1);
    a.start_relay();
    a.await_verdict("");
    let status = a.status_text();
    assert!(status.contains("relay   connected, process ") && status.contains(", round trip "), "{status}");
    assert!(a.status()["relay"]["round_trip"]["outcome"]["Ok"].is_u64(), "{}", a.status());
    let shown = a.server.ok(&["server-status"]);
    assert!(shown.contains("a: relay connected"), "{shown}");
}

#[test]
fn an_account_without_jetstream_is_named() {
    let plain = "accounts { FLEET { users: [ { user: a, password: secret-of-a } ] } }\n";
    let security = NatsSecurity { accounts: Some(plain.into()), ..NatsSecurity::default() };
    let nats = Nats::start_with(1, &[], &security);
    let a = Host::new("a", &nats, "");
    a.start_relay();
    a.await_verdict("etStream not enabled for account");
    assert!(a.verdict().1.contains("enable JetStream for the account"), "{}", a.verdict().1);
    // While the relay connects again, the trouble is that it is not connected.
    until("the status names the missing JetStream", || a.status()["trouble"]["kind"] == "no_jetstream");
}

#[test]
fn a_stream_that_does_not_exist_is_named() {
    let nats = Nats::start(1, &["a"]);
    let a = Host::new("a", &nats, "");
    a.start_relay();
    a.await_verdict("stream not found");
    assert!(a.verdict().1.contains("`fugue fleet setup`"), "{}", a.verdict().1);
    // The daemon passes on what the relay last found.
    a.await_log("stream not found");
    let status = a.server.ok(&["server-status"]);
    assert!(status.contains("warning") && status.contains("stream not found"), "{status}");
    let doctor = a.server.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("stream not found"), "{doctor:?}");
    a.set_up(&nats, 1);
    a.await_verdict("");
}

#[test]
fn a_request_that_the_server_does_not_permit_is_named() {
    let users = user("a", "user: a, password: secret-of-a", &[]);
    let nats = start(&users);
    let a = Host::new("a", &nats, "");
    a.set_up(&nats, 1);
    a.start_relay();
    a.await_verdict("\"fugue.to.a.a\"");
    assert_eq!(a.status()["trouble"]["kind"], "not_permitted");
}

#[test]
fn a_host_to_which_nothing_may_be_published_is_named() {
    let users = user("a", "user: a, password: secret-of-a", &["a"])
        + &user("b", "user: b, password: secret-of-b", &["a", "b"]);
    let nats = start(&users);
    let (a, _b) = two(&nats);
    await_presence(&a, 2);
    a.await_verdict("");
    a.send("b/work", "{}");
    a.await_verdict("Items for host `b` cannot be relayed");
}

#[test]
fn a_relay_that_does_not_respond_is_named() {
    let nats = Nats::start(1, &["a"]);
    let a = Host::new("a", &nats, "");
    a.set_up(&nats, 1);
    a.start_relay();
    a.await_verdict("");
    signal("STOP", a.relay_pid());
    a.await_verdict("is stopped\nhint: run `kill -CONT");
    signal("CONT", a.relay_pid());
    a.await_verdict("");
    a.kill_relay();
    assert_eq!(a.verdict().0, 1);
    let doctor = a.server.run(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("The relay is not running"), "{doctor:?}");
}
