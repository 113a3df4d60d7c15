//! A pane's terminal: grid, packed history, updates, views.
//!
//! The bytes of a program go into a [`Screen`]; text, pictures and replies come out. The crate uses no clock, no files
//! and no threads. A viewer keeps a [`Mirror`] and asks for [`Update`]s; input is encoded by [`keys`] and [`mouse`].

mod binary_format;
mod cell;
mod char_width;
mod charset;
mod color_overrides;
mod control;
mod cursor;
mod double_width;
mod events;
mod geometry;
mod grid;
mod history;
mod images;
mod interner;
pub mod keys;
mod link_schemes;
mod mirror;
mod modes;
pub mod mouse;
mod packed_style;
mod palette;
mod parser;
mod paste;
mod program_reports;
mod prompt_marks;
mod reflow;
mod row;
mod row_view;
mod row_writer;
mod rows;
mod screen;
mod shell_commands;
mod single_column;
mod snapshot;
mod style;
mod tab_stops;
mod terminal;
mod text_lines;
mod text_printer;
mod title_stack;
mod untrusted_text;
mod update;
mod update_encoder;
mod views;
mod work_budget;

pub use binary_format::DecodeError;
pub use color_overrides::ColorOverrides;
pub use cursor::{Cursor, CursorShape};
pub use events::{BlockedBy, ProgramState, ProgramStatus, ProgressReport, ScreenEvent};
pub use geometry::{Position, Size, TextLine};
pub use history::{DropReason, Limits};
pub use images::{ImageData, ImageFormat, ImagePiece, ImageSupport, PixelRect, PixelSize, SixelImage};
pub use link_schemes::{LINK_SCHEMES, LinkSchemes};
pub use mirror::Mirror;
pub use modes::{Modes, Mouse, MouseEncoding};
pub use palette::{BASIC_COLORS, TerminalPalette};
pub use paste::{focus, paste, paste_bytes};
pub use row_view::{RowView, Span};
pub use screen::Screen;
pub use shell_commands::{CommandRecord, MarkedCommand, ShellState, TypedRange};
pub use style::{Attrs, Color, Rgb, Style, Underline};

pub use update::Update;
#[cfg(feature = "png")]
pub use views::ScreenImage;
pub use views::{LastLinesAnsi, ScreenView, StyledLine};
