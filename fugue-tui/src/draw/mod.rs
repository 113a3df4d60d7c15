//! Drawing: panes, borders, the status line, the sidebar and popups, onto a canvas.

mod borders;
mod frame;
mod lost;
mod panes;
mod placeholder;
mod popup;
mod sidebar;
mod status;
mod welcome;

pub(crate) use frame::draw as frame;
pub(crate) use lost::draw as lost;
pub(crate) use panes::{
    ViewOrigin, border_at, cursor, draw as panes, label, origin, origin_around, pane_at, visible_part,
};
pub(crate) use placeholder::draw as placeholder;
pub(crate) use popup::draw as popup;
pub(crate) use sidebar::{MIN_TERMINAL_COLS, VisibleRows, draw as sidebar, width as sidebar_width};
pub(crate) use status::{
    BarText, LineContent, PartContent, StatusLine, StatusTarget, StatusText, line as status_line, message,
    status_target, styled, tree_part,
};
pub(crate) use welcome::draw as welcome;
