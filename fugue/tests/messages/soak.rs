//! Senders and receivers while the daemon is killed again and again: acknowledged messages arrive once, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fugue_client::CallError;
use fugue_protocol::MessageId;
use fugue_protocol::agent_messages::Target;
use fugue_protocol::verbs::{PollMessages, SendOrchestration};
use fugue_testkit::{RepeatingCaller, TestServer, keyed_message, signal};
use serde_json::json;

/// The size of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub senders: usize,
    pub receivers: usize,
    /// Messages in total.
    pub messages: usize,
    /// Kills of the daemon, spread evenly over the messages.
    pub kills: usize,
}

/// The result of a run.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub acknowledged: usize,
    pub received: usize,
    /// Messages delivered more than once, recognized by their id.
    pub again: usize,
    /// Sends that were refused because an inbox was full, and retried.
    pub refused: usize,
    /// Sends repeated with the same key because the reply was lost, and reported as duplicates.
    pub duplicates: usize,
    pub kills: usize,
    pub took: Duration,
    /// The daemon's memory at the end, in KiB.
    pub memory: u64,
}

/// A message for a session.
pub(crate) fn message(to: &str, key: String, payload: serde_json::Value) -> SendOrchestration {
    let Ok(session) = to.parse();
    keyed_message(Target::Session(session), &key, payload)
}

/// Counters shared by all threads.
#[derive(Default)]
struct Counts {
    acknowledged: AtomicUsize,
    refused: AtomicUsize,
    duplicates: AtomicUsize,
    again: AtomicUsize,
    sent: AtomicBool,
}

/// Runs the plan and checks the guarantees.
pub(crate) fn soak(server: &TestServer, plan: Plan) -> Seen {
    let panes = |kind: &str, count: usize| -> Vec<String> {
        (0..count).map(|number| server.session(&format!("{kind}{number}"), &["cat"])).collect()
    };
    let (senders, receivers) = (panes("sender", plan.senders), panes("receiver", plan.receivers));
    let counts = Counts::default();
    let start = Instant::now();
    let (got, kills) = std::thread::scope(|scope| {
        let readers: Vec<_> =
            receivers.iter().map(|pane| scope.spawn(|| receive(server, pane, &counts))).collect();
        let killer = scope.spawn(|| kill(server, plan, &counts));
        let writers: Vec<_> = senders
            .iter()
            .enumerate()
            .map(|(number, pane)| {
                let counts = &counts;
                scope.spawn(move || send(server, pane, number, plan, counts))
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().expect("a sender"));
        counts.sent.store(true, Ordering::Release);
        let got: Vec<_> = readers.into_iter().map(|reader| reader.join().expect("a receiver")).collect();
        (got, killer.join().expect("the killer"))
    });
    check(plan, &got);
    Seen {
        acknowledged: counts.acknowledged.into_inner(),
        received: got.iter().map(Vec::len).sum(),
        again: counts.again.into_inner(),
        refused: counts.refused.into_inner(),
        duplicates: counts.duplicates.into_inner(),
        kills,
        took: start.elapsed(),
        memory: fugue_testkit::memory(server.daemon_pid()),
    }
}

/// How many messages a sender sends.
fn share(plan: Plan, sender: usize) -> usize {
    plan.messages / plan.senders + usize::from(sender < plan.messages % plan.senders)
}

/// Sends to every receiver in turn; unacknowledged messages are sent again with the same key.
fn send(server: &TestServer, pane: &str, sender: usize, plan: Plan, counts: &Counts) {
    let mut agent = RepeatingCaller::new(server, pane);
    for number in 0..share(plan, sender) {
        let to = format!("receiver{}", (sender + number) % plan.receivers);
        let letter =
            message(&to, format!("{sender}-{number}"), json!({ "sender": sender, "number": number }));
        loop {
            match agent.call(&letter) {
                Ok(sent) => {
                    counts.duplicates.fetch_add(usize::from(sent.duplicate), Ordering::Relaxed);
                    counts.acknowledged.fetch_add(1, Ordering::Relaxed);
                    break;
                }
                Err(CallError::Refused(refused)) if refused.code == "inbox_full" => {
                    counts.refused.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

type Got = (usize, usize);

/// Reads and acknowledges until everything is sent and the inbox is empty; duplicates are recognized by their id.
fn receive(server: &TestServer, pane: &str, counts: &Counts) -> Vec<Got> {
    let mut agent = RepeatingCaller::new(server, pane);
    let (mut ids, mut got, mut acknowledge) = (BTreeSet::<MessageId>::new(), Vec::new(), Vec::new());
    loop {
        let over = counts.sent.load(Ordering::Acquire);
        let poll = PollMessages { acknowledge, limit: 200, wait_ms: 200, ..Default::default() };
        let page = agent.call(&poll).expect("a page");
        if page.messages.is_empty() && over {
            return got;
        }
        acknowledge = page.messages.iter().map(|message| message.message_id).collect();
        for message in page.messages {
            let payload = serde_json::json!(message.payload.expect("a payload"));
            let field = |name: &str| payload[name].as_u64().expect("a number") as usize;
            if ids.insert(message.message_id) {
                got.push((field("sender"), field("number")));
            } else {
                counts.again.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// Kills the daemon repeatedly while messages are being delivered.
fn kill(server: &TestServer, plan: Plan, counts: &Counts) -> usize {
    let mut kills = 0;
    while kills < plan.kills {
        let next = (kills + 1) * plan.messages / (plan.kills + 1);
        if counts.acknowledged.load(Ordering::Relaxed) >= next {
            signal("KILL", server.daemon_pid());
            kills += 1;
        } else {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    kills
}

/// Asserts that every message was received once, and those from one sender to one receiver in order.
fn check(plan: Plan, got: &[Vec<Got>]) {
    for (receiver, got) in got.iter().enumerate() {
        let mut by_sender: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        got.iter().for_each(|(sender, number)| by_sender.entry(*sender).or_default().push(*number));
        for sender in 0..plan.senders {
            let expected: Vec<_> = (0..share(plan, sender))
                .filter(|number| (sender + number) % plan.receivers == receiver)
                .collect();
            let received = by_sender.remove(&sender).unwrap_or_default();
            assert_eq!(received, expected, "from sender {sender} to receiver {receiver}");
        }
    }
}
