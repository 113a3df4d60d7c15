//! Timestamps.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Milliseconds since 1970, UTC.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline, schema_with = "plain_integer")]
pub struct Timestamp(u64);

/// An integer without `format: uint64`, which some agents warn about.
pub(crate) fn plain_integer(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "integer" })
}

impl Timestamp {
    /// The time this many milliseconds after 1970.
    pub fn from_millis(millis: u64) -> Self {
        Self(millis)
    }
    /// Milliseconds since 1970.
    pub fn millis(self) -> u64 {
        self.0
    }
    /// The duration since `earlier`; zero if the clock went backward.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
    /// The time `span` later.
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(span.as_millis()).unwrap_or(u64::MAX)))
    }
}
