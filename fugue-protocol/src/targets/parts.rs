//! The parts of a target, the place that it means, and where a search for it starts.

use std::fmt;

use crate::{PaneId, SessionId, WindowId};

/// A pane with its window and its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct TargetPlace {
    pub session: SessionId,
    pub window: WindowId,
    pub pane: PaneId,
}

/// What a command acts on; a lone word is first read as one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum TargetKind {
    Session,
    Window,
    Pane,
}

impl fmt::Display for TargetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Session => "session",
            Self::Window => "window",
            Self::Pane => "pane",
        })
    }
}

/// Where a search starts, and how far it may guess.
#[derive(Debug, Clone, Copy, Default)]
pub struct TargetOrigin {
    /// The place that relative targets start from, and that an omitted part is taken from.
    pub place: Option<TargetPlace>,
    /// The marked pane: `~` and `{marked}`.
    pub marked: Option<PaneId>,
    /// Whether a prefix or a pattern may stand for a name.
    pub inexact: bool,
}

/// The error for a target that nothing matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetMissing {
    /// What was not found.
    pub kind: TargetKind,
    /// The part of the target that names it.
    pub part: String,
}

impl fmt::Display for TargetMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "can't find {}: {}", self.kind, self.part)
    }
}

/// The parts of a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TargetParts<'a> {
    /// The session's part.
    pub session: Option<&'a str>,
    /// The window's part.
    pub window: Option<&'a str>,
    /// The pane's part.
    pub pane: Option<&'a str>,
    /// Whether the part that is there may name something larger: a lone word may be a session's name.
    pub(super) lone: bool,
}

impl<'a> TargetParts<'a> {
    /// Splits a target; a lone word is of this kind, unless it is an id.
    pub fn of(target: &'a str, kind: TargetKind) -> Self {
        let some = |part: &'a str| Some(part).filter(|part| !part.is_empty());
        let (session, rest) = match target.split_once(':') {
            Some((session, rest)) => (Some(session), rest),
            None => (None, target),
        };
        let (window, pane) = match rest.split_once('.') {
            Some((window, pane)) => (window, Some(pane)),
            None => (rest, None),
        };
        match (session, pane) {
            (Some(session), pane) => {
                Self { session: some(session), window: some(window), pane: pane.and_then(some), lone: false }
            }
            // As in tmux, the part before the point may also be a session's name.
            (None, Some(pane)) => Self { window: some(window), pane: some(pane), session: None, lone: true },
            (None, None) => Self::lone(target, kind),
        }
    }

    fn lone(word: &'a str, kind: TargetKind) -> Self {
        let kind = match word.chars().next() {
            Some('$') if word.len() > 1 => TargetKind::Session,
            Some('@') => TargetKind::Window,
            Some('%') => TargetKind::Pane,
            _ => kind,
        };
        let parts = Self { lone: true, ..Self::default() };
        match kind {
            TargetKind::Session => Self { session: Some(word), ..parts },
            TargetKind::Window => Self { window: Some(word), ..parts },
            TargetKind::Pane => Self { pane: Some(word), ..parts },
        }
    }
}
