//! The faults of a soak: kills of servers, daemons and relays, and cuts of the network between a host and the servers.

use std::fmt;
use std::time::Duration;

use fugue_testkit::{CuttingProxy, Random, signal};

use crate::hosts::Host;
use crate::nats::Nats;

/// How long the network stands still.
const STALL: Duration = Duration::from_millis(500);

/// The most bytes that pass before a connection is cut, so that cuts are at any point of a message.
const BYTES_BEFORE_CUT: usize = 4_096;

/// A host whose relay reaches the servers through proxies.
pub(crate) struct SoakHost {
    pub(crate) host: Host,
    proxies: Vec<CuttingProxy>,
}

impl SoakHost {
    pub(crate) fn new(name: &str, nats: &Nats, settings: &str) -> Self {
        let proxies: Vec<_> = nats.ports().iter().map(|port| CuttingProxy::new(*port)).collect();
        let ports: Vec<_> = proxies.iter().map(|proxy| proxy.port).collect();
        let host = Host::with_servers(name, &crate::nats::addresses(name, &ports), settings);
        Self { host, proxies }
    }
}

/// How many faults of each kind there were.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct FaultCounts {
    servers: usize,
    relays: usize,
    daemons: usize,
    cuts: usize,
    stalls: usize,
}

impl FaultCounts {
    /// How many there were.
    pub(crate) fn total(self) -> usize {
        let Self { servers, relays, daemons, cuts, stalls } = self;
        servers + relays + daemons + cuts + stalls
    }
}

impl fmt::Display for FaultCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { servers, relays, daemons, cuts, stalls } = self;
        write!(f, "{servers} NATS servers, {relays} relays and {daemons} daemons killed, ")?;
        write!(f, "{cuts} times a host's connections cut, {stalls} times held up")
    }
}

/// Causes one fault, by chance.
pub(crate) fn cause(random: &mut Random, nats: &mut Nats, hosts: &[SoakHost], counts: &mut FaultCounts) {
    let mut below = |limit: usize| usize::try_from(random.below(limit as u64)).expect("a small number");
    let SoakHost { host, proxies } = &hosts[below(hosts.len())];
    match below(5) {
        0 => {
            let server = below(nats.len());
            nats.kill_server(server);
            nats.start_server(server);
            counts.servers += 1;
        }
        1 => {
            host.kill_relay();
            host.start_relay();
            counts.relays += 1;
        }
        2 => {
            // A daemon that is killed twice while it starts is given up by its keeper for a while.
            host.server.ok(&["server-status"]);
            host.server.process_in_lock("daemon").into_iter().for_each(|daemon| signal("KILL", daemon));
            counts.daemons += 1;
        }
        3 => {
            // The relay uses one of the proxies; the others cut it when it comes to them.
            proxies.iter().for_each(|proxy| proxy.cut_after(below(BYTES_BEFORE_CUT) as u64));
            counts.cuts += 1;
        }
        _ => {
            proxies.iter().for_each(CuttingProxy::stand_still);
            std::thread::sleep(STALL);
            proxies.iter().for_each(CuttingProxy::go_on);
            counts.stalls += 1;
        }
    }
}
