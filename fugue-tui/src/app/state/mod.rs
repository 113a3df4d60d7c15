//! The parts of the attached client. Each owns fields that change together and the rules for changing them; none of
//! them knows the client as a whole.

pub(crate) mod bounded_command;
mod commanded_lines;
mod config_changes;
mod copy_offer;
mod copy_views;
pub(crate) mod daemon;
mod damage;
mod deferred_input;
pub(crate) mod display;
mod echo_prediction;
mod event_sources;
pub(crate) mod host_lines;
pub(crate) mod jobs;
mod keyboard;
mod mouse_state;
mod new_program;
mod open_overlays;
mod pane_views;
mod paste_queue;
mod popup;
mod running_lines;
pub(crate) mod status_clock;
mod status_messages;
pub(crate) mod status_readings;
mod terminal_colors;
mod tree_refresh;
pub(crate) mod window_search;
mod window_size;

pub(crate) use commanded_lines::CommandedLines;
pub(crate) use copy_offer::CopyOffer;
pub(crate) use daemon::DaemonConnection;
pub(crate) use display::Display;
pub(crate) use echo_prediction::EchoPrediction;
pub(crate) use event_sources::EventSources;
pub(crate) use host_lines::HostLines;
pub(crate) use keyboard::{AgentVisit, BoundKey, KeyAction, KeyboardState};
pub(crate) use mouse_state::{BorderDrag, MousePress, MouseState};
pub(crate) use new_program::NewProgram;
pub(crate) use open_overlays::OpenOverlays;
pub(crate) use pane_views::PaneViews;
pub(crate) use paste_queue::{AfterPart, MAX_PART, PasteQueues, PasteRoom};
pub(crate) use popup::{Popup, PopupArgs, PopupBox, PopupContent};
pub(crate) use running_lines::{LineOutput, LineRest, LineWait, RunningLine, StepAnswer};
pub(crate) use status_messages::StatusMessages;
pub(crate) use tree_refresh::changes_tree;
