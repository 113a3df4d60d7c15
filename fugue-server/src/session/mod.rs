//! The manager, the one task that owns the machine, and the parts it is made of.

mod batch;
mod caller_identity;
mod commit;
mod config_reload;
mod edge_requests;
mod effects;
mod event_stream;
mod event_waits;
mod git_locations;
mod git_lookups;
mod keeper_events;
mod lifecycle;
mod lost_panes;
pub(crate) mod manager;
mod manager_inputs;
mod message_storage;
mod multi_wait;
mod panes;
mod parallel_output;
mod pending_requests;
mod pending_spawns;
mod program_host;
mod retries;
mod schedule;
mod session_colors;
mod store;
mod unread_counts;
mod unstored_facts;
mod upgrade;

pub(crate) use caller_identity::{CallerEvidence, OwnProcesses};
pub(crate) use event_stream::{EventStream, StreamedEvent};
pub(crate) use manager::{Manager, ManagerParts};
pub(crate) use manager_inputs::{ManagerInput, ManagerTx, RouteRequest, UpgradeInput, channel};
pub(crate) use program_host::ProgramHost;
pub(crate) use store::Store;
pub(crate) use upgrade::own_executable;
