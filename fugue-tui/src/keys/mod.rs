//! Keys and what they do: every binding is a command line.

pub(crate) mod bindings;
#[cfg(test)]
mod tmux_parity;
