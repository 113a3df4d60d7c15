//! Pane numbers over the panes: a digit goes to that pane, any other key closes them. They close by themselves, too.

use std::time::Duration;

use fugue_protocol::Size;
use fugue_screen::keys::{Code, Key};

use super::outcome::Outcome;
use crate::draw::{self, ViewOrigin};
use crate::paint::Canvas;
use crate::theme::ThemePart;
use crate::tree::Tree;

/// How long the numbers stay: long enough to find one's own.
pub(crate) const SHOWN: Duration = Duration::from_secs(2);

pub(super) fn key(key: Key, tree: &Tree) -> Outcome {
    let digit = if let Code::Char(c) = key.code { c.to_digit(10) } else { None };
    let panes = tree.visible_panes();
    match digit.and_then(|digit| panes.iter().find(|pane| pane.index == digit as usize)) {
        Some(pane) => Outcome::Run(format!("focus-pane -t {}", pane.pane_id)),
        None if key.code == Code::Escape => Outcome::Close,
        None => Outcome::Pass,
    }
}

/// Draws the numbers, each in the middle of the visible part of its pane.
pub(super) fn draw(canvas: &mut Canvas, tree: &Tree, (origin, room): (ViewOrigin, Size)) {
    for pane in tree.visible_panes() {
        let Some((place, _)) = draw::visible_part(pane.place, origin, room) else { continue };
        let (row, col) = (place.row + place.rows / 2, place.col + (place.cols / 2).saturating_sub(1));
        let style =
            if pane.active { canvas.style(ThemePart::BarStrong) } else { canvas.style(ThemePart::Message) };
        canvas.text(row, col, place.col + place.cols, &format!(" {} ", pane.index), style);
    }
}
