//! What a screen looks like to those who do not draw it themselves: plain text, ANSI, JSON, HTML, a picture.

pub(crate) mod json;
mod text;
