//! Two homes with an sshd between them, for this crate's binary.

use std::ops::{Deref, DerefMut};

use fugue_testkit::SshHosts;

const FUGUE: &str = env!("CARGO_BIN_EXE_fugue");

/// Two homes: fugue runs in the first, and reaches the daemon of the second over ssh.
pub(crate) struct Hosts(SshHosts);

impl Hosts {
    /// Starts an sshd at which the name `box` leads to the other home.
    pub(crate) fn start() -> Self {
        Self(SshHosts::start(FUGUE))
    }

    /// The same with another search path for programs on the other host.
    pub(crate) fn start_with_path(path: &str) -> Self {
        Self(SshHosts::start_with_path(FUGUE, path))
    }
}

impl Deref for Hosts {
    type Target = SshHosts;
    fn deref(&self) -> &SshHosts {
        &self.0
    }
}

impl DerefMut for Hosts {
    fn deref_mut(&mut self) -> &mut SshHosts {
        &mut self.0
    }
}
