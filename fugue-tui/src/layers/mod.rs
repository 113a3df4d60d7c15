//! What lies over the panes and has the keyboard meanwhile: questions, lists, numbers, the view back.

mod contents;
mod list;
mod numbers;
mod prompt;

use std::collections::BTreeMap;

use fugue_protocol::PaneId;
use fugue_screen::Mirror;
use fugue_screen::keys::{Code, Key};

pub(crate) use contents::{help, palette, tree};
pub(crate) use list::List;
pub(crate) use prompt::Prompt;

use crate::copy::CopyMode;
use crate::picture::{Canvas, Pointer};
use crate::tree::Tree;

/// What lies over the panes.
pub(crate) enum Layer {
    /// A line to type.
    Prompt(Prompt),
    /// A yes or no before this command.
    Confirm(String),
    /// Something to choose.
    List(List),
    /// The panes' numbers.
    Numbers,
    /// A pane's past.
    Copy(Box<CopyMode>),
}

/// What a key led to.
pub(crate) enum Outcome {
    Stay,
    Close,
    /// Close it and run this line.
    Run(String),
    /// Copy this, and close.
    Copy(String),
}

impl Layer {
    pub(crate) fn key(&mut self, key: Key, tree: &Tree) -> Outcome {
        match self {
            Self::Prompt(prompt) => prompt.key(key),
            Self::Confirm(command) => confirm(command, key),
            Self::List(list) => list.key(key),
            Self::Numbers => numbers::key(key, tree),
            Self::Copy(copy) => copy.key(key),
        }
    }

    /// Text that was pasted goes where text is typed.
    pub(crate) fn paste(&mut self, text: &str) {
        let typed = |c: char| Key::plain(Code::Char(c));
        match self {
            Self::Prompt(prompt) => {
                text.chars().filter(|c| !c.is_control()).for_each(|c| drop(prompt.key(typed(c))));
            }
            Self::List(list) => {
                text.chars().filter(|c| !c.is_control()).for_each(|c| drop(list.key(typed(c))));
            }
            Self::Confirm(_) | Self::Numbers | Self::Copy(_) => {}
        }
    }

    /// Draws it; some have the cursor.
    pub(crate) fn draw(
        &mut self,
        canvas: &mut Canvas,
        tree: &Tree,
        mirrors: &BTreeMap<PaneId, Mirror>,
        bottom: u16,
    ) -> Option<Pointer> {
        match self {
            Self::Prompt(prompt) => Some(prompt.draw(canvas, bottom)),
            Self::Confirm(command) => {
                prompt::question(canvas, bottom, &format!(" {command}? (y/n) "));
                None
            }
            Self::List(list) => Some(list.draw(canvas, mirrors, bottom)),
            Self::Numbers => {
                numbers::draw(canvas, tree, bottom);
                None
            }
            Self::Copy(copy) => copy.draw(canvas, tree, bottom),
        }
    }

    /// A pane that it shows besides those of the window.
    pub(crate) fn preview(&self) -> Option<PaneId> {
        if let Self::List(list) = self { list.preview() } else { None }
    }
}

fn confirm(command: &str, key: Key) -> Outcome {
    match key.code {
        Code::Char('y' | 'Y') | Code::Enter => Outcome::Run(command.to_owned()),
        _ => Outcome::Close,
    }
}
