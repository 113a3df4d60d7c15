//! Two hosts without NATS: the relay of one reaches the daemon of the other over a real sshd.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use fugue_testkit::{CuttingProxy, SshHosts, TestServer, until};
use serde_json::{Value, json};

use crate::hosts::{FLEET, fugue};

/// The hosts `desk` and `gpu`, with a relay on the first one only, and a proxy between them.
struct Pair {
    hosts: SshHosts,
    proxy: CuttingProxy,
    relay: Child,
}

impl Pair {
    fn start() -> Self {
        let hosts = SshHosts::start(fugue().to_str().expect("a path"));
        let proxy = CuttingProxy::new(hosts.port());
        hosts.lead_through(proxy.port);
        configure(&hosts.here, "[hosts]\ngpu = \"box\"\n[fleet]\nhost = \"desk\"\nssh = [\"gpu\"]\n");
        configure(&hosts.there, "[fleet]\nhost = \"gpu\"\n[fleet.run]\ndesk = [\"cat\"]\n");
        hosts.here.session("lead", &["cat"]);
        hosts.there.session("train", &["cat"]);
        let log = fs::File::create(hosts.here.path().join("relay.log")).expect("a log");
        let mut relay = hosts.command_from(Path::new(FLEET), &["run"]);
        let relay = relay.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("a relay");
        Self { hosts, proxy, relay }
    }

    fn log(&self) -> String {
        fs::read_to_string(self.hosts.here.path().join("relay.log")).unwrap_or_default()
    }

    fn status(&self) -> String {
        let ran = self.hosts.command_from(Path::new(FLEET), &["status"]).output().expect("the relay runs");
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        let _ = self.relay.kill();
        let _ = self.relay.wait();
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
    }
}

fn configure(server: &TestServer, text: &str) {
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("config.toml"), text).expect("a configuration");
}

fn send(from: &TestServer, to: &str, number: usize) -> String {
    let payload = json!({ "number": number }).to_string();
    let sent = from.json(&["send-orchestration", "--session", to, "note", &payload]);
    sent["message_id"].as_str().expect("an id").to_owned()
}

/// The numbers in an inbox, in the order in which they arrived.
fn numbers(server: &TestServer, session: &str) -> Vec<u64> {
    let page = server.json(&["poll-messages", "-s", session, "-n", "200"]);
    let messages = page["messages"].as_array().cloned().unwrap_or_default();
    messages.iter().filter_map(|message| message["payload"]["number"].as_u64()).collect()
}

fn state(server: &TestServer, message: &str) -> Value {
    server.json(&["message-status", message])["receipts"][0]["state"].clone()
}

