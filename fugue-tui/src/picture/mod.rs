//! What the outer terminal is to show, and the bytes that make it so.

mod canvas;
mod depth;
mod paint;
mod rows;
mod sgr;
mod sure;

pub(crate) use canvas::{Canvas, Cell};
pub(crate) use depth::Depth;
pub(crate) use paint::{Painter, Pointer};
pub(crate) use rows::Rows;
