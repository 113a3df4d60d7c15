//! Token buckets: an allowance per minute that may be used at once and refills evenly. They are not stored: a daemon that
//! starts begins with full ones.

use std::collections::BTreeMap;

use fugue_protocol::{SessionId, Timestamp};

/// The parts of a token: as many as a minute has milliseconds, so that a bucket of `limit` tokens a minute refills by
/// `limit` parts a millisecond, without rounding.
const PARTS: u64 = 60_000;

/// The buckets of sessions; agents outside any session share one.
#[derive(Debug, Default)]
pub(crate) struct TokenBuckets(BTreeMap<Option<SessionId>, Bucket>);

#[derive(Debug, Clone, Copy)]
struct Bucket {
    parts: u64,
    at: Timestamp,
}

impl TokenBuckets {
    /// Takes tokens from the buckets of all payers, or from none. If one has too few, returns the milliseconds until it
    /// has enough. The buckets of sessions that are not known any more are dropped.
    pub(crate) fn take(
        &mut self,
        now: Timestamp,
        payers: &[Option<SessionId>],
        tokens: usize,
        limit: usize,
        is_known: impl Fn(SessionId) -> bool,
    ) -> Result<(), u64> {
        if tokens == 0 {
            return Ok(());
        }
        let limit = limit as u64;
        // A request that needs more than a whole bucket is granted when the bucket is full.
        let needed = (tokens as u64).min(limit.max(1)) * PARTS;
        let filled = payers.iter().map(|payer| (*payer, self.parts(*payer, now, limit)));
        let filled: Vec<_> = filled.collect();
        if let Some(least) = filled.iter().map(|(_, parts)| *parts).min().filter(|parts| *parts < needed) {
            return Err((needed - least).div_ceil(limit.max(1)));
        }
        self.0.retain(|payer, _| payer.is_none_or(&is_known));
        let paid =
            filled.into_iter().map(|(payer, parts)| (payer, Bucket { parts: parts - needed, at: now }));
        self.0.extend(paid);
        Ok(())
    }

    /// What a bucket holds now. A clock that was set back adds nothing.
    fn parts(&self, payer: Option<SessionId>, now: Timestamp, limit: u64) -> u64 {
        let full = limit * PARTS;
        let Some(bucket) = self.0.get(&payer) else { return full };
        let passed = now.millis().saturating_sub(bucket.at.millis());
        bucket.parts.saturating_add(passed.saturating_mul(limit)).min(full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_bucket_allows_a_burst_and_then_refills_evenly() {
        let mut buckets = TokenBuckets::default();
        let mut take = |millis, tokens| buckets.take(at(millis), &[None], tokens, 60, |_| true);
        assert_eq!(take(0, 60), Ok(()));
        assert_eq!(take(0, 1), Err(1_000));
        assert_eq!(take(999, 1), Err(1));
        assert_eq!(take(1_000, 1), Ok(()));
        assert_eq!(take(500, 1), Err(1_000), "a clock that was set back adds nothing");
    }

    #[test]
    fn every_payer_needs_enough_and_a_forgotten_session_starts_with_a_full_bucket() {
        let (parent, child) = (SessionId::from_bytes([1; 16]), SessionId::from_bytes([2; 16]));
        let mut buckets = TokenBuckets::default();
        assert_eq!(buckets.take(at(0), &[Some(parent)], 2, 2, |_| true), Ok(()));
        assert_eq!(buckets.take(at(0), &[Some(child), Some(parent)], 1, 2, |_| true), Err(30_000));
        assert_eq!(buckets.take(at(0), &[Some(child)], 2, 2, |session| session != parent), Ok(()));
        assert_eq!(buckets.take(at(0), &[Some(parent)], 2, 2, |_| true), Ok(()));
    }

    #[test]
    fn a_limit_of_zero_allows_nothing_and_a_large_request_needs_a_full_bucket() {
        let mut buckets = TokenBuckets::default();
        assert_eq!(buckets.take(at(0), &[None], 1, 0, |_| true), Err(60_000));
        assert_eq!(buckets.take(at(0), &[None], 16, 10, |_| true), Ok(()));
        assert_eq!(buckets.take(at(59_999), &[None], 16, 10, |_| true), Err(1));
    }
}
