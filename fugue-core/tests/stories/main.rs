//! Stories of the machine: what people and agents ask, and what the world looks like then.

#[path = "../story/mod.rs"]
mod story;

mod agents;
mod arranging;
mod callers;
mod endings;
mod finding;
mod keeping;
mod limits;
mod meanwhile;
mod moving;
mod sessions;
mod splitting;
mod starting;
mod terminal;
mod windows;
mod zooming;
