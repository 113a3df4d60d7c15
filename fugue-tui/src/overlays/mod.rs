//! Overlays: what is drawn over the panes and has the keyboard meanwhile. Prompts, lists, pane numbers, copy mode.

mod agent_list;
mod hints;
mod host_rows;
mod key_lists;
mod list;
mod list_contents;
mod list_draw;
mod list_filter;
mod list_foot;
mod list_marks;
mod list_place;
mod list_row;
mod list_rows;
mod message_list;
pub(crate) mod outcome;
mod pane_numbers;
mod person_menu;
mod prompt;
mod reply_lists;

use std::collections::BTreeMap;

use fugue_protocol::{PaneId, Size};
use fugue_screen::Mirror;
use fugue_screen::keys::{Code, Key};
use fugue_screen::mouse::MouseEvent;

pub(crate) use agent_list::{AGENTS, agents};
pub(crate) use hints::{HintPane, Hints};
pub(crate) use key_lists::{help, palette, pane_menu, window_menu};
pub(crate) use list::List;
pub(crate) use list_contents::{SESSIONS, TREE, buffers, destinations, found, go_to_line, sessions, tree};
pub(crate) use list_row::RowTarget;
pub(crate) use message_list::messages;
pub(crate) use pane_numbers::SHOWN as PANE_NUMBERS_SHOWN;
pub(crate) use person_menu::person_menu;
pub(crate) use prompt::{Prompt, quote};
pub(crate) use reply_lists::{clients, past_messages, reply};

use crate::copy_mode::CopyMode;
use crate::draw::{self, MessageKind, ViewOrigin};
use crate::paint::{Canvas, TerminalCursor};
use crate::tree::Tree;
use outcome::OverlayOutcome;

/// Rows that one step of the wheel scrolls.
pub(crate) const WHEEL_ROWS: usize = 3;

/// An overlay.
pub(crate) enum Overlay {
    /// A line to type.
    Prompt(Prompt),
    /// A yes-or-no question, and the command that runs on yes.
    Confirm(String, String),
    /// A list to choose from.
    List(List),
    /// The numbers of the panes.
    PaneNumbers,
    /// The next key is described.
    DescribeKey,
    /// Labels on links and paths.
    Hints(Hints),
    /// Copy mode in a pane.
    Copy(Box<CopyMode>),
}

impl Overlay {
    pub(crate) fn key(&mut self, key: Key, tree: &Tree) -> OverlayOutcome {
        match self {
            Self::Prompt(prompt) => prompt.key(key),
            Self::Confirm(_, command) => confirm(command, key),
            Self::List(list) => list.key(key),
            Self::PaneNumbers => pane_numbers::key(key, tree),
            Self::DescribeKey => OverlayOutcome::Close,
            Self::Hints(hints) => hints.key(key),
            Self::Copy(copy) => copy.key(key),
        }
    }

    /// Inserts pasted text where text can be typed.
    pub(crate) fn paste(&mut self, text: &str) {
        let text = text.chars().filter(|c| !c.is_control());
        match self {
            Self::Prompt(prompt) => prompt.insert(text),
            Self::List(list) => list.narrow_by(text),
            Self::Copy(copy) => copy.paste(text),
            Self::Confirm(..) | Self::PaneNumbers | Self::DescribeKey | Self::Hints(_) => {}
        }
    }

    /// Draws the overlay, and returns its cursor if it has one.
    pub(crate) fn draw(
        &mut self,
        canvas: &mut Canvas,
        tree: &Tree,
        mirrors: &BTreeMap<PaneId, Mirror>,
        seen: (ViewOrigin, Size),
        bottom: u16,
    ) -> Option<TerminalCursor> {
        match self {
            Self::Prompt(prompt) => Some(prompt.draw(canvas, bottom)),
            Self::Confirm(question, _) => {
                draw::yes_or_no(canvas, bottom, question);
                None
            }
            Self::DescribeKey => {
                draw::question(canvas, bottom, " Press a key to see what it does ", MessageKind::Info);
                None
            }
            Self::List(list) => list.draw(canvas, mirrors, bottom),
            Self::PaneNumbers => {
                pane_numbers::draw(canvas, tree, seen);
                None
            }
            Self::Hints(hints) => {
                hints.draw(canvas, tree, seen, bottom);
                None
            }
            Self::Copy(copy) => copy.draw(canvas, tree.find_pane(copy.pane)?.place, seen, bottom),
        }
    }

    /// Whether it gets the mouse, wherever that is.
    pub(crate) fn takes_mouse(&self) -> bool {
        matches!(self, Self::List(_))
    }

    pub(crate) fn mouse(&mut self, event: MouseEvent) -> OverlayOutcome {
        if let Self::List(list) = self { list.mouse(event) } else { OverlayOutcome::Stay }
    }

    /// The pane whose copy mode it is.
    pub(crate) fn copy_pane(&self) -> Option<PaneId> {
        if let Self::Copy(copy) = self { Some(copy.pane) } else { None }
    }

    /// The pane that it previews.
    pub(crate) fn preview(&self) -> Option<PaneId> {
        if let Self::List(list) = self { list.preview() } else { None }
    }
}

fn confirm(command: &str, key: Key) -> OverlayOutcome {
    match key.code {
        Code::Char('y' | 'Y') => OverlayOutcome::Run(command.to_owned()),
        _ => OverlayOutcome::Close,
    }
}
