//! What the event loop waits for, and why it ends.

use std::os::fd::AsFd;
use std::time::Instant;

use fugue_client::{CallError, Paths};
use rustix::io::{Errno, retry_on_intr};

use super::config_changes::ConfigChanges;
use super::jobs::Jobs;
use super::running_lines::RunningLines;
use super::status_readings::StatusReadings;
use crate::tty::input_decoder::{InputDecoder, TerminalInput};
use crate::tty::poller::Poller;
use crate::tty::signals::Signals;

/// Bytes read from the terminal at once. The kernel holds no more than 4 KB of a terminal's input.
const READ_SIZE: usize = 8 << 10;

/// The sources of events, and the result that ends the loop.
pub(crate) struct EventSources {
    pub(crate) signals: Signals,
    pub(crate) poller: Poller,
    pub(crate) decoder: InputDecoder,
    read_buffer: Vec<u8>,
    pub(crate) config: ConfigChanges,
    pub(crate) jobs: Jobs,
    pub(crate) lines: RunningLines,
    pub(crate) readings: StatusReadings,
    /// The last words of the client; the loop ends when they are set.
    pub(crate) exit: Option<Result<String, CallError>>,
}

impl EventSources {
    pub(crate) fn new(paths: &Paths) -> std::io::Result<Self> {
        let signals = Signals::new()?;
        let config = ConfigChanges::new(&paths.config, Instant::now());
        let jobs = Jobs::new()?;
        let lines = RunningLines::new(jobs.fd().try_clone_to_owned()?);
        let readings = StatusReadings::new(jobs.fd().try_clone_to_owned()?, &paths.socket);
        let poller = Poller::new(signals.as_fd(), config.fd(), jobs.fd())?;
        let (decoder, read_buffer) = (InputDecoder::default(), vec![0; READ_SIZE]);
        Ok(Self { signals, poller, decoder, read_buffer, config, jobs, lines, readings, exit: None })
    }

    /// Returns whether the configuration file may have changed, when it is ready or it is time to look at it.
    pub(crate) fn has_config_changed(&mut self, is_ready: bool, now: Instant) -> bool {
        if !is_ready && self.config.due().is_none_or(|due| due > now) {
            return false;
        }
        let has_changed = self.config.take(now);
        if self.poller.watch_config(self.config.fd()).is_err() {
            self.config.poll(now);
        }
        has_changed
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
