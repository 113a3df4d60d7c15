//! The daemon's edge: sockets, terminals, files, clocks. It decides nothing: it tells the core what happened and
//! does what the core wishes.

mod audit;
mod boot;
mod client;
mod clock;
mod config;
mod environment;
mod identity;
mod journal;
mod keeper;
mod pane;
mod ready;
mod reply;
mod repository;
mod session;
mod shells;
mod way;

pub use boot::{Options, run};
