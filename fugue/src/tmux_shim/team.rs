//! The teammates of an agent that leads a team: each pane that it splits off becomes a session of its own.

use fugue_protocol::targets::{TargetKind, TargetPlace};
use fugue_protocol::verbs::{CreateSession, KeyValue, RenameSession};
use fugue_protocol::{PaneId, PaneRef, SessionName, Tag};

use super::flags::{ShimFlags, parsed};
use super::program::program;
use super::shim::{Shim, TEAM};

/// How often another name is tried for a teammate's session, if somebody else took the first.
const ATTEMPTS: usize = 20;

/// What a teammate's programs get from the lead's environment rather than from the daemon's, which may be of another
/// login. Not everything: the environment of a session is stored, and others of its variables may be secrets.
const SHARED_VARIABLES: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "CLAUDE_CONFIG_DIR", "VIRTUAL_ENV"];

/// Returns the variables of the caller that a teammate shares. `tmux` means fugue only to the lead.
fn shared_variables(shim: &Shim) -> Vec<KeyValue> {
    let own_link = fugue_server::tmux_link::directory(&shim.paths.socket);
    let without_link = |path: String| {
        let kept = std::env::split_paths(&path).filter(|directory| *directory != own_link);
        std::env::join_paths(kept).ok().and_then(|kept| kept.into_string().ok()).unwrap_or_default()
    };
    let value = |name: &str| {
        let value = std::env::var(name).ok()?;
        let value = if name == "PATH" { without_link(value) } else { value };
        Some(KeyValue(name.to_owned(), value))
    };
    SHARED_VARIABLES.into_iter().filter_map(value).collect()
}

/// The tag of the sessions that belong to a lead; `lead` is the id of its process, as the variable of a team has it.
pub(crate) fn team_tag(lead: &str) -> Option<Tag> {
    lead.parse::<u32>().ok().filter(|lead| *lead > 1).and_then(|lead| format!("team-{lead}").parse().ok())
}

/// Opens a session for a teammate, which has an inbox of its own and is closed with the pane of its lead.
pub(super) fn open_teammate(shim: &mut Shim, given: &ShimFlags) -> Result<PaneId, String> {
    let lead = shim.find(None, TargetKind::Pane)?;
    let name = shim.views(lead).0.name.to_string();
    let taken: Vec<_> = shim.sessions.iter().map(|session| session.name.to_string()).collect();
    let names = (1..).map(|number| format!("{name}-{number}")).filter(|name| !taken.contains(name));
    let mut program = program(shim, given, false)?;
    program.env.splice(0..0, shared_variables(shim));
    let tags: Vec<Tag> = std::env::var(TEAM).ok().and_then(|lead| team_tag(&lead)).into_iter().collect();
    let mut failed = String::new();
    for name in names.take(ATTEMPTS) {
        let create = CreateSession {
            name: Some(parsed(&name, "session")?),
            program: program.clone(),
            tags: tags.clone(),
            close_with: Some(PaneRef::from(lead.pane)),
            ..CreateSession::default()
        };
        match shim.call(&create) {
            Ok(created) => return Ok(created.pane_id),
            Err(why) => failed = why,
        }
    }
    Err(failed)
}

/// Names the session of a teammate whose pane got a title.
pub(super) fn name_session(shim: &mut Shim, at: TargetPlace, title: &str) -> Result<(), String> {
    let lead = shim.find(None, TargetKind::Pane)?;
    let (lead_id, lead_name) = (lead.session, shim.views(lead).0.name.clone());
    if shim.team && shim.views(at).0.parent_id == Some(lead_id) {
        let name: SessionName = parsed(&format!("{lead_name}-{title}"), "title")?;
        // The name may be taken; the number that the session has will do.
        let _ = shim.call(&RenameSession { session: Some(at.session.into()), name });
    }
    Ok(())
}
