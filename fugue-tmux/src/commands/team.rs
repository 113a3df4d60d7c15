//! The teammates of an agent that leads a team: each pane that it splits off becomes a session of its own.

use fugue_protocol::targets::{TargetKind, TargetPlace};
use fugue_protocol::verbs::{CreateSession, KeyValue, RenameSession};
use fugue_protocol::{PaneId, PaneRef, SessionName, Tag};

use super::program::program;
use crate::context::LineContext;
use crate::flags::{Flags, parsed};

/// How often another name is tried for a teammate's session, if somebody else took the first.
const ATTEMPTS: usize = 20;

/// What a teammate's programs get from the lead's environment rather than from the daemon's, which may be of another
/// login. Not everything: the environment of a session is stored, and others of its variables may be secrets.
const SHARED_VARIABLES: [&str; 5] = ["PATH", "HOME", "LANG", "LC_ALL", "VIRTUAL_ENV"];

/// Returns the variables of the caller that a teammate shares. `tmux` means fugue only to the lead.
fn shared_variables(cx: &LineContext) -> Vec<KeyValue> {
    let without_link = |path: &str| {
        let kept = std::env::split_paths(path).filter(|directory| *directory != cx.setting.tmux_link);
        std::env::join_paths(kept).ok().and_then(|kept| kept.into_string().ok()).unwrap_or_default()
    };
    let value = |name: &str| {
        let value = cx.setting.environment.get(name)?;
        let value = if name == "PATH" { without_link(value) } else { value.clone() };
        Some(KeyValue(name.to_owned(), value))
    };
    let agents = cx.setting.team_variables.iter().copied();
    SHARED_VARIABLES.into_iter().chain(agents).filter_map(value).collect()
}

/// Opens a session for a teammate, which has an inbox of its own and is closed with the pane of its lead.
pub(super) async fn open_teammate(cx: &mut LineContext, given: &Flags) -> Result<PaneId, String> {
    let lead = cx.find(None, TargetKind::Pane)?;
    let name = cx.views(lead).0.name.to_string();
    let taken: Vec<_> = cx.sessions.iter().map(|session| session.name.to_string()).collect();
    let names = (1..).map(|number| format!("{name}-{number}")).filter(|name| !taken.contains(name));
    let mut program = program(cx, given, false).await?;
    program.env.splice(0..0, shared_variables(cx));
    let tags: Vec<Tag> = cx.setting.team.clone().into_iter().collect();
    let mut failed = String::new();
    for name in names.take(ATTEMPTS) {
        let create = CreateSession {
            name: Some(parsed(&name, "session")?),
            program: program.clone(),
            tags: tags.clone(),
            close_with: Some(PaneRef::from(lead.pane)),
            ..CreateSession::default()
        };
        match cx.call(&create).await {
            Ok(created) => return Ok(created.pane_id),
            Err(why) => failed = why,
        }
    }
    Err(failed)
}

/// Names the session of a teammate whose pane got a title.
pub(super) async fn name_session(cx: &mut LineContext, at: TargetPlace, title: &str) -> Result<(), String> {
    let lead = cx.find(None, TargetKind::Pane)?;
    let (lead_id, lead_name) = (lead.session, cx.views(lead).0.name.clone());
    if cx.setting.leads_team && cx.views(at).0.parent_id == Some(lead_id) {
        let name: SessionName = parsed(&format!("{lead_name}-{title}"), "title")?;
        // The name may be taken; the number that the session has will do.
        let _ = cx.call(&RenameSession { session: Some(at.session.into()), name }).await;
    }
    Ok(())
}
