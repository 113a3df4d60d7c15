//! The words of fugue: what clients and the daemon say to each other.
//!
//! Pure data: no sockets, no runtime, no behaviour beyond reading, writing and checking a word.

pub mod agents;
pub mod base64;
pub mod color;
pub mod escape;
pub mod events;
pub mod framing;
pub mod geometry;
pub mod ids;
pub mod layout;
pub mod ledger;
pub mod limits;
pub mod messages;
pub mod names;
pub mod orchestration;

pub mod recording;
pub mod reference;
pub mod refusal;
pub mod render;
mod text_schema;
pub mod time;
pub mod verbs;
pub mod views;

pub use agents::{AgentState, AgentView};
pub use color::RgbColor;
pub use events::Event;
pub use geometry::{Axis, Rect, Side, Size};
pub use ids::{IdGenerator, MessageId, PaneId, RunId, SessionId, WindowId};
pub use names::{IdempotencyKey, LeaseName, MessageType, PaneName, SessionName, Tag, WindowName};
pub use reference::{PaneRef, SessionRef, WindowRef};
pub use refusal::Refusal;
pub use time::Timestamp;
pub use verbs::Verb;

/// The protocol's number. Peers of different numbers refuse each other in the greeting.
pub const PROTOCOL: u32 = 1;
