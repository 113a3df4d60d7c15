//! Plays the parts of the tests: the starter of a keeper, daemons of two kinds, programs.

mod recorder;

use std::ffi::OsString;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use fugue_keeper::{Config, EXIT_FOR_GOOD, Link, Message, inherited};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

fn main() {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let word = |at: usize| arguments.get(at).and_then(|word| word.to_str()).unwrap_or_default();
    match word(1) {
        "keeper" => start_keeper(&arguments),
        "relay" => relay(word(2)),
        "recorder" => recorder::record(word(2), word(3)),
        "count" => count(Path::new(word(2)), word(3).parse().unwrap_or(0)),
        other => panic!("no part named {other}"),
    }
}

/// `keeper SOCKET LOG QUOTA WELL_MS DAEMON…`
fn start_keeper(arguments: &[OsString]) {
    let number =
        |at: usize| arguments[at].to_str().and_then(|word| word.parse::<u64>().ok()).expect("a number");
    let listener = UnixListener::bind(&arguments[2]).expect("a fresh socket");
    let mut config = Config::new(listener.into(), arguments[6..].to_vec());
    config.log = Some((&arguments[3]).into());
    config.quota = number(4);
    config.well = Duration::from_millis(number(5));
    fugue_keeper::run(config).expect("the keeper stands");
}

/// A daemon that hands its two descriptors to the test, so that the test itself is the daemon. It ends with the code
/// it is told, or for good when the test is over.
fn relay(hatch: &str) {
    let Some((link, listener)) = inherited() else { panic!("not started by a keeper") };
    let hatch = knock(hatch);
    hatch.send(&Message::Take, &[link.as_fd(), listener.as_fd()]).expect("the test listens");
    drop(link);
    let mut fds = [PollFd::new(&hatch, PollFlags::IN)];
    poll(&mut fds, None).expect("a word from the test");
    match hatch.try_recv() {
        Ok(Some((Message::Ready { version, .. }, _))) => std::process::exit(version.into()),
        _ => std::process::exit(EXIT_FOR_GOOD),
    }
}

/// Connects to the test; when the test is over there is nothing left to play for.
fn knock(hatch: &str) -> Link {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket: OwnedFd =
        socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).expect("a socket");
    let address = SocketAddrUnix::new(hatch).expect("a short path");
    if connect(&socket, &address).is_err() {
        std::process::exit(EXIT_FOR_GOOD);
    }
    Link::from_fd(socket)
}

/// Writes numbers, a line each, as fast as it can, until there is a file `enough`; then how far it came into a file.
fn count(folder: &Path, code: i32) {
    let mut out = std::io::BufWriter::with_capacity(8 << 10, std::io::stdout());
    let mut number = 0_u64;
    while !number.is_multiple_of(1000) || !folder.join("enough").exists() {
        number += 1;
        writeln!(out, "{number}").expect("the terminal takes it");
    }
    out.flush().expect("the terminal takes it");
    std::fs::write(folder.join("written"), number.to_string()).expect("a file");
    std::process::exit(code);
}
