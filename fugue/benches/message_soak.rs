//! Messages while the daemon is killed repeatedly: every acknowledged message arrives once and in order.
//!
//! `cargo bench -p fugue --bench message_soak` runs it at full size; `-- MESSAGES KILLS SENDERS RECEIVERS` at another.

#[path = "../tests/messages/soak.rs"]
mod soak;

use fugue_testkit::TestServer;
use soak::{Plan, Seen, soak};

fn main() {
    // Cargo adds the flag `--bench`.
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let number = |at: usize, default: usize| numbers.get(at).copied().unwrap_or(default);
    let plan = Plan {
        messages: number(0, 100_000),
        kills: number(1, 50),
        senders: number(2, 20),
        receivers: number(3, 20),
    };
    println!("{plan:?}");
    let Seen { acknowledged, received, again, refused, duplicates, kills, took, memory } =
        soak(&TestServer::new(env!("CARGO_BIN_EXE_fugue")), plan);
    println!(
        "{acknowledged} sends acknowledged, {received} messages received, none lost, none duplicated, all in order"
    );
    println!(
        "{again} were delivered again and recognized by their id; {duplicates} sends were repeated and stored once"
    );
    println!("{refused} sends were refused by a full inbox and retried; {kills} kills");
    println!(
        "{:.1} s, {:.0} messages/s, daemon {memory} KiB",
        took.as_secs_f64(),
        received as f64 / took.as_secs_f64()
    );
}
