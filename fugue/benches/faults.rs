//! Daemon and keeper are killed, stopped and upgraded at random instants under output, verbs, messages and attached clients; at
//! the end everything is compared with models.
//!
//! `cargo bench -p fugue --bench faults` runs it for 30 minutes. `FUGUE_FAULTS_SECONDS`, `FUGUE_FAULTS_DAEMON_KILLS`,
//! `FUGUE_FAULTS_KEEPER_KILLS`, `FUGUE_FAULTS_UPGRADES`, `FUGUE_FAULTS_STOPS` and `FUGUE_FAULTS_SEED` change the size and the
//! seed. The relay is stopped as well, if `cargo build --release -p fugue-fleet` has put it beside `fugue`.

#[path = "../tests/faults/scenario/mod.rs"]
mod scenario;

use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use scenario::Plan;

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    let value = std::env::var(format!("FUGUE_FAULTS_{name}")).ok();
    value.map_or(default, |value| value.parse().expect("a whole number"))
}

fn count(name: &str, default: u64) -> usize {
    usize::try_from(number(name, default)).expect("a small number")
}

fn main() -> ExitCode {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let plan = Plan {
        seed: number("SEED", now),
        duration: Duration::from_secs(number("SECONDS", 1800)),
        daemon_kills: count("DAEMON_KILLS", 1000),
        keeper_kills: count("KEEPER_KILLS", 300),
        upgrades: count("UPGRADES", 50),
        stops: count("STOPS", 30),
    };
    println!("{plan:?}");
    let summary = scenario::run(env!("CARGO_BIN_EXE_fugue"), plan);
    println!("{summary}");
    if summary.differences() == (0, 0, 0) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
