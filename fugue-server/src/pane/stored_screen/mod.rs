//! The screen of a pane where it outlives the daemon or the program, and panes that are made from it.

pub(crate) mod last_screen;
pub(crate) mod restore;
pub(crate) mod screen_save_schedule;
pub(crate) mod screen_storage;
