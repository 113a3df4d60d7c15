//! `display-popup`: a window that a client shows in a box. The command ends with the popup's program, and with its exit
//! code.

use fugue_protocol::targets::TargetKind;
use fugue_protocol::verbs::{ClosePane, CreateWindow, PaneChoice, Program, RenamePane, Until, Wait};
use fugue_protocol::views::{ExitStatus, OnExit, WaitOutcome};
use fugue_protocol::{PaneId, SessionRef};

use super::clients;
use super::flags::{ShimFlags, parsed};
use super::program::program_in;
use super::shim::{Outcome, Shim};

/// How long one call waits for a program; it is repeated. Shorter than the longest wait that the daemon allows.
const WAIT_MS: u64 = 100_000;

/// The exit code for a popup that was closed, as if its program had been hung up.
const CLOSED: u8 = 128 + 1;

/// `display-popup`
pub(super) fn popup(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let client = clients::chosen(shim, clients::named(shim, given.value('c'))?)?;
    if given.has('C') {
        return close(shim, client);
    }
    let view = shim.clients.iter().find(|view| view.client == client);
    if view.ok_or_else(|| format!("can't find client: {client}"))?.read_only {
        return Err("client is read-only".into());
    }
    let session = shim.find(given.target(), TargetKind::Pane)?.session;
    let create = CreateWindow {
        session: Some(SessionRef::from(session)),
        name: "popup".parse().ok(),
        popup: true,
        program: program(shim, given)?,
        ..CreateWindow::default()
    };
    let created = shim.call(&create)?;
    if let Some(title) = given.value('T') {
        let title = shim.expand_here(title)?;
        let name = Some(parsed(&title, "title")?);
        shim.call(&RenamePane { choice: PaneChoice::of(created.pane_id), name })?;
    }
    let place: String = ['w', 'h', 'x', 'y']
        .into_iter()
        .filter_map(|letter| Some(format!(" -{letter} {}", clients::quoted(given.value(letter)?))))
        .collect();
    let line = format!("display-popup{place} --pane {} --window {}", created.pane_id, created.window_id);
    clients::command(shim, Some(client), &line)?;
    // A client that runs the command itself goes on.
    if shim.at.is_none() {
        shim.exit_code = wait(shim, created.pane_id)?;
    }
    Ok(String::new())
}

/// Closes the popup of a client. A program in a pane may not have the client do that: it closes the popups over the
/// session itself, as far as its scope allows.
fn close(shim: &mut Shim, client: u64) -> Outcome {
    if shim.own_pane.is_none() || shim.at.is_some() {
        return clients::command(shim, Some(client), "display-popup -C").map(|()| String::new());
    }
    let session = shim.clients.iter().find(|view| view.client == client).map(|view| view.session_id);
    let session = shim.sessions.iter().find(|view| Some(view.session_id) == session);
    let popups = session.into_iter().flat_map(|session| &session.popups);
    let panes: Vec<_> = popups.flat_map(|popup| &popup.panes).map(|pane| pane.pane_id).collect();
    for pane in panes {
        shim.call(&ClosePane { choice: PaneChoice::of(pane) })?;
    }
    Ok(String::new())
}

/// The program of a popup, which stays after its program unless `-E` says otherwise.
fn program(shim: &mut Shim, given: &ShimFlags) -> Result<Program, String> {
    let on_exit = match given.values('E').count() {
        0 => OnExit::Keep,
        1 => OnExit::Close,
        _ => OnExit::KeepFailed,
    };
    Ok(Program { on_exit: Some(on_exit), ..program_in(shim, given, 'd', true)? })
}

/// Waits for the end of a program, and returns its exit code.
fn wait(shim: &mut Shim, pane: PaneId) -> Result<u8, String> {
    loop {
        let choice = PaneChoice::of(pane);
        let wait = Wait { choice, until: Some(Until::Exit), timeout_ms: WAIT_MS, ..Wait::default() };
        let ended = shim.call(&wait)?;
        if ended.outcome != WaitOutcome::Timeout {
            return Ok(match ended.exit {
                Some(ExitStatus::Code(code)) => u8::try_from(code).unwrap_or(u8::MAX),
                Some(ExitStatus::Signal(signal)) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
                Some(ExitStatus::Unknown) | None => CLOSED,
            });
        }
    }
}
