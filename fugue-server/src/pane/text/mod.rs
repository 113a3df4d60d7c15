//! Reading a pane's text: its screen, its history, searches and pictures.

pub(crate) mod line_reader;
pub(crate) mod match_window;
pub(crate) mod pattern;
pub(crate) mod picture;
pub(crate) mod screen_rows;
pub(crate) mod search;
pub(crate) mod text_range;
pub(crate) mod text_reader;
