//! Messages among three hosts while servers, daemons and relays are killed and the network is cut: none is lost, none
//! arrives twice, the order of each sender and recipient is kept, and the receipts are true.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use fugue_client::CallError;
use fugue_protocol::agent_messages::{DeliveryState, FleetGroup, Target};
use fugue_protocol::verbs::{MessageStatus, PollMessages};
use fugue_protocol::{MessageId, SessionRef};
use fugue_testkit::{PATIENCE, Random, RepeatingCaller, keyed_message};
use serde_json::json;

use crate::hosts::{Host, await_presence};
use crate::nats::Nats;
use crate::soak_faults::{self, FaultCounts, SoakHost};

/// The size of a run.
pub(crate) struct Plan {
    pub(crate) servers: usize,
    pub(crate) hosts: usize,
    /// Messages from each host to each other one.
    pub(crate) messages: usize,
    /// Whether each message is for a group on all hosts, instead of one for each other host.
    pub(crate) groups: bool,
    pub(crate) faults: usize,
    pub(crate) seed: u64,
}

#[derive(Default)]
struct Counts {
    sent: AtomicUsize,
    got: AtomicUsize,
    refused: AtomicUsize,
    repeated: AtomicUsize,
    over: AtomicBool,
}

/// A message by the host that sent it and its number there.
type Received = Vec<(usize, usize, MessageId)>;

/// Runs the plan and returns its summary.
pub(crate) fn soak(plan: &Plan) -> String {
    let names: Vec<_> = (0..plan.hosts).map(|host| format!("h{host}")).collect();
    let known: Vec<_> = names.iter().map(String::as_str).collect();
    let mut nats = Nats::start(plan.servers, &known);
    let limit = "messages_per_minute_per_host = 1000000";
    let soak_hosts: Vec<_> = names.iter().map(|name| SoakHost::new(name, &nats, limit)).collect();
    let hosts: Vec<_> = soak_hosts.iter().map(|host| &host.host).collect();
    hosts[0].set_up(&nats, plan.servers);
    hosts.iter().for_each(|host| host.start_relay());
    if plan.groups {
        hosts.iter().for_each(|host| drop(host.server.ok(&["set-tags", "-s", "work", "--add", "worker"])));
        await_presence(hosts[0], plan.hosts);
    }
    let (counts, start) = (Counts::default(), Instant::now());
    let per_host = plan.messages * plan.senders(0).count();
    let (sent, got, faults) = std::thread::scope(|scope| {
        let (hosts, counts) = (&hosts[..], &counts);
        let receivers: Vec<_> =
            hosts.iter().map(|host| scope.spawn(move || receive(host, per_host, counts))).collect();
        let senders: Vec<_> =
            (0..plan.hosts).map(|own| scope.spawn(move || send(hosts, own, plan, counts))).collect();
        let faults = scope.spawn(|| inject(&mut nats, &soak_hosts, plan, counts));
        let sent: Vec<_> = senders.into_iter().map(ScopedJoinHandle::join).collect();
        let got: Vec<_> = receivers.into_iter().map(ScopedJoinHandle::join).collect();
        counts.over.store(true, Ordering::Release);
        let faults = faults.join().expect("the faults");
        let sent: Vec<_> = sent.into_iter().map(|sent| sent.expect("a sender")).collect();
        (sent, got.into_iter().map(|got| got.expect("a receiver")).collect::<Vec<_>>(), faults)
    });
    check(&got, plan);
    let took = start.elapsed();
    let known: usize = sent.iter().zip(&hosts).map(|(sent, host)| check_receipts(host, sent)).sum();
    let total = plan.total();
    format!(
        "{} hosts, {} NATS servers, {total} messages, {} faults in {:.1} s: none lost, none twice, all in order, all {known} known receipts `read`\n\
         {faults}; {} sends repeated under their key, {} refused for now because an outbox or inbox was full",
        plan.hosts,
        plan.servers,
        faults.total(),
        took.as_secs_f64(),
        counts.repeated.into_inner(),
        counts.refused.into_inner(),
    )
}

impl Plan {
    /// The hosts whose messages a host receives. A message for a group also reaches the host that sends it.
    fn senders(&self, host: usize) -> impl Iterator<Item = usize> {
        let groups = self.groups;
        (0..self.hosts).filter(move |from| groups || *from != host)
    }

    /// The number of messages that arrive.
    fn total(&self) -> usize {
        self.messages * (0..self.hosts).map(|host| self.senders(host).count()).sum::<usize>()
    }
}

fn send(hosts: &[&Host], own: usize, plan: &Plan, counts: &Counts) -> Vec<MessageId> {
    let mut caller = RepeatingCaller::person(&hosts[own].server);
    let mut sent = Vec::new();
    for number in 0..plan.messages {
        if plan.groups {
            let target = Target::OnAllHosts(FleetGroup::Tagged("worker".parse().expect("a tag")));
            let payload = json!({ "from": own, "number": number });
            let message = keyed_message(target, &format!("all-{number}"), payload);
            sent.push(accepted(&mut caller, &message, counts));
            continue;
        }
        for other in hosts.iter().filter(|other| other.name != hosts[own].name) {
            let target = Target::Session(SessionRef::Name(format!("{}/work", other.name)));
            let key = format!("{}-{number}", other.name);
            let message = keyed_message(target, &key, json!({ "from": own, "number": number }));
            sent.push(accepted(&mut caller, &message, counts));
            counts.sent.fetch_add(1, Ordering::Relaxed);
        }
    }
    sent
}

