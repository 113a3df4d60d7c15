//! Leases that are valid on all hosts.

use std::process::{Command, Output};

use serde_json::Value;

use crate::hosts::{Host, two};
use crate::nats::Nats;

fn claim(name: &str) -> Vec<&str> {
    vec!["claim", name, "--ttl-ms", "60000", "--json"]
}

fn parsed(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[track_caller]
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn run(mut command: Command) -> Output {
    command.output().expect("the program runs")
}

#[test]
fn a_lease_has_one_holder_on_all_hosts_and_passes_on_with_a_greater_fence() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = two(&nats);
    let (lead, other) = (a.server.session("lead", &["cat"]), b.server.session("other", &["cat"]));
    let first = parsed(&run(a.fleet_for(&lead, &claim("staging"))));
    assert_eq!(first["session_name"], "a/lead");
    let why = refused(&run(b.fleet_for(&other, &claim("staging"))));
    let fence = first["fence"].as_u64().expect("a fence");
    assert!(
        why.starts_with(&format!("fugue fleet: Lease `staging` is held by `a/lead` (fence {fence})\nhint: ")),
        "{why}"
    );
    let again = parsed(&run(a.fleet_for(&lead, &claim("staging"))));
    assert_eq!((&again["renewed"], &again["fence"]), (&true.into(), &first["fence"]));
    let why = refused(&run(b.fleet_for(&other, &["release", "staging"])));
    assert!(why.contains("Cannot release lease `staging`: it is held by `a/lead`\n"), "{why}");
    let listed = parsed(&run(b.fleet(&["leases", "--json"])));
    assert_eq!(listed["leases"][0]["session_name"], "a/lead");
    assert!(run(a.fleet_for(&lead, &["release", "staging"])).status.success());
    let next = parsed(&run(b.fleet_for(&other, &claim("staging"))));
    assert!(next["fence"].as_u64() > Some(fence), "{next}");
    let why = refused(&run(a.fleet_for(&lead, &["release", "staging", "--fence", &fence.to_string()])));
    assert!(why.contains("it is held by `b/other`"), "{why}");
}

#[test]
fn of_hosts_that_claim_a_lease_at_once_one_gets_it() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = two(&nats);
    for round in 0..5 {
        let name = format!("task-{round}");
        let outputs: Vec<_> = std::thread::scope(|scope| {
            let claims: Vec<_> = [&a, &b, &a, &b]
                .into_iter()
                .map(|host| scope.spawn(|| run(host.fleet(&claim(&name)))))
                .collect();
            claims.into_iter().map(|claim| claim.join().expect("a claim")).collect()
        });
        let won = outputs.iter().filter(|output| output.status.success()).count();
        assert_eq!(won, 1, "{outputs:?}");
    }
}

#[test]
fn a_lease_that_expires_or_is_released_goes_to_who_waits() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = two(&nats);
    let first = parsed(&run(a.fleet(&["claim", "gpu", "--ttl-ms", "300", "--json"])));
    let next = parsed(&run(b.fleet(&["claim", "gpu", "--ttl-ms", "60000", "--wait-ms", "30000", "--json"])));
    assert!(next["fence"].as_u64() > first["fence"].as_u64(), "{next}");
    let wait = ["claim", "gpu", "--ttl-ms", "60000", "--wait-ms", "30000", "--json"];
    let waiting = a.fleet(&wait).stdout(std::process::Stdio::piped()).spawn().expect("a claim");
    assert!(run(b.fleet(&["release", "gpu"])).status.success());
    let last = parsed(&waiting.wait_with_output().expect("its end"));
    assert_eq!((&last["held"], &last["session_name"]), (&true.into(), &"a/(outside)".into()));
}

#[test]
fn a_holder_outside_any_pane_must_set_a_duration_and_renews_by_its_key() {
    let nats = Nats::start(1, &["a"]);
    let a = Host::new("a", &nats, "");
    a.set_up(&nats, 1);
    let why = refused(&run(a.fleet(&["claim", "x"])));
    assert_eq!(why, "fugue fleet: Invalid --ttl-ms: it is required outside any pane\n");
    let keyed = ["claim", "x", "--ttl-ms", "60000", "--idempotency-key", "mine", "--json"];
    let first = parsed(&run(a.fleet(&keyed)));
    let again = parsed(&run(a.fleet(&keyed)));
    assert_eq!((&again["renewed"], &again["fence"]), (&true.into(), &first["fence"]));
    let why = refused(&run(a.fleet(&claim("x"))));
    assert!(why.contains("Lease `x` is held by a user of host `a`"), "{why}");
}
