//! Input on its way to a pane's program: what people and agents type, and what is typed for them.

pub(crate) mod field_submit;
pub(crate) mod guarded_line;
pub(crate) mod held_replies;
pub(crate) mod input_record;
pub(crate) mod keyboard;
pub(crate) mod keyboard_lock;
pub(crate) mod notification_line;
pub(crate) mod pty_write_queue;
pub(crate) mod submit_watch;
pub(crate) mod typed_input;
#[cfg(test)]
pub(crate) mod typing_model;
pub(crate) mod typing_request;
