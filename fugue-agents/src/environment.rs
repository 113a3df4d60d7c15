//! The home directory and environment variables that determine where an agent keeps its files. The caller passes them in.

use std::path::{Path, PathBuf};

/// The environment of an agent.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    home: &'a Path,
    variable: &'a dyn Fn(&str) -> Option<PathBuf>,
}

impl<'a> Environment<'a> {
    /// An environment with this home directory, in which variables have these values.
    pub fn new(home: &'a Path, variable: &'a dyn Fn(&str) -> Option<PathBuf>) -> Self {
        Self { home, variable }
    }

    /// Returns the directory that a variable names, or else one below the home directory.
    pub(crate) fn directory(&self, variable: &str, default: &str) -> PathBuf {
        (self.variable)(variable).unwrap_or_else(|| self.home.join(default))
    }
}
