//! The daemon's settings and the other files of the user that it reads again when they change.

pub(crate) mod agent_table_file;
pub(crate) mod file_changes;
pub(crate) mod last_scopes;
pub(crate) mod settings;
