//! A simulation of large fleets: light hosts, each with a connection, a consumer and an entry in the bucket of hosts, as
//! a relay has them, against a cluster of three real servers, and one real host among them. It runs only on request:
//! `cargo test -p fugue-fleet --release --test fleet -- --ignored --nocapture simulation`

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_nats::ConnectOptions;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::{self, Context};
use fugue_testkit::Random;
use futures_util::{StreamExt, TryStreamExt};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::hosts::Host;
use crate::nats::{Nats, block};

/// Sessions of each host: they are in its entry of the bucket, and messages go to one of them.
const SESSIONS: usize = 20;

/// How often a host writes its entry, as a relay does.
const PRESENCE: Duration = Duration::from_secs(20);

/// Messages per second of all hosts together, for the latencies.
const PACED: f64 = 50.0;

/// How long that lasts.
const PACED_TIME: Duration = Duration::from_secs(20);

/// Messages of all hosts together that are sent at once, for the rate.
const BURST: usize = 5_000;

/// How long the real host is watched.
const WATCHED: Duration = Duration::from_secs(20);

/// The longest wait for the next message. A cluster that is overloaded takes long, and may lose a request.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a host needs to take part.
struct LightHost {
    name: String,
    jetstream: Context,
}

impl LightHost {
    async fn connect(number: usize, nats: &Nats) -> Result<Self, async_nats::Error> {
        let name = format!("h{number}");
        let addresses = nats.addresses(&name);
        let address = addresses[number % addresses.len()].clone();
        let client = ConnectOptions::new()
            .custom_inbox_prefix(format!("_INBOX_{name}"))
            .user_and_password(name.clone(), format!("secret-of-{name}"))
            .connect(address)
            .await?;
        let jetstream = jetstream::ContextBuilder::new().timeout(Duration::from_secs(60)).build(client);
        Ok(Self { name, jetstream })
    }

    /// Writes its entry again and again.
    async fn announce(&self, after: Duration) {
        let session = |number: usize| json!({ "name": format!("agent-{number}"), "tags": ["worker"] });
        let sessions: Vec<_> = (0..SESSIONS).map(session).collect();
        let entry = json!({ "version": "0.1.0", "sessions": sessions }).to_string();
        tokio::time::sleep(after).await;
        loop {
            let subject = format!("$KV.fugue_hosts.{}", self.name);
            if let Ok(sent) = self.jetstream.publish(subject, entry.clone().into()).await {
                let _ = sent.await;
            }
            tokio::time::sleep(PRESENCE).await;
        }
    }

    /// Takes its items, and answers each message with a receipt.
    async fn receive(&self, arrived: &mpsc::UnboundedSender<u64>) -> Result<(), async_nats::Error> {
        let config = pull::Config {
            durable_name: Some(format!("to-{}", self.name)),
            filter_subject: format!("fugue.to.{}.*", self.name),
            ack_policy: AckPolicy::Explicit,
            max_ack_pending: 256,
            ..pull::Config::default()
        };
        let consumer = self.jetstream.create_consumer_on_stream(config, "FUGUE").await?;
        let mut items = consumer
            .stream()
            .max_messages_per_batch(64)
            .heartbeat(Duration::from_secs(15))
            .messages()
            .await?;
        while let Some(item) = items.next().await {
            let item = item?;
            let content: Value = serde_json::from_slice(&item.payload)?;
            if let Some(sent_at) = content["sent_at"].as_u64() {
                let _ = arrived.send(now().saturating_sub(sent_at));
                let from = item.subject.rsplit('.').next().unwrap_or_default();
                self.publish(from, &json!({ "receipts": [{ "state": "queued" }] })).await?;
            }
            item.ack().await?;
        }
        Ok(())
    }

    async fn publish(&self, to: &str, content: &Value) -> Result<(), async_nats::Error> {
        let subject = format!("fugue.to.{to}.{}", self.name);
        self.jetstream.publish(subject, content.to_string().into()).await?.await?;
        Ok(())
    }

    async fn send(&self, to: usize, session: usize) -> Result<(), async_nats::Error> {
        let text = "x".repeat(200);
        let content = json!({ "session": format!("agent-{session}"), "sent_at": now(), "text": text });
        self.publish(&format!("h{to}"), &content).await
    }
}

/// Microseconds since 1970.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or(u64::MAX)
}

