//! What a key or click in an overlay leads to.

use fugue_protocol::PaneId;

use super::list_row::RowTarget;
use crate::screen_targets::ScreenTarget;

/// What can be done to several agents at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BulkAct {
    Message,
    /// Type a prompt into each of them.
    Prompt,
    Interrupt,
    Tag,
    Close,
}

/// The outcome of a key or click.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OverlayOutcome {
    Stay,
    Close,
    /// Close, and handle the key as if nothing had been open.
    Pass,
    /// Close, and run this line.
    Run(String),
    /// Run this line, which may open something else.
    StayAndRun(String),
    /// Close, and do this to the agents in these panes, after a question.
    Act(BulkAct, Vec<PaneId>),
    /// Close, and kill this after a question.
    Kill(RowTarget),
    /// Close, and open this link or path from a pane.
    Open(ScreenTarget, PaneId),
    /// Close, and show this message.
    Say(String),
    /// Close, and copy this text.
    Copy(String),
    /// Close, and append this text to what was copied before.
    Append(String),
}
