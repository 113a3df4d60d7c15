//! How much was stored since the last checkpoint of the world, and whether another one is due. It counts what earlier
//! daemons stored as well: a daemon that is killed before it stores enough would otherwise never store a checkpoint, and
//! each start would replay more than the one before.

/// The number of events after which the whole world is stored, so that a start need not replay all of them.
const MAX_EVENTS: u64 = 2_000;

/// The bytes after which it is stored as well, so that large events are dropped in time.
const MAX_BYTES: u64 = 4 << 20;

/// What was stored since the last checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CheckpointAge {
    events: u64,
    bytes: u64,
    /// The size of the checkpoint.
    world_bytes: u64,
}

impl CheckpointAge {
    /// The age of a checkpoint of this size after which nothing was stored.
    pub(crate) fn new(world_bytes: u64) -> Self {
        Self { events: 0, bytes: 0, world_bytes }
    }

    /// Counts what is stored.
    pub(crate) fn add(&mut self, events: u64, bytes: u64) {
        self.events += events;
        self.bytes += bytes;
    }

    /// Whether the world is to be stored. A large one is stored less often, so that most of what is written is new.
    pub(crate) fn is_due(&self) -> bool {
        self.events >= MAX_EVENTS || self.bytes.saturating_sub(self.world_bytes) >= MAX_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_due_after_many_events_or_many_bytes() {
        let mut age = CheckpointAge::new(1 << 20);
        age.add(MAX_EVENTS - 1, MAX_BYTES);
        assert!(!age.is_due());
        let mut larger = age;
        age.add(1, 0);
        assert!(age.is_due());
        larger.add(0, 1 << 20);
        assert!(larger.is_due());
    }
}
