//! Daemon and keeper are killed and stopped at random instants while everything is in use: nothing is lost, done twice or wrong. The
//! short form of the bench `faults`.

mod scenario;

use std::time::Duration;

use scenario::Plan;

#[test]
fn nothing_is_lost_when_daemon_and_keeper_are_killed_at_random_instants_under_load() {
    let duration = Duration::from_secs(16);
    let plan = Plan { seed: 1, duration, daemon_kills: 10, keeper_kills: 4, upgrades: 1, stops: 1 };
    let summary = scenario::run(env!("CARGO_BIN_EXE_fugue"), plan);
    println!("{summary}");
    assert_eq!(summary.differences(), (0, 0, 0), "{summary}");
}
