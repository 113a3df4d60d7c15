//! Ids: UUIDv7, in a newtype each, so that a pane's id cannot be mistaken for a session's.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::Timestamp;
use crate::string_type_macros::{text_schema, text_serde};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// The sixteen bytes, as used in binary frames.
            pub fn as_bytes(&self) -> &[u8; 16] { self.0.as_bytes() }
            /// The id with these sixteen bytes.
            pub fn from_bytes(bytes: [u8; 16]) -> Self { Self(Uuid::from_bytes(bytes)) }
            /// The last eight digits, for people to read and type.
            pub fn short(&self) -> String { self.to_string().split_off(28) }
        }
        impl From<Uuid> for $name { fn from(uuid: Uuid) -> Self { Self(uuid) } }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { self.0.fmt(f) }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { self.0.fmt(f) }
        }
        impl FromStr for $name {
            type Err = NotAnId;
            fn from_str(text: &str) -> Result<Self, NotAnId> {
                Uuid::parse_str(text).map(Self).map_err(|_| NotAnId(text.to_owned()))
            }
        }
        text_schema!($name);
        text_serde!($name);
    )*};
}

ids! {
    /// A session's id.
    SessionId,
    /// A window's id.
    WindowId,
    /// A pane's id; it stays the same when the pane moves or is respawned.
    PaneId,
    /// One run of a pane's program: a respawned pane has a new one.
    RunId,
    /// A message's id, by which a recipient recognizes duplicates.
    MessageId,
}

/// The error for text that is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a UUID")]
pub struct NotAnId(pub String);

/// Generates ids from a time and a seed. The same time and seed give the same ids again, so a request that is decided
/// twice refers to the same panes both times.
#[derive(Debug, Clone)]
pub struct IdGenerator {
    now: Timestamp,
    seed: u64,
    made: u64,
}

impl IdGenerator {
    /// A generator for one request; `seed` is a random number from outside the core.
    pub fn new(now: Timestamp, seed: u64) -> Self {
        Self { now, seed, made: 0 }
    }

    /// The next id.
    pub fn fresh<Id: From<Uuid>>(&mut self) -> Id {
        let noise = self.noise();
        let noise = std::array::from_fn(|at| noise[at]);
        uuid::Builder::from_unix_timestamp_millis(self.now.millis(), &noise).into_uuid().into()
    }

    /// The next id for a program that distinguishes ids by their first characters, which must not be a time.
    pub fn fresh_random(&mut self) -> Uuid {
        uuid::Builder::from_random_bytes(self.noise()).into_uuid()
    }

    fn noise(&mut self) -> [u8; 16] {
        self.made += 1;
        let high = scatter(self.seed ^ scatter(self.made));
        (u128::from(high) << 64 | u128::from(scatter(high))).to_be_bytes()
    }
}

/// The finalizer of splitmix64: every bit of the result depends on every bit of the input.
fn scatter(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_ids_and_no_id_twice() {
        let make = || {
            let mut ids = IdGenerator::new(Timestamp::from_millis(1_700_000_000_000), 7);
            (0..1000).map(|_| ids.fresh::<PaneId>()).collect::<Vec<_>>()
        };
        let ids = make();
        assert_eq!(ids, make());
        assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), 1000);
        assert!(ids[0].to_string().chars().nth(14) == Some('7'), "version 7: {}", ids[0]);
    }

    #[test]
    fn random_ids_of_the_same_time_differ_in_their_first_characters() {
        let make = |seed| IdGenerator::new(Timestamp::from_millis(1_700_000_000_000), seed).fresh_random();
        let ids: Vec<_> = (0..1000).map(|seed| make(seed).to_string()).collect();
        assert_eq!(make(0).to_string(), ids[0]);
        assert!(ids[0].chars().nth(14) == Some('4'), "version 4: {}", ids[0]);
        assert_eq!(ids.iter().map(|id| &id[..8]).collect::<std::collections::BTreeSet<_>>().len(), 1000);
    }
}
