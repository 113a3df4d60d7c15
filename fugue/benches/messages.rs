//! Durable sends per second, by one sender and by many, and the latency from a send to a waiting receiver.
//!
//! `cargo bench -p fugue --bench messages`

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/messages/soak.rs"]
mod soak;

use std::time::{Duration, Instant};

use fugue_protocol::verbs::PollMessages;
use fugue_testkit::{RepeatingCaller, TestServer};
use serde_json::json;
use soak::{Plan, message, soak};

/// Messages from one sender to one waiting receiver.
const ONE_BY_ONE: usize = 2_000;

/// Messages of all senders together.
const MANY: usize = 20_000;

fn main() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let (mut whole, mut acknowledged) = latencies(&server);
    println!("one sender, one waiting receiver, {ONE_BY_ONE} messages of 100 bytes, each stored on disk:");
    println!("  send to its acknowledgement  {}", spread(&mut acknowledged));
    println!("  send to the waiting receiver {}", spread(&mut whole));
    for senders in [1, 4, 20] {
        let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
        let messages = if senders == 1 { MANY / 5 } else { MANY };
        let seen = soak(&server, Plan { senders, receivers: senders, messages, kills: 0 });
        let rate = seen.received as f64 / seen.took.as_secs_f64();
        println!(
            "{senders:>2} senders, {senders:>2} receivers: {rate:>6.0} messages/s sent, read and acknowledged; daemon {} KiB",
            seen.memory
        );
    }
}

/// The times from the send to the waiting receiver, and to the acknowledgment for the sender.
fn latencies(server: &TestServer) -> (Vec<Duration>, Vec<Duration>) {
    let (from, to) = (server.session("from", &["cat"]), server.session("to", &["cat"]));
    let text = "x".repeat(88);
    let (arrived, arrivals) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut reader, mut acknowledge) = (RepeatingCaller::new(server, &to), Vec::new());
            for _ in 0..ONE_BY_ONE {
                let poll = PollMessages { acknowledge, wait_ms: 60_000, ..Default::default() };
                let page = reader.call(&poll).expect("a message");
                arrived.send(Instant::now()).expect("the channel is open");
                acknowledge = page.messages.iter().map(|message| message.message_id).collect();
            }
        });
        let mut sender = RepeatingCaller::new(server, &from);
        let (mut whole, mut acknowledged) = (Vec::new(), Vec::new());
        for number in 0..ONE_BY_ONE {
            let start = Instant::now();
            sender.call(&message("to", format!("k{number}"), json!({ "text": text }))).expect("sent");
            acknowledged.push(start.elapsed());
            whole.push(arrivals.recv().expect("it arrives").duration_since(start));
        }
        (whole, acknowledged)
    })
}

fn spread(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_micros();
    format!("p50 {:>6} µs  p99 {:>6} µs  most {:>6} µs", at(0.5), at(0.99), at(1.0))
}
