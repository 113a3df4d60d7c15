//! The schedule: when the machine must be woken though no input arrives.

use fugue_protocol::Timestamp;

/// The times at which the machine must be woken.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// The earliest time that an effect asked for.
    wake: Option<Timestamp>,
    /// The time before which nothing is tried, because the last batch could not be stored.
    not_before: Option<Timestamp>,
}

impl Schedule {
    /// Wakes the machine at this time, or earlier.
    pub(super) fn wake_at(&mut self, at: Timestamp) {
        self.wake = Some(self.wake.map_or(at, |wake| wake.min(at)));
    }

    /// Returns when to wake the machine, which itself wants to be woken at `machine`.
    pub(super) fn due(&self, machine: Option<Timestamp>) -> Option<Timestamp> {
        let due = [self.wake, machine].into_iter().flatten().min()?;
        Some(self.not_before.map_or(due, |at| due.max(at)))
    }

    /// The machine is being woken.
    pub(super) fn woken(&mut self) {
        self.wake = None;
    }

    /// Tries nothing before this time.
    pub(super) fn back_off(&mut self, until: Timestamp) {
        self.not_before = Some(until);
    }

    /// A batch was stored: there is no need to back off any more.
    pub(super) fn resume(&mut self) {
        self.not_before = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn the_machine_is_woken_at_the_earliest_time_but_not_while_backing_off() {
        let mut schedule = Schedule::default();
        assert_eq!(schedule.due(None), None);
        schedule.wake_at(at(30));
        schedule.wake_at(at(20));
        schedule.wake_at(at(40));
        assert_eq!(schedule.due(None), Some(at(20)));
        assert_eq!(schedule.due(Some(at(10))), Some(at(10)));
        schedule.back_off(at(25));
        assert_eq!(schedule.due(Some(at(10))), Some(at(25)));
        schedule.resume();
        schedule.woken();
        assert_eq!(schedule.due(None), None);
    }
}
