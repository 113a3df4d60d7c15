//! The picture: panes, borders, the status line, and what lies over them.

mod borders;
mod panes;
mod popup;
mod sidebar;
mod status;

pub(crate) use panes::{
    ViewOrigin, around, border_at, draw as panes, label, origin, pane_at, part_seen, pointer,
};
pub(crate) use popup::draw as popup;
pub(crate) use sidebar::{NARROW, WIDTH, draw as sidebar};
pub(crate) use status::{StatusLine, StatusTarget, clicked, draw as status};
