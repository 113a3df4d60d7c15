//! The files and sockets that another process of this user has open.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

/// The state of a listening socket in `/proc/PID/net/tcp`.
const LISTENING: &str = "0A";

/// The files that a process has open.
pub(super) fn of_process(pid: u32) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    entries.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).collect()
}

/// The loopback ports on which a process listens.
pub(super) fn loopback_ports(pid: u32) -> Vec<u16> {
    let inode = |link: PathBuf| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned());
    let sockets: HashSet<_> = of_process(pid).into_iter().filter_map(inode).collect();
    let table = fs::read_to_string(format!("/proc/{pid}/net/tcp")).unwrap_or_default();
    table.lines().skip(1).filter_map(|line| port(line, &sockets)).collect()
}

/// The port of a line of the table, if it is a listening socket of the process that the loopback address reaches.
fn port(line: &str, sockets: &HashSet<String>) -> Option<u16> {
    let fields: Vec<_> = line.split_ascii_whitespace().collect();
    let (address, port) = fields.get(1)?.split_once(':')?;
    let is_reachable = ["0100007F", "00000000"].contains(&address);
    let listens = fields.get(3) == Some(&LISTENING) && sockets.contains(*fields.get(9)?);
    (is_reachable && listens).then(|| u16::from_str_radix(port, 16).ok())?
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_ports_of_a_process_are_those_it_listens_on() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        assert!(loopback_ports(std::process::id()).contains(&port));
        drop(listener);
        assert!(!loopback_ports(std::process::id()).contains(&port));
    }
}
