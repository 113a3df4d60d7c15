//! The bridge over real pipes, before the real daemon: what agents do to it, and what happens to it.

mod agent;
mod amiss;
mod contract;
mod guards;
mod many;
mod reading;
mod resources;
mod rough;
mod waits;
