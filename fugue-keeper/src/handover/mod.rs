//! One keeper takes over from another: after an upgrade in the same process, or as the successor of one that was
//! killed or hangs.

pub(crate) mod image_table;
pub(crate) mod keeper_watch;
pub(crate) mod stopped_process;
pub(crate) mod succession;
pub(crate) mod successor;
pub(crate) mod upgrade;
