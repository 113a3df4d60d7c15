//! What replies show. A field that has nothing to say is left out, never null.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::agents::{AgentView, Explanation};
use crate::mail::{How, Payload, Place, Progress, Target, Way};
use crate::names::PaneName;
use crate::{
    LeaseName, MessageId, MessageType, PaneId, Rect, SessionId, SessionName, Size, Tag, Timestamp, WindowId,
    WindowName,
};

mod leases;
mod mail;
mod parallel;
mod server;
mod terminal;
mod tree;

pub use leases::*;
pub use mail::*;
pub use parallel::*;
pub use server::*;
pub use terminal::*;
pub use tree::*;
