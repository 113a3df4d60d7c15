//! tmux's commands for sessions.

use std::io::IsTerminal;

use fugue_protocol::escape::escape;
use fugue_protocol::targets::TargetKind;
use fugue_protocol::verbs::{CreateSession, KillSession, RenameSession, Shutdown};
use fugue_protocol::{PaneId, Size};

use super::clients;
use super::flags::{ShimFlags, parsed};
use super::program::program;
use super::shim::{Outcome, Shim, print};
use crate::daemon_end;

/// `has-session`
pub(super) fn has(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    shim.session(given).map(|_| String::new())
}

/// `new-session`
pub(super) fn new(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    if given.target().is_some() {
        return Err("fugue has no session groups: several clients can show one session".into());
    }
    let name = given.value('s');
    let existing = name.filter(|_| given.has('A')).and_then(|name| {
        shim.sessions.iter().find(|session| session.name.as_str() == name).map(|session| session.session_id)
    });
    if let Some(session) = existing {
        return if given.has('d') {
            Ok(String::new())
        } else {
            clients::show_session(shim, session, given, 'D')
        };
    }
    if !given.has('d') {
        clients::check_terminal(shim)?;
    }
    let create = CreateSession {
        name: name.map(|name| parsed(name, "session")).transpose()?,
        window_name: given.value('n').map(|name| parsed(name, "window")).transpose()?,
        size: size(given).or_else(|| (!given.has('d')).then(fugue_tui::window_area)),
        program: program(shim, given, true)?,
        ..CreateSession::default()
    };
    let created = shim.call(&create)?;
    let printed = shim.report(given, created.pane_id, "#{session_name}:")?;
    if given.has('d') {
        return Ok(printed);
    }
    print(&printed);
    clients::show_session(shim, created.session_id, given, 'D')
}

/// The size that `-x` and `-y` give.
fn size(given: &ShimFlags) -> Option<Size> {
    let usual = Size { cols: 80, rows: 24 };
    let cells = |letter| given.value(letter).and_then(|cells| cells.parse().ok());
    match (cells('x'), cells('y')) {
        (None, None) => None,
        (cols, rows) => Some(Size { cols: cols.unwrap_or(usual.cols), rows: rows.unwrap_or(usual.rows) }),
    }
}

/// `rename-session`
pub(super) fn rename(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let at = shim.session(given)?;
    let name = given.operand(0);
    shim.call(&RenameSession { session: Some(at.session.into()), name: parsed(name, "session")? })?;
    Ok(String::new())
}

/// `kill-session`
pub(super) fn kill(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let own = shim.find(given.target(), TargetKind::Session)?.session;
    let others = shim.sessions.iter().map(|session| session.session_id).filter(|session| *session != own);
    let sessions: Vec<_> = match (given.has('a'), given.has('C')) {
        (_, true) => Vec::new(),
        (true, _) => others.collect(),
        _ => vec![own],
    };
    for session in sessions {
        shim.call(&KillSession { session: session.into() })?;
    }
    Ok(String::new())
}

/// `kill-server`, which says what it ended: to a program that knows tmux only if a person reads the output.
pub(super) fn kill_server(shim: &mut Shim, _: &ShimFlags) -> Outcome {
    let ends = daemon_end::sentence(&daemon_end::name(&shim.paths), &shim.sessions);
    shim.call(&Shutdown::default())?;
    let is_silent = shim.is_tmux && !std::io::stdout().is_terminal();
    Ok(if is_silent { String::new() } else { escape(&ends).into_owned() })
}

/// `start-server`: the daemon runs already, or was started to run this.
pub(super) fn start_server(_: &mut Shim, _: &ShimFlags) -> Outcome {
    Ok(String::new())
}

impl Shim {
    /// Prints a new pane, if `-P` asks for it.
    pub(super) fn report(&mut self, given: &ShimFlags, pane: PaneId, format: &str) -> Outcome {
        self.refresh()?;
        if !given.has('P') {
            return Ok(String::new());
        }
        let place = fugue_protocol::targets::TargetTree::of(&self.sessions).place_of_pane(pane);
        let place = place.ok_or("the new pane has already exited")?;
        Ok(self.expand(given.value('F').unwrap_or(format), place))
    }
}
