//! Key bindings: each is a command line.

pub(crate) mod bindings;
mod prefix_hints;
#[cfg(test)]
mod tests_tmux_parity;
