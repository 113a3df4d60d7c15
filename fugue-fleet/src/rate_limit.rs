//! How many messages are taken from each other host.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fugue_protocol::FleetHost;

/// The period of the limit.
const PERIOD: Duration = Duration::from_secs(60);

/// A bucket for each sending host, which holds as many tokens as messages per minute are allowed.
pub(crate) struct RateLimit {
    per_minute: usize,
    buckets: BTreeMap<FleetHost, HostTokens>,
}

struct HostTokens {
    tokens: f64,
    filled_at: Instant,
}

impl RateLimit {
    pub(crate) fn new(per_minute: usize) -> Self {
        Self { per_minute, buckets: BTreeMap::new() }
    }

    /// Whether one more message of a host is within its limit, in which case it counts.
    pub(crate) fn take(&mut self, host: &FleetHost, now: Instant) -> bool {
        // Limits are far below the numbers that a float cannot hold.
        let most = self.per_minute as f64;
        let bucket = self.buckets.entry(host.clone()).or_insert(HostTokens { tokens: most, filled_at: now });
        let passed = now.saturating_duration_since(bucket.filled_at).as_secs_f64();
        bucket.tokens = (bucket.tokens + most * passed / PERIOD.as_secs_f64()).min(most);
        bucket.filled_at = now;
        let is_within = bucket.tokens >= 1.0;
        if is_within {
            bucket.tokens -= 1.0;
        }
        is_within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_sends_too_much_does_not_use_up_the_share_of_another() {
        let mut limit = RateLimit::new(2);
        let (a, b): (FleetHost, FleetHost) = ("a".parse().unwrap(), "b".parse().unwrap());
        let start = Instant::now();
        let taken: Vec<_> = (0..3).map(|_| limit.take(&a, start)).collect();
        assert_eq!(taken, [true, true, false]);
        assert!(limit.take(&b, start));
        assert!(limit.take(&a, start + Duration::from_secs(30)));
        assert!(!limit.take(&a, start + Duration::from_secs(30)));
    }
}
