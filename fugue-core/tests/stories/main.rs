//! Stories of the machine: what people and agents ask, and what the world looks like then.

#[path = "../story/mod.rs"]
mod story;

mod agents;
mod arranging;
mod callers;
mod clients;
mod describing;
mod endings;
mod finding;
mod inboxes;
mod keeping;
mod leases;
mod limits;
mod meanwhile;
mod messages;
mod moving;
mod nudges;
mod parallel;
mod replies;
mod sessions;
mod splitting;
mod starting;
mod terminal;
mod waits;
mod windows;
mod zooming;
