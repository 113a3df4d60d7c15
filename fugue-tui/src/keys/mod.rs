//! Key bindings: each is a command line.

pub(crate) mod bindings;
#[cfg(test)]
mod tests_tmux_parity;
