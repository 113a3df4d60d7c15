//! Keys and what they do: every binding is a command line.

pub(crate) mod command;
#[cfg(test)]
mod parity;
pub(crate) mod table;
mod words;
