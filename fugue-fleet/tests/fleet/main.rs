//! Messages between hosts over a real NATS server on loopback: each host is a daemon with a home of its own, and a relay.

mod credentials;
mod delivery;
mod faults;
mod groups;
mod hosts;
mod leases;
mod names;
mod nats;
mod rogue;
mod simulation;
mod soak;
mod soak_faults;
mod ssh_relay;
mod stage;
mod starts;
mod stopped_relay;
mod storage;
mod verdict;
