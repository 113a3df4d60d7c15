//! Stories of the machine: what people and agents ask, and what the world looks like then.

#[path = "../story/mod.rs"]
mod story;

mod sessions;