/// Repeats a send until it is accepted.
fn accepted(
    caller: &mut RepeatingCaller<'_>,
    message: &fugue_protocol::verbs::SendOrchestration,
    counts: &Counts,
) -> MessageId {
    loop {
        match caller.call(message) {
            Ok(sent) => {
                counts.repeated.fetch_add(usize::from(sent.duplicate), Ordering::Relaxed);
                return sent.message_id;
            }
            Err(CallError::Refused(refused)) if refused.code.ends_with("_full") => {
                counts.refused.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Reads and acknowledges until everything has arrived.
fn receive(host: &Host, expected: usize, counts: &Counts) -> Received {
    let mut caller = RepeatingCaller::person(&host.server);
    let (mut got, mut acknowledge) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    let mut last = Instant::now();
    while got.len() < expected || !acknowledge.is_empty() {
        let Ok(session) = "work".parse();
        let wait_ms = if got.len() < expected { 1_000 } else { 0 };
        let poll = PollMessages {
            session: Some(session),
            acknowledge,
            limit: 200,
            wait_ms,
            ..PollMessages::default()
        };
        let page = caller.call(&poll).unwrap_or_else(|error| panic!("{error}"));
        if !page.messages.is_empty() {
            last = Instant::now();
        }
        assert!(
            last.elapsed() < PATIENCE * 2,
            "{}: {} of {expected}\n{}",
            host.name,
            got.len(),
            host.relay_log()
        );
        acknowledge = page.messages.iter().map(|message| message.message_id).collect();
        for message in page.messages.into_iter().filter(|message| seen.insert(message.message_id)) {
            let payload = serde_json::to_value(&message.payload).expect("a payload");
            let number = |name: &str| {
                let number = payload[name].as_u64().unwrap_or_else(|| panic!("{}: {message:?}", host.name));
                usize::try_from(number).expect("a small number")
            };
            got.push((number("from"), number("number"), message.message_id));
            counts.got.fetch_add(1, Ordering::Relaxed);
        }
    }
    got
}

/// Causes faults, spread over the messages.
fn inject(nats: &mut Nats, hosts: &[SoakHost], plan: &Plan, counts: &Counts) -> FaultCounts {
    let (mut random, mut faults) = (Random(plan.seed), FaultCounts::default());
    for fault in 0..plan.faults {
        let due = plan.total() * (fault + 1) / (plan.faults + 1);
        while counts.got.load(Ordering::Relaxed) < due && !counts.over.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(5));
        }
        // Once everything has arrived or a receiver has given up, the logs should show what was before.
        if counts.over.load(Ordering::Acquire) {
            break;
        }
        soak_faults::cause(&mut random, nats, hosts, &mut faults);
    }
    faults
}

/// Checks that every message arrived once, and in order.
fn check(got: &[Received], plan: &Plan) {
    for (host, received) in got.iter().enumerate() {
        let mut by_sender = BTreeMap::<usize, Vec<usize>>::new();
        received.iter().for_each(|(from, number, _)| by_sender.entry(*from).or_default().push(*number));
        for from in plan.senders(host) {
            let expected: Vec<_> = (0..plan.messages).collect();
            assert_eq!(by_sender.get(&from), Some(&expected), "from {from} to {host}");
        }
    }
}

/// Waits until the sender knows that every message was read. Returns how many it still knew: of many, the oldest are
/// forgotten once they are settled.
fn check_receipts(host: &Host, sent: &[MessageId]) -> usize {
    let mut caller = RepeatingCaller::person(&host.server);
    let (mut known, start) = (0, Instant::now());
    for message_id in sent.iter().rev() {
        loop {
            let report = match caller.call(&MessageStatus { message_id: *message_id }) {
                Ok(report) => report,
                Err(CallError::Refused(refused)) if refused.code == "message_not_found" => break,
                Err(error) => panic!("{error}"),
            };
            known += usize::from(report.receipts.iter().all(|receipt| receipt.state == DeliveryState::Read));
            if report.receipts.iter().all(|receipt| receipt.state == DeliveryState::Read) {
                break;
            }
            assert!(start.elapsed() < PATIENCE * 2, "{report:?}\n{}", host.relay_log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    assert!(known > 0, "{}: no message is known", host.name);
    known
}

#[test]
fn messages_among_three_hosts_survive_kills_and_cuts() {
    let plan = Plan { servers: 1, hosts: 3, messages: 50, groups: false, faults: 6, seed: 1 };
    eprintln!("{}", soak(&plan));
}

#[test]
fn messages_for_all_hosts_survive_kills_and_cuts() {
    // As many broadcasts as a sender may send at once.
    let messages = fugue_protocol::limits::BROADCASTS;
    let plan = Plan { servers: 1, hosts: 3, messages, groups: true, faults: 6, seed: 2 };
    eprintln!("{}", soak(&plan));
}

#[test]
#[ignore = "takes many minutes; run it with FUGUE_FLEET_MESSAGES and FUGUE_FLEET_FAULTS"]
fn many_messages_among_three_hosts_and_three_servers_survive_many_faults() {
    let number = |name: &str, default: usize| {
        std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
    };
    let messages = number("FUGUE_FLEET_MESSAGES", 20_000);
    let plan = Plan {
        servers: 3,
        hosts: 3,
        messages: messages.div_ceil(6),
        groups: false,
        faults: number("FUGUE_FLEET_FAULTS", 100),
        seed: number("FUGUE_FLEET_SEED", 7) as u64,
    };
    eprintln!("{}", soak(&plan));
}
