//! A pane's terminal: grid, packed history, updates, views.
//!
//! Bytes of a program go into a [`Screen`]; text, pictures and answers come out. The crate has no clock, no files
//! and no threads. Who shows a screen keeps a [`Mirror`] and asks for [`Update`]s; who types into it uses [`keys`].

mod bytes;
mod cell;
mod charset;
mod colors;
mod commands;
mod control;
mod double;
mod grid;
mod history;
pub mod keys;
mod lines;
mod look;
mod marks;
mod mirror;
mod modes;
pub mod mouse;
mod narrow;
mod notice;
mod own;
mod parser;
mod paste;
mod print;
mod reflow;
mod row;
mod run;
mod said;
mod screen;
mod snapshot;
mod span;
mod style;
mod tables;
mod tabs;
mod terminal;
mod text;
mod tidy;
mod update;
mod views;
mod width;

pub use bytes::DecodeError;
pub use colors::{BASIC_COLORS, Rgb, TerminalPalette};
pub use commands::{CommandRecord, ShellState};
pub use lines::{Position, TextLine};
pub use mirror::Mirror;
pub use modes::{Modes, Mouse, MouseEncoding};
pub use notice::{BlockedBy, ProgramState, ProgramStatus, ProgressReport, ScreenEvent};
pub use own::ColorOverrides;
pub use paste::{focus, paste, paste_bytes};
pub use screen::{Cursor, CursorShape, Limits, Screen, Size};
pub use span::{RowView, Span};
pub use style::{Attrs, Color, Style, Underline};
pub use update::Update;
#[cfg(feature = "png")]
pub use views::Canvas;
pub use views::{ScreenView, StyledLine};
