//! What a program is started with: its command line, its environment, shell integration and links.

pub(crate) mod setup_script;
pub(crate) mod shell_integration;
pub(crate) mod spawn_environment;
pub(crate) mod ssh_agent;
pub mod tmux_link;