/// A process's memory in MiB, and the processor time that it has used.
fn usage(pid: u32) -> (u64, Duration) {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let memory =
        memory.and_then(|text| text.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or_default();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<_> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields.iter().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    (memory >> 10, Duration::from_millis(ticks * 10))
}

fn percentile(sorted: &[u64], part: f64) -> f64 {
    let at = ((sorted.len() as f64 - 1.0) * part).round();
    sorted.get(at.max(0.0) as usize).copied().unwrap_or_default() as f64 / 1000.0
}

/// The delays of the next messages: of so many, unless they stop arriving.
async fn take(arrived: &mut mpsc::UnboundedReceiver<u64>, count: usize) -> Vec<u64> {
    let mut delays = Vec::new();
    while delays.len() < count {
        let Ok(Some(delay)) = tokio::time::timeout(PATIENCE, arrived.recv()).await else { break };
        delays.push(delay);
    }
    delays
}

/// Runs a fleet of so many hosts, and returns a row of the table.
async fn simulate(count: usize, nats: &Nats, real: &Host) -> Result<String, async_nats::Error> {
    let begun = Instant::now();
    let hosts: Vec<_> = futures_util::stream::iter(0..count)
        .map(|number| LightHost::connect(number, nats))
        .buffered(20)
        .map_ok(Arc::new)
        .try_collect()
        .await?;
    let (sender, mut arrived) = mpsc::unbounded_channel();
    let mut tasks = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        let (host, sender) = (Arc::clone(host), sender.clone());
        let after = PRESENCE.mul_f64(number as f64 / count as f64);
        let announced = Arc::clone(&host);
        tasks.push(tokio::spawn(async move { announced.announce(after).await }));
        tasks.push(tokio::spawn(async move {
            // A relay starts again, too, if the server does not send what it should.
            loop {
                if let Err(why) = host.receive(&sender).await {
                    eprintln!("{}: {why}", host.name);
                }
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }));
    }
    // A message to each host shows that its consumer is there.
    let greetings = futures_util::stream::iter(hosts.iter().enumerate());
    let greet = |(number, host): (usize, &Arc<LightHost>)| {
        let host = Arc::clone(host);
        async move { host.send((number + 1) % count, 0).await }
    };
    greetings.map(greet).buffer_unordered(20).try_collect::<()>().await?;
    let joined = take(&mut arrived, count).await.len();
    let set_up = begun.elapsed();
    eprintln!("{joined} of {count} hosts have joined after {:.0} s", set_up.as_secs_f64());

    let mut random = Random(7);
    let mut pick = |below: usize| usize::try_from(random.below(below as u64)).unwrap_or_default();
    let paced = (PACED * PACED_TIME.as_secs_f64()) as usize;
    let mut tick = tokio::time::interval(Duration::from_secs_f64(1.0 / PACED));
    for _ in 0..paced {
        tick.tick().await;
        let (from, to, session) = (Arc::clone(&hosts[pick(count)]), pick(count), pick(SESSIONS));
        tokio::spawn(async move { from.send(to, session).await.map_err(|why| eprintln!("{why}")) });
    }
    let mut latencies = take(&mut arrived, paced).await;
    latencies.sort_unstable();
    eprintln!("{} of {paced} messages have arrived at {PACED} per second", latencies.len());

    let daemon = real.server.daemon_pid();
    let before = (usage(daemon), usage(real.relay_pid()));
    tokio::time::sleep(WATCHED).await;
    let after = (usage(daemon), usage(real.relay_pid()));
    let spent =
        |before: Duration, after: Duration| (after - before).as_secs_f64() * 1000.0 / WATCHED.as_secs_f64();

    let burst = Instant::now();
    let senders = hosts.iter().enumerate().map(|(number, host)| {
        let share = BURST / count + usize::from(number < BURST % count);
        let targets: Vec<_> = (0..share).map(|_| (pick(count), pick(SESSIONS))).collect();
        let host = Arc::clone(host);
        tokio::spawn(async move {
            for (to, session) in targets {
                if let Err(why) = host.send(to, session).await {
                    eprintln!("{}: {why}", host.name);
                }
            }
        })
    });
    let senders: Vec<_> = senders.collect();
    let came = take(&mut arrived, BURST).await.len();
    let rate = came as f64 / burst.elapsed().as_secs_f64();
    eprintln!("{came} of a burst of {BURST} messages have arrived");
    for sender in senders {
        sender.await?;
    }
    let memory: Vec<_> = nats.pids().into_iter().map(|pid| usage(pid).0.to_string()).collect();
    let consumers = nats.consumers().await?;
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    Ok(format!(
        "| {count} × {SESSIONS} | {consumers} | {:.0} s | {rate:.0} | {:.1} ms | {:.1} ms | {} MiB | {:.1} ms/s, {} MiB | {:.1} ms/s, {} MiB |",
        set_up.as_secs_f64(),
        percentile(&latencies, 0.5),
        percentile(&latencies, 0.99),
        memory.join(" + "),
        spent(before.0.1, after.0.1),
        after.0.0,
        spent(before.1.1, after.1.1),
        after.1.0,
    ))
}

#[test]
#[ignore = "it takes minutes and needs an idle machine and a current version of NATS"]
fn simulation_of_large_fleets() {
    let sizes = std::env::var("FUGUE_FLEET_SIZES").unwrap_or_else(|_| "10 100 1000".into());
    for count in sizes.split_whitespace().filter_map(|count| count.parse::<usize>().ok()) {
        let names: Vec<_> = (0..count).map(|number| format!("h{number}")).chain(["real".into()]).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let nats = Nats::start(3, &names);
        let real = Host::new("real", &nats, "");
        real.set_up(&nats, 3);
        real.start_relay();
        match block(simulate(count, &nats, &real)) {
            Ok(row) => println!("{row}"),
            Err(why) => println!("{count} hosts: {why}"),
        }
    }
}
