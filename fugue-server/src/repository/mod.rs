//! git repositories: which one a directory or a path is in, and running git.

mod git;
mod git_command;
mod known_locations;
mod lease_path;
mod lookup;
mod remote_url;
mod safe_files;

pub(crate) use git::locate;
pub(crate) use git_command::{GitCommand, LOOKUP};
pub(crate) use known_locations::FRESH;
pub(crate) use lease_path::name_of as lease_name_of;
pub(crate) use lookup::{LookupRequest, RepositoryLookup};
