//! The daemon's edge: sockets, terminals, files and clocks. It makes no decisions: it reports what happened to the core
//! and carries out the effects that the core returns.

mod answer_store;
mod audit_log;
mod boot;
mod client;
mod clock;
mod config;
mod escaped_log;
mod fd_readiness;
mod input_ledger;
mod journal;
mod keeper_link;
mod listener;
mod pane;
mod process_ancestors;
mod reply;
mod repository;
mod session;
mod shell_integration;
mod spawn_environment;

pub use boot::{DaemonOptions, run};
