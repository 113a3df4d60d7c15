//! Whether a process listens on a socket, so that processes from anywhere can ask it for something.

use std::collections::HashSet;
use std::fs;

/// The most descriptors of a process that are looked at. Servers open their listening sockets early.
const MAX_DESCRIPTORS: usize = 4096;

/// The tables of sockets in `/proc/PID/net`: the field of the state, its value if the socket listens, and the field of the
/// inode.
const SOCKET_TABLES: [(&str, usize, &str, usize); 3] =
    [("unix", 3, "00010000", 6), ("tcp", 3, "0A", 9), ("tcp6", 3, "0A", 9)];

/// Whether a process has a listening socket.
pub(crate) fn listens(pid: u32) -> bool {
    let sockets = sockets(pid);
    !sockets.is_empty()
        && SOCKET_TABLES.iter().any(|(table, state, listening, inode)| {
            let text = fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
            text.lines().skip(1).any(|line| {
                let field = |at: usize| line.split_ascii_whitespace().nth(at);
                field(*state) == Some(*listening)
                    && field(*inode).is_some_and(|inode| sockets.contains(inode))
            })
        })
}

/// The inodes of a process's sockets.
fn sockets(pid: u32) -> HashSet<String> {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else { return HashSet::new() };
    let links = entries.flatten().take(MAX_DESCRIPTORS).filter_map(|entry| fs::read_link(entry.path()).ok());
    let inode = |link: std::path::PathBuf| {
        Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())
    };
    links.filter_map(inode).collect()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn a_process_listens_while_it_has_a_listening_socket() {
        // One test, since it is about the whole process.
        let own = std::process::id();
        let (_one, _other) = UnixStream::pair().expect("a connection");
        assert!(!listens(own), "a connection is not a listening socket");
        let directory = tempfile::tempdir().expect("a directory");
        let local = UnixListener::bind(directory.path().join("socket")).expect("a socket");
        assert!(listens(own));
        drop(local);
        assert!(!listens(own));
        let _port = TcpListener::bind("[::1]:0").or_else(|_| TcpListener::bind("127.0.0.1:0"));
        assert!(listens(own));
    }
}
