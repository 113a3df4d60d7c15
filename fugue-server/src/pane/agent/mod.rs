//! The agent in a pane: evidence of its state, its turns and its dialogs.

pub(crate) mod agent_evidence;
pub(crate) mod dialog_answer;
pub(crate) mod dialog_answers;
pub(crate) mod dialog_watch;
pub(crate) mod first_rest;
pub(crate) mod left_screen;
pub(crate) mod shown_screen;
pub(crate) mod turns;
