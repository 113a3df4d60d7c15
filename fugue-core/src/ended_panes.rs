//! Panes that were closed because their programs ended. For a while, callers can still ask for them by id or name: an agent
//! that comes late must not be worse off because its program succeeded.

use fugue_protocol::verbs::PaneChoice;
use fugue_protocol::{PaneId, PaneRef, Refusal, SessionId, Timestamp};

use crate::request_context::RequestContext;
use crate::world::{EndedPane, World};

/// How many of these panes are remembered: more programs than an agent has running at a time.
pub const MAX_ENDED: usize = 64;

/// How long one is remembered: longer than an agent is busy with something else.
pub const ENDED_MS: u64 = 60 * 60 * 1000;

impl World {
    /// Returns a pane that has ended lately.
    pub fn ended_pane(&self, pane: PaneId, now: Timestamp) -> Option<&EndedPane> {
        self.ended_lately(now).find(|ended| ended.view.pane_id == pane)
    }

    /// The panes that have ended lately, the most recent first.
    fn ended_lately(&self, now: Timestamp) -> impl Iterator<Item = &EndedPane> {
        let is_recent = move |ended: &&EndedPane| now.millis() < ended.ended_at.millis() + ENDED_MS;
        self.ended.iter().rev().filter(is_recent)
    }

    /// Returns the pane of a reference that has ended lately: of several with that name, the last one.
    pub(crate) fn ended_named(
        &self,
        wanted: &PaneRef,
        within: Option<SessionId>,
        now: Timestamp,
    ) -> Option<&EndedPane> {
        let means = |ended: &&EndedPane| match wanted {
            PaneRef::Id(id) => ended.view.pane_id == *id,
            PaneRef::Name(name) => ended.view.name.as_ref().is_some_and(|own| own.as_str() == name),
        };
        let is_within = |ended: &&EndedPane| within.is_none_or(|session| ended.view.session_id == session);
        let named = self.ended_lately(now).filter(is_within).find(means);
        named.or_else(|| {
            // The last digits of its id.
            let (pane, _) = self.departed_named(wanted)?;
            self.ended_pane(pane, now).filter(is_within)
        })
    }

    /// Returns the pane of a choice, or the one that has ended lately. A name that a new pane has means that one.
    pub(crate) fn pane_or_ended(
        &self,
        choice: &PaneChoice,
        context: &RequestContext,
    ) -> Result<PaneId, Refusal> {
        let refusal = match self.pane(choice, context) {
            Ok(pane) => return Ok(pane.id),
            Err(refusal @ Refusal::PaneNotFound { .. }) => refusal,
            Err(refusal) => return Err(refusal),
        };
        let Some(wanted) = &choice.pane else { return Err(refusal) };
        let within = choice.session.as_ref().map(|session| self.session(session)).transpose()?;
        let ended = self.ended_named(wanted, within.map(|session| session.id), context.now);
        ended.map(|ended| ended.view.pane_id).ok_or(refusal)
    }
}
