//! Frames for the outer terminal, and the bytes that make it show them.

mod canvas;
mod cell;
mod certain_widths;
mod charset;
mod color_depth;
mod dirty_rows;
mod painter;
mod sgr;

pub(crate) use canvas::Canvas;
pub(crate) use cell::CanvasCell;
#[cfg(test)]
pub(crate) use cell::Glyph;
pub(crate) use charset::TerminalCharset;
pub(crate) use color_depth::ColorDepth;
#[cfg(test)]
pub(crate) use color_depth::palette_rgb;
pub(crate) use dirty_rows::DirtyRows;
pub(crate) use painter::{Painter, TerminalCursor, WrittenRun};
