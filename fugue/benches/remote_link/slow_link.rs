//! A TCP proxy that behaves like a long line: everything arrives half a round trip later, at a limited rate, and a lost
//! segment holds up what follows until it is sent again.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use fugue_testkit::Random;

/// The bytes in one segment on an Ethernet.
const SEGMENT: usize = 1448;

/// The segments on their way in one direction: what the line holds in a round trip at its rate. More waits in the
/// sender's socket, as it does with TCP.
const WINDOW: usize = 86;

/// The properties of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub(crate) round_trip: Duration,
    /// Segments lost of a hundred.
    pub(crate) loss: u64,
    pub(crate) bytes_per_second: u64,
}

/// The bytes that have passed.
#[derive(Debug, Default)]
struct Passed {
    up: AtomicU64,
    down: AtomicU64,
}

/// A proxy for one line. It ends with the process.
pub(crate) struct SlowLink {
    pub(crate) port: u16,
    passed: Arc<Passed>,
}

impl SlowLink {
    /// A line to this port of loopback.
    pub(crate) fn new(to: u16, line: Line) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let passed = Arc::new(Passed::default());
        let counted = Arc::clone(&passed);
        std::thread::spawn(move || {
            for near in listener.incoming().filter_map(Result::ok) {
                relay(near, to, line, &counted);
            }
        });
        Self { port, passed }
    }

    /// The bytes that have passed to the other host and from it.
    pub(crate) fn passed(&self) -> (u64, u64) {
        (self.passed.up.load(Ordering::Relaxed), self.passed.down.load(Ordering::Relaxed))
    }
}

fn relay(near: TcpStream, to: u16, line: Line, passed: &Arc<Passed>) {
    let Ok(far) = TcpStream::connect(("127.0.0.1", to)) else { return };
    for (from, to, is_up) in [(&near, &far, true), (&far, &near, false)] {
        let _ = from.set_nodelay(true);
        let (Ok(from), Ok(to), passed) = (from.try_clone(), to.try_clone(), Arc::clone(passed)) else {
            return;
        };
        let (segments, arriving) = sync_channel(WINDOW);
        std::thread::spawn(move || {
            depart(from, line, &segments, |count| {
                let counter = if is_up { &passed.up } else { &passed.down };
                counter.fetch_add(count, Ordering::Relaxed);
            });
        });
        std::thread::spawn(move || arrive(&arriving, to));
    }
}

/// Reads segments and computes when each arrives at the other end.
fn depart(mut from: TcpStream, line: Line, segments: &SyncSender<(Instant, Vec<u8>)>, count: impl Fn(u64)) {
    let mut random = Random(1);
    let (mut sent, mut arrives) = (Instant::now(), Instant::now());
    let mut buffer = [0; SEGMENT];
    while let Ok(bytes @ 1..) = from.read(&mut buffer) {
        count(bytes as u64);
        sent =
            sent.max(Instant::now()) + Duration::from_secs_f64(bytes as f64 / line.bytes_per_second as f64);
        // A lost segment is sent again after one more round trip, when the acknowledgments of later ones tell of it.
        let again = if random.below(100) < line.loss { line.round_trip } else { Duration::ZERO };
        arrives = arrives.max(sent + line.round_trip / 2 + again);
        if segments.send((arrives, buffer[..bytes].to_vec())).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Read);
}

fn arrive(segments: &Receiver<(Instant, Vec<u8>)>, mut to: TcpStream) {
    for (arrives, bytes) in segments {
        std::thread::sleep(arrives.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
