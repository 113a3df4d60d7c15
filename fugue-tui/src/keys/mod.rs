//! Key bindings: each is a command line.

pub(crate) mod bindings;
#[cfg(test)]
mod tmux_parity;
