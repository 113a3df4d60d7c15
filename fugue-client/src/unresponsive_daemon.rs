//! A daemon that does not answer, in words.

use std::path::PathBuf;

/// A daemon that does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresponsiveDaemon {
    /// The process that does not answer, if it is known: the daemon, or the keeper if there is no daemon.
    pub process: Option<(&'static str, u32)>,
    /// Whether the process was stopped by a signal.
    pub is_stopped: bool,
    /// Whether a connection could be made.
    pub is_connected: bool,
    /// The log of keeper and daemon.
    pub log: PathBuf,
    /// The host of the daemon, if it is another than this one.
    pub host: Option<String>,
}

impl UnresponsiveDaemon {
    /// One sentence about the process.
    pub fn message(&self) -> String {
        if let Some(host) = &self.host {
            return format!("{host} is not responding");
        }
        let (name, pid) = match self.process {
            Some((name, pid)) => (name, format!(" (pid {pid})")),
            None => ("daemon", String::new()),
        };
        match (self.is_stopped, self.is_connected) {
            (true, _) => format!("The {name}{pid} is stopped"),
            (false, true) => format!("The {name}{pid} is not responding"),
            (false, false) => format!("The {name}{pid} is running but cannot be reached"),
        }
    }

    /// The command that makes the daemon answer again, and what it does. None if nobody knows.
    pub fn remedy(&self) -> Option<String> {
        match self.process {
            Some((_, pid)) if self.is_stopped => Some(format!("run `kill -CONT {pid}` to resume it")),
            Some(("daemon", pid)) => Some(format!("run `kill -9 {pid}` to restart it")),
            _ => None,
        }
    }

    /// The next step, which reads the same on every surface.
    pub fn hint(&self) -> String {
        if let Some(host) = &self.host {
            return format!("`fugue hosts ping {host}` shows whether it can be reached");
        }
        let log = self.log.display();
        match self.remedy() {
            Some(remedy) if self.is_stopped => remedy,
            Some(remedy) => format!("{remedy} without stopping any programs; see the log at {log}"),
            None => format!("see the log at {log}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn daemon(is_stopped: bool, is_connected: bool) -> UnresponsiveDaemon {
        UnresponsiveDaemon {
            process: Some(("daemon", 42)),
            is_stopped,
            is_connected,
            log: "/state/log".into(),
            host: None,
        }
    }

    #[test]
    fn the_error_says_what_the_daemon_does_and_how_to_go_on() {
        let stopped = daemon(true, true);
        assert_eq!(stopped.message(), "The daemon (pid 42) is stopped");
        assert_eq!(stopped.hint(), "run `kill -CONT 42` to resume it");
        let hung = daemon(false, true);
        assert_eq!(hung.message(), "The daemon (pid 42) is not responding");
        assert_eq!(
            hung.hint(),
            "run `kill -9 42` to restart it without stopping any programs; see the log at /state/log"
        );
    }
}
