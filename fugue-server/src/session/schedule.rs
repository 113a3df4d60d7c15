//! The schedule: when the machine is woken though no input arrives. The machine says when it needs that; this only delays
//! it while nothing can be stored.

use fugue_protocol::Timestamp;

/// The time before which the machine is not woken.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// The time before which nothing is tried, because the last batch could not be stored.
    not_before: Option<Timestamp>,
}

impl Schedule {
    /// Returns when to wake the machine, which itself wants to be woken at `machine`.
    pub(super) fn due(&self, machine: Option<Timestamp>) -> Option<Timestamp> {
        machine.map(|due| self.not_before.map_or(due, |at| due.max(at)))
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
    fn the_machine_is_woken_when_it_wants_to_be_but_not_while_backing_off() {
        let mut schedule = Schedule::default();
        assert_eq!(schedule.due(None), None);
        assert_eq!(schedule.due(Some(at(10))), Some(at(10)));
        schedule.back_off(at(25));
        assert_eq!(schedule.due(Some(at(10))), Some(at(25)));
        assert_eq!(schedule.due(None), None);
        schedule.resume();
        assert_eq!(schedule.due(Some(at(10))), Some(at(10)));
    }
}
