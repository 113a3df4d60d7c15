//! A daemon on another host, over a real sshd on loopback: its user has a home of its own there.

mod attached;
mod bad_lines;
mod commands;
mod failures;
mod fleet;
mod in_view;
mod predicted_echo;
mod proxy;
mod sshd;
mod versions;
