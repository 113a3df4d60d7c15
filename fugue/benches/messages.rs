//! Durable sends per second, by one sender and by many, and the latency from a send to a waiting receiver. The time that
//! the disk takes to sync a page is printed first: no send can be faster.
//!
//! `cargo bench -p fugue --bench messages`

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/messages/soak.rs"]
mod soak;

use std::fs::File;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use fugue_client::{Connection, ServerFrame};
use fugue_protocol::messages::{PaneClaim, PaneKey, Role};
use fugue_protocol::verbs::PollMessages;
use fugue_testkit::{RepeatingCaller, TestServer};
use serde_json::json;
use soak::{Plan, message, soak};

/// Messages from one sender to one waiting receiver.
const ONE_BY_ONE: usize = 2_000;

/// Messages of all senders together.
const MANY: usize = 20_000;

/// Messages of each sender that does not wait for answers: fewer than an inbox holds of one sender.
const PIPELINED: usize = 500;

fn main() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let (mut whole, mut acknowledged) = latencies(&server);
    println!("syncing a page to this disk     {}", spread(&mut syncs(&server.state_dir())));
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
    for senders in [1, 20] {
        println!("{senders:>2} pipelined senders: {:>6.0} messages/s stored", pipelined(senders));
    }
}

/// The times that the disk takes to sync a page that was appended to a file.
fn syncs(directory: &Path) -> Vec<Duration> {
    let mut file = File::create(directory.join("bench")).expect("a file");
    let times = (0..500).map(|_| {
        let start = Instant::now();
        file.write_all(&[1; 4096]).and_then(|()| file.sync_data()).expect("written");
        start.elapsed()
    });
    times.collect()
}

/// Messages per second of senders that send all of theirs before they read the first answer.
fn pipelined(senders: usize) -> f64 {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let connections: Vec<_> = (0..senders)
        .map(|number| {
            server.session(&format!("to{number}"), &["cat"]);
            let pane = server.session(&format!("from{number}"), &["cat"]);
            let key = Some(PaneKey(server.pane_key(&pane)));
            let socket = UnixStream::connect(server.socket()).expect("the daemon listens");
            Connection::new(socket, Role::Command, Some(PaneClaim { pane, key })).expect("a connection")
        })
        .collect();
    let start = Instant::now();
    std::thread::scope(|scope| {
        for (number, connection) in connections.into_iter().enumerate() {
            scope.spawn(move || send_all(connection, &format!("to{number}")));
        }
    });
    (senders * PIPELINED) as f64 / start.elapsed().as_secs_f64()
}

fn send_all(mut connection: Connection, to: &str) {
    let text = "x".repeat(88);
    for number in 0..PIPELINED {
        connection.send(&message(to, format!("k{number}"), json!({ "text": text }))).expect("sent");
    }
    let mut answers = 0;
    while answers < PIPELINED {
        if let ServerFrame::Answer(_, answer) = connection.next_frame().expect("a frame") {
            answer.expect("sent");
            answers += 1;
        }
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
