//! What the event loop waits for, and why it ends.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use fugue_client::{CallError, Paths, release_program_code};
use fugue_config::ConfigWatch;
use rustix::io::{Errno, retry_on_intr};

use super::jobs::Jobs;
use super::status_readings::StatusReadings;
use crate::tty::input_decoder::{InputDecoder, TerminalInput};
use crate::tty::poller::Poller;
use crate::tty::signals::Signals;

/// Bytes read from the terminal at once. The kernel holds no more than 4 KB of a terminal's input.
const READ_SIZE: usize = 8 << 10;

/// The delays after which the memory of the program's code is released: the first when the first screen has been drawn, the
/// second when the programs in the panes have redrawn for the size of this terminal.
const CODE_RELEASE_PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(1_250)];

/// The sources of events, and the result that ends the loop.
pub(crate) struct EventSources {
    pub(crate) signals: Signals,
    pub(crate) poller: Poller,
    pub(crate) decoder: InputDecoder,
    read_buffer: Vec<u8>,
    pub(crate) config_watch: ConfigWatch,
    pub(crate) jobs: Jobs,
    pub(crate) readings: StatusReadings,
    /// When the memory of the code is due to be released, and the pauses after that; none once it was.
    code_release: Option<(Instant, &'static [Duration])>,
    /// The last words of the client; the loop ends when they are set.
    pub(crate) exit: Option<Result<String, CallError>>,
}

impl EventSources {
    pub(crate) fn new(paths: &Paths) -> std::io::Result<Self> {
        let signals = Signals::new()?;
        let config_watch = ConfigWatch::new(&paths.config);
        let jobs = Jobs::new()?;
        let readings = StatusReadings::new(jobs.fd().try_clone_to_owned()?, &paths.socket);
        let poller = Poller::new(signals.as_fd(), config_watch.fd(), jobs.fd())?;
        let (decoder, read_buffer) = (InputDecoder::default(), vec![0; READ_SIZE]);
        let code_release = next_release(Instant::now(), &CODE_RELEASE_PAUSES);
        Ok(Self {
            signals,
            poller,
            decoder,
            read_buffer,
            config_watch,
            jobs,
            readings,
            code_release,
            exit: None,
        })
    }

    /// When [`Self::release_code_if_due`] has something to do.
    pub(crate) fn code_release_due(&self) -> Option<Instant> {
        self.code_release.map(|(due, _)| due)
    }

    /// Releases the memory of the code, if a pause is over.
    pub(crate) fn release_code_if_due(&mut self, now: Instant) {
        if let Some((_, pauses)) = self.code_release.take_if(|(due, _)| *due <= now) {
            release_program_code();
            self.code_release = next_release(now, pauses);
        }
    }

    /// Reads and decodes everything that the terminal has. Returns `None` when the terminal is gone.
    pub(crate) fn read_terminal(&mut self, now: Instant) -> Option<Vec<TerminalInput>> {
        match retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut self.read_buffer)) {
            Ok(count @ 1..) => Some(self.decoder.feed(&self.read_buffer[..count], now)),
            Err(Errno::AGAIN) => Some(Vec::new()),
            Ok(0) | Err(_) => None,
        }
    }
}

/// The end of the first of these pauses, and the others.
fn next_release(now: Instant, pauses: &'static [Duration]) -> Option<(Instant, &'static [Duration])> {
    pauses.split_first().map(|(pause, rest)| (now + *pause, rest))
}
