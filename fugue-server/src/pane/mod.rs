//! A pane: one task that owns its terminal, its screen and everyone who waits for something in it. The manager and the
//! clients hold handles and send orders.

mod activity_monitor;
mod agent;
mod close;
mod current_state;
mod handle;
mod input;
mod observer;
mod order;
mod order_dispatch;
mod shell;
mod stored_screen;
mod subscribers;
mod task;
mod task_start;
mod terminal;
mod text;
mod timer;
mod waiters;

pub(crate) use activity_monitor::MonitorSettings;
pub(crate) use agent::agent_evidence::{PaneLook, evidence};
pub(crate) use agent::first_rest::FirstRest;
pub(crate) use handle::{PaneHandle, ProgramToHost, exit_status, host};
pub(crate) use input::input_record::remove_except as remove_input_records_except;
pub(crate) use order::{PaneOrder, TypedKeys};
pub(crate) use stored_screen::last_screen::LastScreen;
pub(crate) use stored_screen::restore::{restore, show_lost};
pub(crate) use subscribers::recording_buffer::{RecordingPosition, RecordingSlice};
pub(crate) use subscribers::subscriber::{Clipboard, ScreenUpdate, Subscriber};
pub(crate) use task_start::PaneContext;
pub(crate) use terminal::client_terminal::ClientTerminal;
