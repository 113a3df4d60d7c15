//! tmux's commands for sessions and windows, and those that print.

use fugue_protocol::verbs::{CreateSession, CreateWindow};
use fugue_protocol::{SessionRef, Size};

use super::flags::ParsedFlags;
use super::panes::program;
use super::places::Place;
use super::{Outcome, Shim};

/// `display-message -p`
pub(super) fn display(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let format = given.operands.first().map(String::as_str).or(given.value('F'));
    let format =
        format.unwrap_or("[#{session_name}] #{window_index}:#{window_name}, current pane #{pane_index}");
    let text = shim.expand(format, shim.place(given.target())?);
    // Without `-p`, tmux shows the text in its status line.
    Ok(if given.has('p') { text } else { String::new() })
}

/// `list-panes`
pub(super) fn list_panes(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let at = shim.place(given.target())?;
    let wanted = |place: &Place<'_>| match (given.has('a'), given.has('s')) {
        (true, _) => true,
        (false, true) => place.session.session_id == at.session.session_id,
        (false, false) => place.window.window_id == at.window.window_id,
    };
    let format = given.value('F').unwrap_or(
        "#{pane_index}: [#{pane_width}x#{pane_height}] #{pane_id}#{?pane_active, (active),}#{?pane_dead, (dead),}",
    );
    Ok(shim.lines(format, shim.places().filter(wanted)))
}

/// `list-windows`
pub(super) fn list_windows(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let session = shim.session(given.target())?.session_id;
    let wanted =
        |place: &Place<'_>| place.pane.active && (given.has('a') || place.session.session_id == session);
    let format = given.value('F').unwrap_or(
        "#{window_index}: #{window_name}#{window_flags} (#{window_panes} panes) [#{window_width}x#{window_height}] #{window_id}",
    );
    Ok(shim.lines(format, shim.places().filter(wanted)))
}

/// `list-sessions`
pub(super) fn list_sessions(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let wanted = |place: &Place<'_>| place.window.active && place.pane.active;
    let format = given.value('F').unwrap_or("#{session_name}: #{session_windows} windows");
    Ok(shim.lines(format, shim.places().filter(wanted)))
}

/// `has-session`
pub(super) fn has_session(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    shim.session(given.target()).map(|_| String::new())
}

/// `new-session`
pub(super) fn new_session(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let name = given.value('s');
    if given.has('A') && name.is_some_and(|name| shim.session(Some(name)).is_ok()) {
        return Ok(String::new());
    }
    let cells = |letter| given.value(letter).and_then(|cells| cells.parse().ok());
    let size = match (cells('x'), cells('y')) {
        (Some(cols), Some(rows)) => Some(Size { cols, rows }),
        _ => None,
    };
    let create = CreateSession {
        name: name.map(|name| parsed(name, "session")).transpose()?,
        window_name: given.value('n').map(|name| parsed(name, "window")).transpose()?,
        size,
        program: program(given)?,
        ..CreateSession::default()
    };
    let pane = shim.call(&create)?.pane_id;
    shim.report(given, pane, "#{session_name}:")
}

/// `new-window`
pub(super) fn new_window(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let session = shim.session(given.target())?.session_id;
    let create = CreateWindow {
        session: Some(SessionRef::from(session)),
        name: given.value('n').map(|name| parsed(name, "window")).transpose()?,
        background: given.has('d'),
        program: program(given)?,
    };
    let pane = shim.call(&create)?.pane_id;
    shim.report(given, pane, "#{session_name}:#{window_index}.#{pane_index}")
}

/// Reads a name.
pub(super) fn parsed<T: std::str::FromStr>(name: &str, what: &str) -> Result<T, String> {
    name.parse().map_err(|_| format!("invalid {what}: {name}"))
}

impl Shim {
    fn lines<'a>(&'a self, format: &str, places: impl Iterator<Item = Place<'a>>) -> String {
        places.map(|place| self.expand(format, place)).collect::<Vec<_>>().join("\n")
    }

    /// Prints a new pane, if `-P` asks for it.
    pub(super) fn report(
        &mut self,
        given: &ParsedFlags,
        pane: fugue_protocol::PaneId,
        format: &str,
    ) -> Outcome {
        self.refresh()?;
        self.ids.update(&self.sessions)?;
        if !given.has('P') {
            return Ok(String::new());
        }
        let place = self.places().find(|place| place.pane.pane_id == pane);
        let place = place.ok_or("the new pane has already exited")?;
        Ok(self.expand(given.value('F').unwrap_or(format), place))
    }
}
