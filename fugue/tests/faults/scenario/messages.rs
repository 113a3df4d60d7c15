//! Senders with idempotency keys, and receivers that poll and acknowledge: each message once for each recipient.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fugue_client::CallError;
use fugue_protocol::MessageId;
use fugue_protocol::agent_messages::Target;
use fugue_protocol::verbs::PollMessages;
use fugue_testkit::{RepeatingCaller, TestServer, keyed_message};
use serde_json::json;

use super::tally::Tally;
use super::{Stage, pause};

const SENDERS: usize = 3;
const RECEIVERS: usize = 2;

/// The tag that all receivers have.
const TAG: &str = "receivers";

/// The panes.
pub(super) struct Panes {
    senders: Vec<String>,
    receivers: Vec<String>,
}

/// The sender of a message, and its number.
type Label = (usize, usize);

pub(super) fn start(server: &TestServer) -> Panes {
    let start = |kind: &str, count: usize| {
        (0..count).map(|number| server.session(&format!("{kind}-{number}"), &["cat"])).collect()
    };
    let panes = Panes { senders: start("sender", SENDERS), receivers: start("receiver", RECEIVERS) };
    for number in 0..RECEIVERS {
        server.ok(&["set-tags", "-s", &format!("receiver-{number}"), "--add", TAG]);
    }
    panes
}

pub(super) fn run(stage: &Stage<'_>, panes: &Panes) -> Tally {
    let sent_all = AtomicBool::new(false);
    let (sent, received) = std::thread::scope(|scope| {
        let sent_all = &sent_all;
        let senders = panes.senders.iter().enumerate();
        let senders: Vec<_> =
            senders.map(|(number, pane)| scope.spawn(move || send(stage, number, pane))).collect();
        let receivers = panes.receivers.iter();
        let receivers: Vec<_> =
            receivers.map(|pane| scope.spawn(move || receive(stage, pane, sent_all))).collect();
        let sent: Vec<_> = senders.into_iter().map(|sender| sender.join().expect("a sender")).collect();
        sent_all.store(true, Ordering::Release);
        let received: Vec<_> =
            receivers.into_iter().map(|receiver| receiver.join().expect("a receiver")).collect();
        (sent, received)
    });
    let mut tally = Tally::new("messages");
    for (number, received) in received.iter().enumerate() {
        compare(number, &sent, received, &mut tally);
    }
    tally.slowest = sent.iter().map(|sent| sent.slowest).max().unwrap_or_default();
    let again: usize = sent.iter().map(|sent| sent.again).sum();
    let count: usize = sent.iter().map(|sent| sent.recipients.len()).sum();
    let deliveries: usize = received.iter().map(|received| received.order.len()).sum();
    tally.counts = format!(
        "{count} sent by {SENDERS}, {again} of them again after a kill, {deliveries} received by {RECEIVERS}"
    );
    tally
}

/// The messages of one sender that were acknowledged.
#[derive(Default)]
struct SentLog {
    /// The recipient of each message; none stands for all.
    recipients: Vec<Option<usize>>,
    /// Sends that the daemon had stored before it was killed.
    again: usize,
    slowest: Duration,
}

fn send(stage: &Stage<'_>, sender: usize, pane: &str) -> SentLog {
    let mut random = stage.random(10 + sender as u64);
    let mut caller = RepeatingCaller::new(stage.server, pane);
    let (mut log, mut tally) = (SentLog::default(), Tally::default());
    while !stage.is_over() {
        let number = log.recipients.len();
        let recipient = (!number.is_multiple_of(5)).then_some(number % RECEIVERS);
        let message = keyed_message(
            target(recipient),
            &format!("{sender}-{number}"),
            json!({ "sender": sender, "number": number }),
        );
        match tally.timed(|| caller.call(&message)) {
            Ok(sent) => {
                log.again += usize::from(sent.duplicate);
                log.recipients.push(recipient);
            }
            // Sent again with the same key, when the receiver has read some.
            Err(CallError::Refused(refused)) if refused.code == "inbox_full" => {}
            Err(error) => panic!("{error}"),
        }
        pause(&mut random, 80);
    }
    log.slowest = tally.slowest;
    log
}

fn target(recipient: Option<usize>) -> Target {
    match recipient {
        None => Target::Tagged(TAG.parse().expect("a tag")),
        Some(number) => {
            let Ok(session) = format!("receiver-{number}").parse();
            Target::Session(session)
        }
    }
}

/// The messages of one receiver.
#[derive(Default)]
struct Inbox {
    order: Vec<Label>,
    ids: BTreeSet<MessageId>,
    /// Messages that came again after their acknowledgement was acknowledged.
    after_acknowledgement: Vec<Label>,
}

/// Reads and acknowledges until everything is sent and the inbox is empty.
fn receive(stage: &Stage<'_>, pane: &str, sent_all: &AtomicBool) -> Inbox {
    let mut caller = RepeatingCaller::new(stage.server, pane);
    let mut inbox = Inbox::default();
    let (mut acknowledge, mut acknowledged) = (Vec::new(), BTreeSet::new());
    loop {
        let is_over = sent_all.load(Ordering::Acquire);
        let poll = PollMessages { acknowledge, limit: 200, wait_ms: 200, ..Default::default() };
        let page = caller.call(&poll).expect("a page");
        acknowledged.extend(poll.acknowledge);
        if page.messages.is_empty() && is_over {
            return inbox;
        }
        acknowledge = page.messages.iter().map(|message| message.message_id).collect();
        for message in page.messages {
            let payload = serde_json::json!(message.payload.expect("a payload"));
            let field = |name: &str| payload[name].as_u64().expect("a number") as usize;
            let label = (field("sender"), field("number"));
            if acknowledged.contains(&message.message_id) {
                inbox.after_acknowledgement.push(label);
            }
            if inbox.ids.insert(message.message_id) {
                inbox.order.push(label);
            }
        }
    }
}

/// Checks that a receiver has every message for it once, and those of one sender in order.
fn compare(receiver: usize, sent: &[SentLog], inbox: &Inbox, tally: &mut Tally) {
    let mut received: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    inbox.order.iter().for_each(|(sender, number)| received.entry(*sender).or_default().push(*number));
    for (sender, log) in sent.iter().enumerate() {
        let numbers = received.remove(&sender).unwrap_or_default();
        let is_for = |recipient: Option<usize>| recipient.is_none_or(|number| number == receiver);
        let expected = log.recipients.iter().enumerate().filter(|(_, recipient)| is_for(**recipient));
        let expected: BTreeSet<_> = expected.map(|(number, _)| number).collect();
        let unique: BTreeSet<_> = numbers.iter().copied().collect();
        let place = || format!("from sender {sender} to receiver {receiver}");
        tally.lose(expected.difference(&unique).count(), place);
        tally.double(numbers.len() - unique.len(), place);
        unique.difference(&expected).for_each(|number| tally.mistake(|| format!("{number} {}", place())));
        if !numbers.is_sorted() {
            tally.mistake(|| format!("not in order {}", place()));
        }
    }
    let after = &inbox.after_acknowledgement;
    tally.double(after.len(), || format!("to receiver {receiver} after the acknowledgement: {after:?}"));
}
