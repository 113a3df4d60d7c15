//! Where panes go: the layout's answers as events and refusals.

use fugue_protocol::refusal::{ArgumentProblem, Quota};
use fugue_protocol::{Event, PaneId, Refusal, limits};

use crate::layout::{Layout, LayoutError};
use crate::world::Window;

/// A layout's refusal in fugue's words.
pub(super) fn refusal(error: &LayoutError<PaneId>) -> Refusal {
    match error {
        LayoutError::NoRoom { .. } | LayoutError::TooDeep { .. } | LayoutError::Stuck { .. } => {
            Refusal::NoRoom { why: error.to_string() }
        }
        LayoutError::TooMany { .. } => {
            Refusal::TooMany { what: Quota::PanesPerWindow, limit: limits::PANES_PER_WINDOW }
        }
        _ => Refusal::argument("layout", ArgumentProblem::InvalidLayout { why: error.to_string() }),
    }
}

/// A window laid out anew; whatever was zoomed is put back first.
pub(super) fn laid_out(window: &Window, layout: &Layout<PaneId>) -> Vec<Event> {
    let unzoomed = window.zoomed.map(|_| Event::ZoomChanged { window: window.id, pane: None });
    let changed = Event::LayoutChanged { window: window.id, layout: layout.to_node() };
    unzoomed.into_iter().chain([changed]).collect()
}

/// Whether one more pane may be put into a window.
pub(super) fn room_in(window: &Window) -> Result<(), Refusal> {
    if window.layout.panes().len() >= limits::PANES_PER_WINDOW {
        return Err(Refusal::TooMany { what: Quota::PanesPerWindow, limit: limits::PANES_PER_WINDOW });
    }
    Ok(())
}
