//! The daemon's clock and randomness: the core is pure, so both are handed to it.
//!
//! The clock is set by the wall clock when the daemon starts and then counts by itself, so leases and messages do not
//! expire, and do not last longer, because somebody set the time. It counts while the machine is suspended. A daemon's
//! clock never starts before the last event in its journal.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fugue_protocol::Timestamp;
use rustix::time::{ClockId, clock_gettime};

/// The clock of this process.
static CLOCK: OnceLock<DaemonClock> = OnceLock::new();

/// A clock that was set once and counts by itself.
struct DaemonClock {
    set_to: Timestamp,
    /// The time since the machine was started, when the clock was set.
    set_at: Duration,
}

impl DaemonClock {
    /// A clock that is set by the wall clock, but not to a time before the last event.
    fn set(wall: Timestamp, last_event: Timestamp, uptime: Duration) -> Self {
        Self { set_to: wall.max(last_event), set_at: uptime }
    }

    fn read(&self, uptime: Duration) -> Timestamp {
        self.set_to.after(uptime.saturating_sub(self.set_at))
    }
}

/// Sets the clock of this process. Later calls change nothing.
pub(crate) fn start(last_event: Timestamp) {
    CLOCK.get_or_init(|| DaemonClock::set(wall(), last_event, uptime()));
}

/// Returns the current time.
pub(crate) fn now() -> Timestamp {
    let clock = CLOCK.get_or_init(|| DaemonClock::set(wall(), Timestamp::default(), uptime()));
    clock.read(uptime())
}

fn wall() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// The time since the machine was started, including the time it was suspended.
fn uptime() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec.try_into().unwrap_or_default())
}

/// Returns 64 random bits, from which the core generates the ids of a request.
pub(crate) fn seed() -> u64 {
    getrandom::u64().expect("the kernel provides random bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn setting_the_wall_clock_changes_nothing_while_the_daemon_lives() {
        let clock = DaemonClock::set(at(50_000), at(0), Duration::from_secs(7));
        // Only the time since the machine was started counts; the wall clock is not asked again.
        assert_eq!(clock.read(Duration::from_secs(7)), at(50_000));
        assert_eq!(clock.read(Duration::from_secs(10)), at(53_000));
    }

    #[test]
    fn a_daemon_continues_after_the_last_event_if_the_wall_clock_was_set_back() {
        let clock = DaemonClock::set(at(1_000), at(90_000), Duration::from_secs(7));
        assert_eq!(clock.read(Duration::from_secs(8)), at(91_000));
    }
}
