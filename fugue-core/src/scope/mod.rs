//! Scopes: what agents may change outside their own session. The user sets them; every change beyond the caller's own
//! session, and every refusal, is audited.

use fugue_protocol::verbs::{Nature, Reach, StartRemote, Verb, VerbSpec};
use fugue_protocol::{PaneId, Refusal, SessionId};

use crate::caller::Caller;
use crate::decision::Decision;
use crate::remote_sessions;
use crate::request_context::RequestContext;
use crate::world::{Pane, World};

mod audit_entry;
mod authority;
mod caller_access;
mod confinement;
mod session_rules;
mod touched;
mod waiting_agents;

pub use audit_entry::AuditEntry;
pub(crate) use authority::{kept, stamp};
pub(crate) use caller_access::{Standing, shows_secrets};
pub(crate) use confinement::{check_moves, confine};
pub use session_rules::{ConfinementRules, Scopes};

/// The characters of a request from another host that are recorded: its program and the beginning of a prompt.
const MAX_DETAIL: usize = 500;

fn shortened(text: &str) -> String {
    text.chars().take(MAX_DETAIL).collect()
}

/// The outcome of a check: the refusal, if any, and the line for the audit log, if any.
pub(crate) type Checked = (Result<(), Refusal>, Option<AuditEntry>);

/// Checks a decision against the caller's scope.
pub(crate) fn check<R>(
    scopes: &Scopes,
    world: &World,
    context: &RequestContext,
    verb: &Verb,
    decision: &Decision<R>,
) -> Checked {
    let new = |session: &SessionId| {
        decision.children.iter().find(|child| child.session == *session).map(|child| &child.session_name)
    };
    let name = |session: &SessionId| {
        let known = world.sessions.get(session).map(|session| &session.name);
        known.or_else(|| new(session)).map(ToString::to_string).unwrap_or_default()
    };
    let standing = Standing::of(scopes, world, context.caller);
    let (outcome, touched) = match (&standing, verb.reach()) {
        (Standing::Person, _) => (Ok(()), Vec::new()),
        (Standing::Least(why), reach) => match (verb.nature(), reach) {
            (Nature::Reads, Reach::Sessions) => (Ok(()), Vec::new()),
            _ => (Err(why.refusal()), Vec::new()),
        },
        (Standing::Agent { .. }, Reach::Shared) => (Ok(()), Vec::new()),
        (Standing::Agent { .. }, Reach::Daemon) => (standing.whole_daemon(verb.name()), vec!["*".into()]),
        (Standing::Agent { .. }, Reach::Sessions) if verb.nature() == Nature::Reads => (Ok(()), Vec::new()),
        (Standing::Agent { .. }, Reach::Sessions) if touched::is_daemon_wide(decision) => {
            (standing.whole_daemon(verb.name()), vec!["*".into()])
        }
        (Standing::Agent { home, .. }, Reach::Sessions) => {
            let mut touched = touched::sessions(world, decision);
            touched.retain(|session| *home != Some(*session));
            let beyond = touched.iter().find(|session| !standing.reaches(world, **session));
            let outcome = beyond.map_or(Ok(()), |session| Err(standing.out_of_scope(name(session))));
            let elsewhere = touched::other_hosts(decision);
            let outcome = outcome.and_then(|()| match elsewhere.first() {
                Some(first) if !standing.may_create() => Err(standing.out_of_scope(first.clone())),
                _ => Ok(()),
            });
            (outcome, touched.iter().map(name).chain(elsewhere).collect())
        }
    };
    let outcome = outcome.and_then(|()| match standing {
        Standing::Agent { .. } => waiting_agents::check(scopes, world, context.caller, decision),
        Standing::Person | Standing::Least(_) => Ok(()),
    });
    let entry = AuditEntry::new(verb.name(), context.caller, standing.session(), touched, &outcome);
    let entry = entry.or_else(|| remote_start_entry(verb, context.caller, decision));
    (outcome, entry)
}

/// The entry for a session that is created for a session of another host; none for any other request.
fn remote_start_entry<R>(verb: &Verb, caller: Caller, decision: &Decision<R>) -> Option<AuditEntry> {
    let Verb::StartRemote(start) = verb else { return None };
    let touched: Vec<_> = decision.children.iter().map(|child| child.session_name.to_string()).collect();
    (!touched.is_empty()).then(|| other_host_entry(start, caller, touched, None))
}

