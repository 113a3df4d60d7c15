//! A daemon on another host, over a real sshd on loopback: its user has a home of its own there.

mod attached;
mod commands;
mod failures;
mod fleet;
mod sshd;
