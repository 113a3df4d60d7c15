//! A TCP proxy before a server that cuts connections after a number of bytes, lets them stand still, and slows them down.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// The bytes that are passed on at once: less than most frames, so that a cut is within one.
const CHUNK: usize = 256;

/// How often a connection that stands still looks whether it may go on.
const STEP: Duration = Duration::from_millis(5);

/// What happens to the connections.
#[derive(Debug, Default)]
struct Faults {
    /// The bytes until the connection that passes them is cut; negative for never.
    cut_in: AtomicI64,
    /// Connections with a lower number stand still.
    stands_below: AtomicU64,
    delay_ms: AtomicU64,
    connections: AtomicU64,
    cuts: AtomicU64,
}

impl Faults {
    /// Whether a connection is cut while these bytes pass: how many of them still do.
    fn cut_within(&self, count: usize) -> Option<usize> {
        let before = self.cut_in.load(Ordering::SeqCst);
        if before < 0 {
            return None;
        }
        let left = before - count as i64;
        if left >= 0 {
            self.cut_in.store(left, Ordering::SeqCst);
            return None;
        }
        self.cut_in.store(-1, Ordering::SeqCst);
        self.cuts.fetch_add(1, Ordering::SeqCst);
        Some(before as usize)
    }

    fn hold(&self, number: u64) {
        std::thread::sleep(Duration::from_millis(self.delay_ms.load(Ordering::SeqCst)));
        while number < self.stands_below.load(Ordering::SeqCst) {
            std::thread::sleep(STEP);
        }
    }
}

/// The proxy. It ends with the test's process.
#[derive(Debug)]
pub struct CuttingProxy {
    /// The port at which it listens.
    pub port: u16,
    faults: Arc<Faults>,
}

impl CuttingProxy {
    /// A proxy to this port of loopback, which does no harm yet.
    pub fn new(to: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let faults = Arc::new(Faults { cut_in: AtomicI64::new(-1), ..Faults::default() });
        let shared = Arc::clone(&faults);
        std::thread::spawn(move || {
            for near in listener.incoming().filter_map(Result::ok) {
                relay(near, to, &shared);
            }
        });
        Self { port, faults }
    }

    /// Cuts the next connection that passes more than this many bytes.
    pub fn cut_after(&self, bytes: u64) {
        self.faults.cut_in.store(bytes as i64, Ordering::SeqCst);
    }

    /// How many connections were cut.
    pub fn cuts(&self) -> u64 {
        self.faults.cuts.load(Ordering::SeqCst)
    }

    /// How many connections there were.
    pub fn connections(&self) -> u64 {
        self.faults.connections.load(Ordering::SeqCst)
    }

    /// Lets all connections that are open stand still, without closing them. New ones work.
    pub fn stand_still(&self) {
        self.faults.stands_below.store(self.connections(), Ordering::SeqCst);
    }

    /// Lets all connections go on.
    pub fn go_on(&self) {
        self.faults.stands_below.store(0, Ordering::SeqCst);
    }

    /// Delays whatever passes.
    pub fn delay(&self, by: Duration) {
        self.faults.delay_ms.store(by.as_millis() as u64, Ordering::SeqCst);
    }
}

fn relay(near: TcpStream, to: u16, faults: &Arc<Faults>) {
    let number = faults.connections.fetch_add(1, Ordering::SeqCst);
    let Ok(far) = TcpStream::connect(("127.0.0.1", to)) else { return };
    for (from, to) in [(&near, &far), (&far, &near)] {
        let _ = from.set_nodelay(true);
        let (Ok(from), Ok(to), faults) = (from.try_clone(), to.try_clone(), Arc::clone(faults)) else {
            return;
        };
        std::thread::spawn(move || copy(from, to, number, &faults));
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream, number: u64, faults: &Faults) {
    let mut buffer = [0; CHUNK];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        faults.hold(number);
        let cut = faults.cut_within(count);
        if to.write_all(&buffer[..cut.unwrap_or(count)]).is_err() || cut.is_some() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
