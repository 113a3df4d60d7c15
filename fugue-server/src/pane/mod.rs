//! A pane: one task that owns its terminal, its screen and everyone who waits for something in it. The manager and the
//! clients hold handles and send orders.

mod agent_evidence;
mod command_run;
mod current_state;
mod dialog_answer;
mod dialog_watch;
mod foreground_process;
mod guarded_line;
mod handle;
mod input_record;
mod keyboard;
mod keyboard_lock;
mod lost;
mod match_window;
mod notification_line;
mod observer;
mod order;
mod order_dispatch;
mod output;
mod pattern;
mod picture;
mod process_info;
mod pty_readiness;
mod pty_write_queue;
mod recording_buffer;
mod restore;
mod screen_rows;
mod screen_save_schedule;
mod screen_storage;
mod search;
mod shell_line;
mod shell_prompt;
mod submit_watch;
mod subscriber;
mod subscribers;
mod sync_update;
mod task;
mod terminal_colors;
mod terminal_io;
mod text_range;
mod text_reader;
mod timer;
mod turns;
mod typed_input;
#[cfg(test)]
mod typing_model;
mod waiters;

pub(crate) use handle::{NewPane, PaneHandle, exit_status, host};
pub(crate) use input_record::remove_except as remove_input_records_except;
pub(crate) use lost::show_lost;
pub(crate) use order::PaneOrder;
pub(crate) use recording_buffer::{RecordingPosition, RecordingSlice};
pub(crate) use restore::restore;
pub(crate) use subscriber::{Clipboard, ScreenUpdate, Subscriber};
pub(crate) use task::PaneContext;
pub(crate) use terminal_colors::ClientColors;
