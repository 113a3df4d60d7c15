//! Programs of a new session that fail at once: one that is missing is named by the command that should have started it.

use fugue_client::{CallError, Connection};
use fugue_protocol::SessionId;
use fugue_protocol::escape::escape;
use fugue_protocol::verbs::{ListPanes, Until, Wait};
use fugue_protocol::views::{ExitStatus, PaneView};

use super::missing_programs;

/// How long the programs are watched: a shell that does not find a program has ended by then.
const WATCHED_MS: u64 = 300;

/// Fails if a program of this session fails while it is watched. The session stays, with what the program printed.
pub(super) fn check(connection: &mut Connection, session: SessionId) -> Result<(), CallError> {
    let list = ListPanes { session: Some(session.into()), ..ListPanes::default() };
    let panes = connection.call(&list)?.panes.iter().map(|pane| pane.pane_id.into()).collect::<Vec<_>>();
    if panes.is_empty() {
        return Ok(());
    }
    let ended =
        Wait { panes, all: true, until: Some(Until::Exit), timeout_ms: WATCHED_MS, ..Wait::default() };
    connection.call(&ended)?;
    let panes = connection.call(&list)?.panes;
    let failed = panes.iter().filter_map(|pane| Some((pane, pane.exit?)));
    let failed = failed.filter(|(_, exit)| *exit != ExitStatus::Code(0)).collect::<Vec<_>>();
    let Some((first, _)) = failed.first() else { return Ok(()) };
    let lines = failed.iter().map(|(pane, exit)| format!("{} ended with {exit}", label(pane)));
    let hint = format!("hint: `fugue get-output -t {}` shows its output", reference(first));
    Err(CallError::Local(format!("{}\n{hint}", lines.collect::<Vec<_>>().join("\n"))))
}

fn label(pane: &PaneView) -> String {
    format!("Pane `{}` ({})", reference(pane), escape(&missing_programs::command(pane)))
}

/// The name by which a command finds the pane.
fn reference(pane: &PaneView) -> String {
    pane.name.as_ref().map_or_else(|| pane.pane_id.to_string(), ToString::to_string)
}
