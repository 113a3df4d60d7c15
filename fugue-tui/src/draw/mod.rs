//! Drawing: panes, borders, the status line, the sidebar and popups, onto a canvas.

mod border_titles;
mod borders;
mod boxes;
mod exited;
mod lost;
mod pane_label;
mod panes;
mod placeholder;
mod popup;
mod sidebar;
mod status;
mod view_origin;

pub(crate) use borders::{border_at, join_sidebar};
pub(crate) use boxes::{frame, welcome};
pub(crate) use exited::draw as exited;
pub(crate) use lost::draw as lost;
pub(crate) use pane_label::{label, name};
pub(crate) use panes::{cursor, draw as panes, pane_at};
pub(crate) use placeholder::draw as placeholder;
pub(crate) use popup::draw as popup;
pub(crate) use sidebar::{
    MIN_DEFAULT_COLS, MIN_TERMINAL_COLS, SidebarRow, VisibleRows, draw as sidebar, rows as sidebar_rows,
    width as sidebar_width,
};
pub(crate) use status::message::{draw as message, lead_cols as message_lead_cols, question, yes_or_no};
pub(crate) use status::{
    BarText, LineContent, MessageKind, PartContent, StatusLine, StatusTarget, StatusText,
    line as status_line, status_target, styled, tree_part,
};
pub(crate) use view_origin::{ViewOrigin, origin, origin_around, visible_part};
