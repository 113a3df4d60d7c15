//! What the outer terminal is to show, and the bytes that make it so.

mod canvas;
mod paint;
mod sgr;

pub(crate) use canvas::{Canvas, Cell};
pub(crate) use paint::{Painter, Pointer};
