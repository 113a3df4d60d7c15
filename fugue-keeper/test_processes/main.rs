//! The processes of the tests: the starter of a keeper, two kinds of daemons, and a program.

mod recorder;

use std::ffi::OsString;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use fugue_keeper::{AdoptedDaemon, EXIT_FOR_GOOD, KeeperConfig, Link, Message, inherited};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

fn main() {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let word = |at: usize| arguments.get(at).and_then(|word| word.to_str()).unwrap_or_default();
    match word(1) {
        "keeper" => start_keeper(&arguments),
        "successor" => start_successor(&arguments),
        "relay" => relay(word(2)),
        "recorder" => recorder::record(&arguments),
        "count" => count(Path::new(word(2)), word(3).parse().unwrap_or(0)),
        other => panic!("no role named {other}"),
    }
}

/// `keeper SOCKET LOG QUOTA HEALTHY_MS DAEMON…`
fn start_keeper(arguments: &[OsString]) {
    let listener = UnixListener::bind(&arguments[2]).expect("a fresh socket");
    fugue_keeper::run(config(arguments, listener.into())).expect("the keeper starts");
}

/// Short, so that tests see exits that were held back.
const SHUTDOWN: Duration = Duration::from_millis(500);

/// `successor SOCKET LOG QUOTA HEALTHY_MS DAEMON…`, with the link to the daemon as the standard input.
fn start_successor(arguments: &[OsString]) {
    let input = std::io::stdin().as_fd().try_clone_to_owned().expect("the link");
    let (daemon, listener, _) = AdoptedDaemon::receive(input).expect("a daemon");
    let config = KeeperConfig { succession: Some(daemon), ..config(arguments, listener) };
    fugue_keeper::run(config).expect("the keeper starts");
}

fn config(arguments: &[OsString], listener: OwnedFd) -> KeeperConfig {
    let number =
        |at: usize| arguments[at].to_str().and_then(|word| word.parse::<u64>().ok()).expect("a number");
    let mut config = KeeperConfig::new(listener, arguments[6..].to_vec());
    config.log = Some((&arguments[3]).into());
    config.quota = number(4);
    config.healthy_after = Duration::from_millis(number(5));
    config.shutdown = SHUTDOWN;
    config
}

/// A daemon that sends its two descriptors to the test, so that the test itself is the daemon. It exits with the code
/// that the test sends, or for good when the test is over.
fn relay(test: &str) {
    let Some((link, listener)) = inherited() else { panic!("not started by a keeper") };
    let test = connect_to_test(test);
    link.send(&Message::Serving, &[]).expect("the keeper listens");
    test.send(&Message::Take, &[link.as_fd(), listener.as_fd()]).expect("the test listens");
    drop(link);
    let mut fds = [PollFd::new(&test, PollFlags::IN)];
    poll(&mut fds, None).expect("a message from the test");
    match test.try_recv() {
        Ok(Some((Message::Ready { version, .. }, _))) => std::process::exit(version.into()),
        _ => std::process::exit(EXIT_FOR_GOOD),
    }
}

/// Connects to the test. If the test is over, the process exits for good.
fn connect_to_test(test: &str) -> Link {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket: OwnedFd =
        socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).expect("a socket");
    let address = SocketAddrUnix::new(test).expect("a short path");
    if connect(&socket, &address).is_err() {
        std::process::exit(EXIT_FOR_GOOD);
    }
    Link::from_fd(socket)
}

/// Writes numbers, one a line, as fast as it can, until the file `enough` exists; then writes the last number to a file.
fn count(dir: &Path, code: i32) {
    let mut out = std::io::BufWriter::with_capacity(8 << 10, std::io::stdout());
    let mut number = 0_u64;
    while !number.is_multiple_of(1000) || !dir.join("enough").exists() {
        number += 1;
        writeln!(out, "{number}").expect("the terminal takes it");
    }
    out.flush().expect("the terminal takes it");
    std::fs::write(dir.join("written"), number.to_string()).expect("a file");
    std::process::exit(code);
}
