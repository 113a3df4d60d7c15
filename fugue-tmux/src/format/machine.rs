//! The machine that panes run on, as formats ask about it. Whoever expands a format knows it; this crate reads nothing.

/// A machine.
pub trait HostFacts {
    /// Its name.
    fn host_name(&self) -> Option<String>;

    /// The name of the user.
    fn user(&self) -> Option<String>;

    /// The terminal of a process: `/dev/pts/3`.
    fn terminal(&self, pid: u32) -> Option<String>;

    /// The name of the process in the foreground of a process's terminal.
    fn foreground_name(&self, pid: u32) -> Option<String>;

    /// The value of a name that is about the machine and its user, and not about a session.
    fn value(&self, name: &str) -> Option<String> {
        match name {
            "host" => self.host_name(),
            "host_short" => {
                self.host_name().map(|host| host.split('.').next().unwrap_or_default().to_owned())
            }
            "user" => self.user(),
            _ => None,
        }
    }
}
