//! `fugue spawn` with stand-ins for agents: when it replies, what it says, and what it leaves behind.

mod readiness;
mod scene;
mod worktrees;
