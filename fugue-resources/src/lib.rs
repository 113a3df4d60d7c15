//! Control groups for programs: which manager provides them, how a process enters one, what the programs in it may use, and
//! what they do use.
//!
//! A group is a transient scope of a systemd user manager, or a directory of a delegated cgroup v2 tree. Without either,
//! programs run without a group, and their use is the sum of their processes.
//!
//! Sessions, panes and settings do not belong in this crate, nor does an async runtime: the keeper's children call it between
//! the fork and the execution of their program.

mod dbus;
mod delegated_tree;
mod group_limits;
mod group_provider;
mod memory_kills;
mod out_of_memory_score;
mod placement;
mod process_group_file;
mod systemd;
mod usage;

pub use delegated_tree::remove_empty_groups;
pub use group_limits::{Control, GroupLimits};
pub use group_provider::{GroupProvider, NoGroups};
pub use memory_kills::{MemoryKills, kills_in};
pub use out_of_memory_score::{PROGRAMS_RAISED_BY, own_score, protect, set_own_score};
pub use placement::Placement;
pub use process_group_file::{CGROUP_ROOT, group_of};
pub use systemd::is_lingering;
pub use usage::{Usage, UsageReader};