/// The entry for what a session of another host asks for.
fn other_host_entry(
    start: &StartRemote,
    caller: Caller,
    touched: Vec<String>,
    refusal: Option<&Refusal>,
) -> AuditEntry {
    let message = &start.request.message;
    let session = remote_sessions::sender(&start.host, message).map(|(from, _)| from.name.to_string());
    AuditEntry {
        verb: StartRemote::NAME,
        caller,
        session: Some(session.unwrap_or_else(|_| start.host.to_string())),
        touched,
        detail: message.payload.as_ref().map(|payload| shortened(&payload.to_json())),
        refusal: refusal.map(ToString::to_string),
    }
}

/// The line for the audit log of a request that was refused before its scope was checked, because only the user may make
/// it.
pub(crate) fn audited(
    scopes: &Scopes,
    world: &World,
    context: &RequestContext,
    verb: &Verb,
    refusal: &Refusal,
) -> Option<AuditEntry> {
    let is_reserved = matches!(
        refusal,
        Refusal::OnlyPeopleAnswer
            | Refusal::OnlyRelay
            | Refusal::PermissionPrompt { .. }
            | Refusal::TypingNotAllowed { .. }
    );
    if let Verb::StartRemote(start) = verb {
        return Some(other_host_entry(start, context.caller, Vec::new(), Some(refusal)));
    }
    let standing = Standing::of(scopes, world, context.caller);
    let outcome = Err(refusal.clone());
    is_reserved
        .then(|| AuditEntry::new(verb.name(), context.caller, standing.session(), Vec::new(), &outcome))
        .flatten()
}

/// Checks a request that concerns the whole daemon and is not a verb.
pub(crate) fn check_daemon(scopes: &Scopes, world: &World, caller: Caller, request: &'static str) -> Checked {
    let standing = Standing::of(scopes, world, caller);
    let outcome = match &standing {
        Standing::Least(why) => Err(why.refusal()),
        standing => standing.whole_daemon(request),
    };
    let entry = AuditEntry::new(request, caller, standing.session(), vec!["*".into()], &outcome);
    (outcome, entry)
}

/// Checks keys that a client sends straight to a pane.
pub(crate) fn check_keys(scopes: &Scopes, world: &World, context: &RequestContext, pane: PaneId) -> Checked {
    let standing = Standing::of(scopes, world, context.caller);
    let Some(pane) = world.panes.get(&pane) else { return (Ok(()), None) };
    let session = world.session_of(pane);
    let foreign = || vec![session.name.to_string()];
    let (outcome, touched) = match &standing {
        Standing::Person => (Ok(()), Vec::new()),
        Standing::Least(why) => (Err(why.refusal()), foreign()),
        Standing::Agent { home, .. } if *home == Some(session.id) => (may_type(pane, context), Vec::new()),
        Standing::Agent { .. } if !standing.reaches(world, session.id) => {
            (Err(standing.out_of_scope(session.name.to_string())), foreign())
        }
        Standing::Agent { .. } => (may_type(pane, context), foreign()),
    };
    let entry = AuditEntry::new("keys", context.caller, standing.session(), touched, &outcome);
    (outcome, entry)
}

/// Whether the caller may type into a pane: only the user may answer a permission prompt.
pub(crate) fn may_type(pane: &Pane, context: &RequestContext) -> Result<(), Refusal> {
    match &pane.agent.view {
        Some(view)
            if pane.waits_for_user() && context.caller.is_agent() && !context.settings.agents_may_answer =>
        {
            Err(Refusal::PermissionPrompt { pane: pane.id, agent: view.name.clone() })
        }
        _ => Ok(()),
    }
}

/// The characters of a false claim that are recorded: those of a pane id.
const MAX_CLAIM: usize = 36;

impl Caller {
    /// The audit entry for a greeting that falsely claims to come from a pane.
    pub fn false_claim(self, claimed: &str) -> AuditEntry {
        let claimed: String = claimed.chars().take(MAX_CLAIM).collect();
        let refusal = Some(format!("falsely claims to be in pane {claimed}"));
        AuditEntry {
            verb: "greeting",
            caller: self,
            session: None,
            touched: Vec::new(),
            detail: None,
            refusal,
        }
    }
}
