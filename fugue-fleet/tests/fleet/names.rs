//! Two machines with the same `fleet.host`: one of them relays, and both report it.

use std::time::{Duration, Instant};

use fugue_testkit::until;

use crate::hosts::{Host, await_presence};
use crate::nats::Nats;

/// How long the lease on a name lasts after it was last renewed or contested.
const LEASE: Duration = Duration::from_secs(60);

#[test]
fn a_second_machine_with_the_name_of_a_host_is_refused_until_the_lease_of_the_first_has_expired() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let (first, second) = (Host::new("a", &nats, ""), Host::new("a", &nats, ""));
    let (b, c) = (Host::new("b", &nats, ""), Host::new("c", &nats, ""));
    first.set_up(&nats, 1);
    first.start_relay();
    b.start_relay();
    c.start_relay();
    await_presence(&b, 3);
    c.kill_relay();
    first.await_verdict("");
    second.start_relay();
    let taken = format!("(relay pid {}); this machine relays nothing until it stops", first.relay_pid());
    second.await_verdict(&taken);
    assert!(second.status_text().contains("relay   refused, process"), "{}", second.status_text());
    second.await_log("Host name `a` is used by machine");
    // The first one reports it, and relays as before.
    first.await_verdict(&format!("(relay pid {}) also uses the host name `a`", second.relay_pid()));
    first.await_log("also uses the host name `a`");
    for host in [&first, &second] {
        until("the daemon says so", || {
            host.server.ok(&["server-status"]).contains("the host name `a`")
                || host.server.ok(&["server-status"]).contains("Host name `a` is used by")
        });
    }
    let sent: Vec<_> = (0..20).map(|number| b.send("a/work", &format!("{{\"number\":{number}}}"))).collect();
    sent.iter().for_each(|message| b.await_state(message, "relayed"));
    let mut got = 0;
    while got < sent.len() {
        let page = first.poll("work");
        let ids: Vec<_> = page["messages"].as_array().into_iter().flatten().cloned().collect();
        got += ids.len();
        for message in ids {
            let id = message["message_id"].as_str().expect("an id").to_owned();
            first.server.ok(&["poll-messages", "-s", "work", "-n", "0", "--ack", &id]);
        }
    }
    let other = second.server.json(&["poll-messages", "-s", "work"]);
    assert_eq!(other["messages"].as_array().map(Vec::len), Some(0), "{other}");
    // A relay that is restarted gets its name back at once.
    first.kill_relay();
    first.start_relay();
    let last = b.send("a/work", "{}");
    assert_eq!(first.poll("work")["messages"][0]["message_id"].as_str(), Some(last.as_str()));
    // The second one gets it only once the lease has expired.
    first.kill_relay();
    let killed = Instant::now();
    second.await_verdict("");
    assert!(killed.elapsed() > LEASE / 2, "{:?}", killed.elapsed());
    // What is known of a host stays when it is away.
    let status = b.status_text();
    assert!(status.lines().any(|line| line.starts_with("away ") && line.ends_with(" c")), "{status}");
}