#[test]
fn two_hosts_exchange_messages_and_receipts_over_ssh() {
    let pair = Pair::start();
    let (here, there) = (&pair.hosts.here, &pair.hosts.there);
    let message = send(here, "gpu/train", 1);
    until("it arrives", || numbers(there, "train") == [1]);
    until("its receipt comes back", || state(here, &message) == json!("offered"));
    let back = send(there, "desk/lead", 2);
    until("the answer arrives", || numbers(here, "lead") == [2]);
    until("its receipt comes back", || state(there, &back) == json!("offered"));
    let lost = send(here, "gpu/nobody", 3);
    until("it is refused", || state(here, &lost) == json!("dead_lettered"));
    let all = ["send-orchestration", "--tag", "child:desk/lead", "--all-hosts", "note", "{}"];
    let create = ["create-session", "-d", "--on", "gpu", "-s", "far", "--json", "--", "cat"];
    let lead = here.json(&["list-panes", "-s", "lead"])["panes"][0]["pane_id"].clone();
    let ran = here.command_for(lead.as_str().expect("a pane"), &create).output().expect("fugue runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    here.ok(&all);
    until("the group gets it", || {
        let page = there.json(&["poll-messages", "-s", "far"]);
        page["messages"].as_array().is_some_and(|messages| messages.len() == 1)
    });
    assert!(pair.status().contains("ssh     gpu: connected"), "{}", pair.status());
}

#[test]
fn messages_over_an_ssh_line_that_is_cut_arrive_once_and_in_order() {
    let pair = Pair::start();
    let (here, there) = (&pair.hosts.here, &pair.hosts.there);
    for number in 0..40 {
        if number % 8 == 0 {
            // Within a frame of what follows, and before its confirmation comes back.
            pair.proxy.cut_after(300 + 97 * number as u64);
        }
        send(here, "gpu/train", number);
        send(there, "desk/lead", number);
    }
    let all: Vec<u64> = (0..40).collect();
    until("everything arrives there", || numbers(there, "train") == all);
    until("everything arrives here", || numbers(here, "lead") == all);
    assert!(pair.proxy.cuts() > 0, "no line was cut");
}

#[test]
fn a_host_that_ssh_cannot_reach_is_named_with_the_reason() {
    let mut pair = Pair::start();
    until("it is connected", || pair.status().contains("gpu: connected"));
    pair.hosts.stop_sshd();
    pair.proxy.cut_after(0);
    let message = send(&pair.hosts.here, "gpu/train", 1);
    until("the status says so", || pair.status().contains("ssh     gpu: not connected ("));
    assert_eq!(state(&pair.hosts.here, &message), json!("queued"));
    pair.hosts.restart_sshd();
    until("it arrives", || numbers(&pair.hosts.there, "train") == [1]);
}

#[test]
fn a_message_to_a_third_host_and_a_lease_on_all_hosts_name_what_is_missing() {
    let pair = Pair::start();
    until("it is connected", || pair.status().contains("ssh     gpu: connected"));
    let message = send(&pair.hosts.here, "third/work", 1);
    let report = || pair.hosts.here.json(&["message-status", &message])["receipts"][0].clone();
    until("it is dead-lettered", || report()["state"] == "dead_lettered");
    let reason = "host `third` cannot be reached: it is not in fleet.ssh, and fleet.servers is not set";
    assert_eq!(report()["reason"], reason);
    let claimed = pair.hosts.command_from(Path::new(FLEET), &["claim", "x", "--ttl-ms", "1000"]).output();
    let claimed = String::from_utf8_lossy(&claimed.expect("it runs").stderr).into_owned();
    assert!(
        claimed.contains("Leases on all hosts need NATS, and config.toml has no fleet.servers"),
        "{claimed}"
    );
    // The host without a relay needs none.
    let status = pair.hosts.there.command_from(Path::new(FLEET), &["status"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(
        status.status.success() && text.contains("relay   none: other hosts reach this one over ssh"),
        "{text}"
    );
}

#[test]
fn a_second_machine_with_the_name_of_a_host_is_refused_by_the_host_that_both_reach() {
    let pair = Pair::start();
    until("it is connected", || pair.status().contains("ssh     gpu: connected"));
    // A machine that has the configuration of the first one.
    let second = TestServer::new(fugue().to_str().expect("a path"));
    configure(&second, "[hosts]\ngpu = \"box\"\n[fleet]\nhost = \"desk\"\nssh = [\"gpu\"]\n");
    second.session("lead", &["cat"]);
    let command = |words: &[&str]| {
        let mut command = second.command_from(Path::new(FLEET), words);
        command.env("FUGUE_SSH", pair.hosts.ssh()).stdin(Stdio::null());
        command
    };
    let mut relay = command(&["run"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a relay");
    let verdict = || {
        let ran = command(&["status"]).output().expect("it runs");
        (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    until("it is refused", || {
        let (code, error) = verdict();
        code == Some(1) && error.contains("another machine uses this host's name")
    });
    // Answers for the name arrive at the first machine only.
    send(&pair.hosts.there, "desk/lead", 1);
    until("it arrives", || numbers(&pair.hosts.here, "lead") == [1]);
    assert_eq!(numbers(&second, "lead"), [] as [u64; 0]);
    relay.kill().expect("it is there");
    relay.wait().expect("its end");
}
