//! Changes of a window's layout as events and refusals.

use fugue_protocol::refusal::{ArgumentProblem, Quota};
use fugue_protocol::{Event, PaneId, Refusal, limits};

use crate::layout::{Layout, LayoutError};
use crate::world::Window;

/// Converts a layout error into a refusal.
pub(super) fn refusal(error: &LayoutError<PaneId>) -> Refusal {
    match error {
        LayoutError::NoRoom { .. } | LayoutError::TooDeep { .. } | LayoutError::Stuck { .. } => {
            Refusal::NoRoom { why: error.to_string() }
        }
        LayoutError::TooMany { .. } => {
            Refusal::TooMany { what: Quota::PanesPerWindow, limit: limits::PANES_PER_WINDOW }
        }
        LayoutError::BesideItself { .. } => Refusal::argument("beside", ArgumentProblem::BesideItself),
        _ => Refusal::argument("layout", ArgumentProblem::InvalidLayout { why: error.to_string() }),
    }
}

/// The events of a new layout; a zoomed pane is unzoomed first.
pub(super) fn laid_out(window: &Window, layout: &Layout<PaneId>) -> Vec<Event> {
    let changed = Event::LayoutChanged { window: window.id, layout: layout.to_node() };
    unzoomed(window).into_iter().chain([changed]).collect()
}

/// The event that unzooms a window, if it is zoomed.
pub(super) fn unzoomed(window: &Window) -> Option<Event> {
    window.zoomed.map(|_| Event::ZoomChanged { window: window.id, pane: None })
}

/// Refuses when a window has no room for another pane.
pub(super) fn room_in(window: &Window) -> Result<(), Refusal> {
    not_a_popup(window)?;
    if window.layout.panes().len() >= limits::PANES_PER_WINDOW {
        return Err(Refusal::TooMany { what: Quota::PanesPerWindow, limit: limits::PANES_PER_WINDOW });
    }
    Ok(())
}

/// Refuses to add panes to a popup: a client shows one pane in it.
pub(super) fn not_a_popup(window: &Window) -> Result<(), Refusal> {
    if window.popup { Err(Refusal::argument("window", ArgumentProblem::Popup)) } else { Ok(()) }
}
