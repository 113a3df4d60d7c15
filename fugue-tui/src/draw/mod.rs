//! Drawing: panes, borders, the status line, the sidebar and popups, onto a canvas.

mod borders;
mod lost;
mod panes;
mod popup;
mod sidebar;
mod status;

pub(crate) use lost::draw as lost;
pub(crate) use panes::{
    ViewOrigin, border_at, cursor, draw as panes, label, origin, origin_around, pane_at, visible_part,
};
pub(crate) use popup::draw as popup;
pub(crate) use sidebar::{MIN_TERMINAL_COLS, SIDEBAR_COLS, draw as sidebar};
pub(crate) use status::{StatusLine, StatusTarget, draw as status, status_target};
