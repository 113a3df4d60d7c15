//! The types that replies are made of. A field without a value is omitted, never null.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent_messages::{DeliveryMethod, DeliveryState, OfferedVia, Payload, Target};
pub use crate::agents::{AgentView, Explanation};
use crate::conversation::Conversation;
use crate::names::PaneName;
use crate::worktree::GitLocation;
use crate::{
    LeaseName, MessageId, MessageType, OptionScope, PaneId, Rect, SessionId, SessionName, Size, Tag,
    Timestamp, WindowId, WindowName,
};

mod buffers;
mod dropped_output;
mod entries;
mod exit;
mod fleet;
mod leases;
mod messages;
mod parallel;
mod permissions;
mod restore;
mod server;
mod spawn;
mod terminal;
mod tree;
mod worktrees;

pub use buffers::*;
pub use dropped_output::*;
pub use entries::*;
pub use exit::*;
pub use fleet::*;
pub use leases::*;
pub use messages::*;
pub use parallel::*;
pub use permissions::*;
pub use restore::*;
pub use server::*;
pub use spawn::*;
pub use terminal::*;
pub use tree::*;
pub use worktrees::*;
