//! The manager, the one task that owns the machine, and the parts it is made of.

mod config_reload;
mod effects;
mod keeper_events;
mod lifecycle;
pub(crate) mod manager;
mod manager_inputs;
mod programs;
mod requests;
mod schedule;
mod storage;
mod upgrade;

pub(crate) use manager::{Manager, ManagerParts};
pub(crate) use manager_inputs::{ManagerInput, ManagerTx, RouteRequest, UpgradeInput, channel};
pub(crate) use programs::program_host::ProgramHost;
pub(crate) use requests::caller_identity::{CallerEvidence, OwnProcesses};
pub(crate) use storage::event_stream::{EventStream, StreamedEvent};
pub(crate) use storage::store::Store;
