//! The standing of a caller: a person, an agent with a scope, or a process that cannot be attributed to any pane.

use fugue_protocol::{Refusal, Scope, SessionId};

use super::authority::{home_of_pane, names_of_pane};
use super::session_rules::Scopes;
use crate::caller::{Caller, NoPane};
use crate::world::{Session, World};

/// What a caller may change.
#[derive(Debug)]
pub(crate) enum Standing {
    /// Everything: a person outside any pane.
    Person,
    /// Its own session, and whatever its scope reaches.
    Agent {
        /// The session that its pane was opened in; none if it is in no pane.
        home: Option<SessionId>,
        scope: Scope,
        /// The name of its session, for people to read.
        session: Option<String>,
    },
    /// Nothing.
    Least(NoPane),
}

impl Standing {
    pub(crate) fn of(scopes: &Scopes, world: &World, caller: Caller) -> Self {
        match caller {
            Caller::Outside => Self::Person,
            Caller::Unattributed(unattributed) if caller.has_no_rights() => Self::Least(unattributed.why),
            Caller::Unattributed(_) => Self::Agent { home: None, scope: scopes.strictest(), session: None },
            Caller::Agent(_) | Caller::Elsewhere(_) => {
                Self::Agent { home: None, scope: scopes.of(""), session: None }
            }
            Caller::Inside(pane)
            | Caller::Nested(pane)
            | Caller::Claims(pane)
            | Caller::Bridge { pane, .. } => {
                let Some(pane) = world.panes.get(&pane) else {
                    // Its pane is closed, but the process or its connection is still there.
                    return Self::Agent { home: None, scope: scopes.strictest(), session: None };
                };
                let scope = scopes.strictest_of(&names_of_pane(world, pane));
                let session = world.session_of(pane);
                let (scope, name) = (scope.min(widest(session)), session.name.to_string());
                Self::Agent { home: home_of_pane(world, pane), scope, session: Some(name) }
            }
        }
    }

    /// The name of the caller's session.
    pub(super) fn session(&self) -> Option<&str> {
        if let Self::Agent { session, .. } = self { session.as_deref() } else { None }
    }

    /// Whether the caller may change a session that is not its own.
    pub(super) fn reaches(&self, world: &World, session: SessionId) -> bool {
        match self {
            Self::Person | Self::Agent { scope: Scope::All, .. } => true,
            Self::Agent { scope: Scope::Descendants, home, .. } => {
                home.is_some_and(|home| descends(world, session, home))
            }
            Self::Agent { scope: Scope::Observe, .. } | Self::Least(_) => false,
        }
    }

    /// Whether the caller may create sessions.
    pub(super) fn may_create(&self) -> bool {
        match self {
            Self::Person => true,
            Self::Agent { scope, .. } => *scope != Scope::Observe,
            Self::Least(_) => false,
        }
    }

    /// Refuses a verb that concerns the whole daemon, unless the scope has no limit.
    pub(super) fn whole_daemon(&self, verb: &'static str) -> Result<(), Refusal> {
        match self {
            Self::Agent { scope, .. } if *scope != Scope::All => Err(Refusal::DaemonOutOfScope {
                verb: verb.into(),
                caller: self.called(),
                scope: scope.name(),
            }),
            _ => Ok(()),
        }
    }

    /// The refusal of a change in a session that the scope does not reach.
    pub(super) fn out_of_scope(&self, session: String) -> Refusal {
        let scope = if let Self::Agent { scope, .. } = self { *scope } else { Scope::Observe };
        Refusal::OutOfScope { session, caller: self.called(), scope: scope.name() }
    }

    fn called(&self) -> String {
        self.session().unwrap_or("outside any session").to_owned()
    }
}

/// The widest scope of an agent in a session. One that is confined could act through programs that are not.
fn widest(session: &Session) -> Scope {
    if session.confined_by.is_empty() { Scope::All } else { Scope::Descendants }
}

/// Whether the caller may see the values of a session's variables: a person may, and agents may in their own session and
/// in those created from it.
pub(crate) fn shows_secrets(world: &World, caller: Caller, session: SessionId) -> bool {
    match Standing::of(&Scopes::default(), world, caller) {
        Standing::Person => true,
        Standing::Least(_) => false,
        Standing::Agent { home, .. } => {
            home.is_some_and(|home| home == session || descends(world, session, home))
        }
    }
}

/// Whether a session was created from another one, directly or not. A session that is being created counts as its
/// creator's descendant.
pub(super) fn descends(world: &World, session: SessionId, from: SessionId) -> bool {
    let Some(mut at) = world.sessions.get(&session) else { return true };
    // Bounded by the number of sessions, so that even a cycle would end.
    for _ in 0..world.sessions.len() {
        match at.parent {
            Some(parent) if parent == from => return true,
            Some(parent) => match world.sessions.get(&parent) {
                Some(next) => at = next,
                None => return false,
            },
            None => return false,
        }
    }
    false
}
