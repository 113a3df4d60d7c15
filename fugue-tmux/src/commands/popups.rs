//! `display-popup`: a window that a client shows in a box. The command ends with the popup's program, and with its exit
//! code.

use fugue_protocol::targets::TargetKind;
use fugue_protocol::verbs::{ClosePane, CreateWindow, PaneChoice, Program, RenamePane, Until, Wait};
use fugue_protocol::views::{ExitStatus, OnExit, WaitOutcome};
use fugue_protocol::{PaneId, PaneName, SessionRef};

use super::clients;
use super::program::program_in;
use crate::context::{LineContext, Outcome};
use crate::flags::{Flags, parsed};

/// How long one call waits for a program; it is repeated. Shorter than the longest wait that the daemon allows.
const WAIT_MS: u64 = 100_000;

/// The exit code for a popup that was closed, as if its program had been hung up.
const CLOSED: u8 = 128 + 1;

/// `display-popup`
pub(super) async fn popup(cx: &mut LineContext, given: &Flags) -> Outcome {
    let client = clients::chosen(cx, clients::named(cx, given.value('c'))?)?;
    if given.has('C') {
        return close(cx, client).await;
    }
    let view = cx.clients.iter().find(|view| view.client == client);
    if view.ok_or_else(|| format!("can't find client: {client}"))?.read_only {
        return Err("client is read-only".into());
    }
    let session = cx.find(given.target(), TargetKind::Pane)?.session;
    let create = CreateWindow {
        session: Some(SessionRef::from(session)),
        name: "popup".parse().ok(),
        popup: true,
        program: program(cx, given).await?,
        ..CreateWindow::default()
    };
    let title = title(cx, given).await?;
    let created = cx.call(&create).await?;
    if title.is_some() {
        cx.call(&RenamePane { choice: PaneChoice::of(created.pane_id), name: title }).await?;
    }
    let place: String = ['w', 'h', 'x', 'y']
        .into_iter()
        .filter_map(|letter| Some(format!(" -{letter} {}", clients::quoted(given.value(letter)?))))
        .collect();
    let line = format!("display-popup{place} --pane {} --window {}", created.pane_id, created.window_id);
    clients::command(cx, Some(client), &line).await?;
    // A client that runs the command itself goes on.
    if cx.setting.client.is_none() {
        cx.exit_code = wait(cx, created.pane_id).await?;
    }
    Ok(String::new())
}

/// Closes the popup of a client. A program in a pane may not have the client do that: it closes the popups over the
/// session itself, as far as its scope allows.
async fn close(cx: &mut LineContext, client: u64) -> Outcome {
    if cx.setting.own_pane.is_none() || cx.setting.client.is_some() {
        return clients::command(cx, Some(client), "display-popup -C").await.map(|()| String::new());
    }
    let session = cx.clients.iter().find(|view| view.client == client).map(|view| view.session_id);
    let session = cx.sessions.iter().find(|view| Some(view.session_id) == session);
    let popups = session.into_iter().flat_map(|session| &session.popups);
    let panes: Vec<_> = popups.flat_map(|popup| &popup.panes).map(|pane| pane.pane_id).collect();
    for pane in panes {
        cx.call(&ClosePane { choice: PaneChoice::of(pane) }).await?;
    }
    Ok(String::new())
}

/// The title that `-T` gives. Blanks at its ends only keep it away from the border, which fugue does as well.
async fn title(cx: &mut LineContext, given: &Flags) -> Result<Option<PaneName>, String> {
    let Some(format) = given.value('T') else { return Ok(None) };
    let title = cx.expand_here(format).await?;
    let title = title.trim();
    if title.is_empty() { Ok(None) } else { parsed(title, "title").map(Some) }
}

/// The program of a popup, which stays after its program unless `-E` says otherwise.
async fn program(cx: &mut LineContext, given: &Flags) -> Result<Program, String> {
    let on_exit = match given.values('E').count() {
        0 => OnExit::Keep,
        1 => OnExit::Close,
        _ => OnExit::KeepFailed,
    };
    // The directory of a client that runs the command is not the one that the person is in.
    let is_at_shell = cx.setting.client.is_none();
    Ok(Program { on_exit: Some(on_exit), ..program_in(cx, given, 'd', is_at_shell).await? })
}

/// Waits for the end of a program, and returns its exit code.
async fn wait(cx: &mut LineContext, pane: PaneId) -> Result<u8, String> {
    loop {
        let choice = PaneChoice::of(pane);
        let wait = Wait { choice, until: Some(Until::Exit), timeout_ms: WAIT_MS, ..Wait::default() };
        let ended = cx.call(&wait).await?;
        if ended.outcome != WaitOutcome::Timeout {
            return Ok(match ended.exit {
                Some(ExitStatus::Code(code)) => u8::try_from(code).unwrap_or(u8::MAX),
                Some(ExitStatus::Signal(signal)) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
                Some(ExitStatus::Unknown) | None => CLOSED,
            });
        }
    }
}
