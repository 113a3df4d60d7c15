//! The exits that are not reported to the daemon while the machine may be shutting down.

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, Instant};

use crate::handover::image_table::{ImageTable, TableField, TableWriter};
use crate::link::messages::PaneId;

/// How long exits are held back while the machine is shutting down: systemd kills what is left of a session after 90 s
/// unless it is configured otherwise.
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(120);

/// How long exits are held back until it is known whether the machine is shutting down: then the daemon gets a signal as
/// well and exits, within milliseconds.
const UNDECIDED: Duration = Duration::from_secs(2);

/// How long the daemon may take to tell whoever waits for an exit, before it is ended as well.
const TOLD_WITHIN: Duration = Duration::from_secs(1);

/// The exits that are not reported to the daemon yet.
#[derive(Default)]
pub(crate) struct HeldExits {
    /// When they are reported; none if exits are not held back.
    pub until: Option<Instant>,
    /// The time until which they are held back in case the machine is shutting down.
    shutdown_end: Option<Instant>,
    /// Whether the daemon has exited as well, so that the machine is shutting down.
    is_shutdown: bool,
    /// The time until which the daemon may be telling others of an exit.
    told_until: Option<Instant>,
    pub panes: BTreeSet<PaneId>,
}

impl HeldExits {
    /// Holds back the exits from now on, for the time in which a shutdown shows.
    pub(crate) fn begin(&mut self, shutdown: Duration, now: Instant) {
        if self.until.is_none() {
            self.until = Some(now + UNDECIDED.min(shutdown));
            self.shutdown_end = Some(now + shutdown);
        }
    }

    /// Takes note that the daemon has exited, too: the machine is shutting down.
    pub(crate) fn daemon_exited(&mut self) {
        self.is_shutdown = self.until.is_some();
        self.until = self.until.and(self.shutdown_end);
    }

    /// Holds the exit of a pane back, if the machine may be shutting down.
    pub(crate) fn hold(&mut self, pane: PaneId) -> bool {
        self.until.is_some() && self.panes.insert(pane)
    }

    /// Ends the time, and returns the panes whose exits are to be reported.
    pub(crate) fn release(&mut self, now: Instant) -> BTreeSet<PaneId> {
        let panes = std::mem::take(&mut self.panes);
        *self = Self::default();
        if !panes.is_empty() {
            self.reported(now);
        }
        panes
    }

    /// Takes note that an exit is reported.
    pub(crate) fn reported(&mut self, now: Instant) {
        self.told_until = Some(now + TOLD_WITHIN);
    }

    /// Whether someone who waits for an exit may not have been told yet. During a shutdown nobody is told, neither by the
    /// next daemon, which was started while programs were running.
    pub(crate) fn is_untold(&self, now: Instant) -> bool {
        let is_held = !self.is_shutdown && !self.panes.is_empty();
        is_held || self.told_until.is_some_and(|until| now < until)
    }

    /// When something is to be done.
    pub(crate) fn wake_at(&self, now: Instant) -> Option<Instant> {
        let told_until = self.told_until.filter(|until| now < *until);
        self.until.into_iter().chain(told_until).min()
    }

    /// Writes the records of the table for the next image.
    pub(crate) fn write<'a>(&'a self, table: &mut TableWriter<'a>) {
        let Some((until, end)) = self.until.zip(self.shutdown_end) else { return };
        let now = Instant::now();
        let left = |at: Instant| {
            let left = at.saturating_duration_since(now).as_millis();
            TableField::Number(left.cast_signed())
        };
        table.record("held", [left(until), left(end)]);
        self.panes.iter().for_each(|pane| table.record("held-exit", TableField::pane(pane)));
    }

    /// Reads the records of the last image.
    pub(crate) fn read(table: &mut ImageTable) -> io::Result<Self> {
        let Some(mut held) = table.take("held") else { return Ok(Self::default()) };
        let now = Instant::now();
        let mut after = || held.number().map(|left| Some(now + Duration::from_millis(left)));
        let (until, shutdown_end) = (after()?, after()?);
        let panes = table.take_all("held-exit").into_iter().map(|mut record| record.pane());
        // The two differ until the daemon has exited as well.
        let is_shutdown = until == shutdown_end;
        Ok(Self {
            until,
            shutdown_end,
            is_shutdown,
            told_until: None,
            panes: panes.collect::<io::Result<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exits_after_a_signal_are_told_soon_unless_the_daemon_exits_as_well() {
        let (mut held, now) = (HeldExits::default(), Instant::now());
        assert!(!held.hold([1; 16]), "there was no signal");
        held.begin(SHUTDOWN, now);
        assert!(held.hold([1; 16]));
        assert_eq!(held.wake_at(now), Some(now + UNDECIDED));
        assert!(held.is_untold(now));
        held.daemon_exited();
        assert_eq!(held.wake_at(now), Some(now + SHUTDOWN));
        assert!(!held.is_untold(now), "the machine shuts down without waiting for anybody");
        assert_eq!(held.release(now), BTreeSet::from([[1; 16]]));
        assert!(held.is_untold(now) && !held.is_untold(now + TOLD_WITHIN));
    }

    #[test]
    fn exits_that_are_held_back_stay_so_over_an_upgrade() {
        let (mut held, now) = (HeldExits::default(), Instant::now());
        held.begin(SHUTDOWN, now);
        held.hold([7; 16]);
        let mut writer = TableWriter::default();
        held.write(&mut writer);
        writer.record("end", []);
        let mut table = ImageTable::read(&writer.to_memfd().expect("a table")).expect("a table");
        let mut next = HeldExits::read(&mut table).expect("records");
        assert_eq!(next.panes, held.panes);
        assert!(next.is_untold(now));
        next.daemon_exited();
        assert!(next.until.is_some_and(|until| until > now + SHUTDOWN / 2));
    }
}
