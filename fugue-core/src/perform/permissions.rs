//! Verbs for dialogs in which agents ask the user, and what is recorded of the dialogs that panes show.

use std::hash::{DefaultHasher, Hash, Hasher};

use fugue_protocol::dialogs::{Dialog, OpenDialog};
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::{AnswerPermission, ListPermissions};
use fugue_protocol::views::{PermissionAnswered, PermissionList, PermissionView};
use fugue_protocol::{Event, PaneId, Refusal, Timestamp};

use super::{Perform, agent_reports};
use crate::decision::Decision;
use crate::edge_request::{AnswerRequest, EdgeRequest, PaneRequest};
use crate::request_context::RequestContext;
use crate::world::{Pane, World};

/// The most characters of an answer that is typed. All of it must be on the screen before Enter is pressed.
const MAX_TEXT_CHARS: usize = 400;

/// The event of a pane showing a dialog, another one, or none. A dialog that stays keeps its id.
pub(crate) fn observed(world: &World, pane: PaneId, dialog: Option<Dialog>, now: Timestamp) -> Vec<Event> {
    let Some(known) = world.panes.get(&pane).filter(|pane| pane.run().is_some()) else { return Vec::new() };
    let before = known.dialog.as_deref();
    let open = dialog.map(|dialog| match before.filter(|before| before.dialog.is_same(&dialog)) {
        Some(before) => OpenDialog { dialog, ..before.clone() },
        None => OpenDialog { id: id_of(pane, &dialog, now), since: now, dialog },
    });
    let changed = before != open.as_ref();
    changed.then_some(Event::DialogChanged { pane, dialog: open }).into_iter().collect()
}

/// The events of a dialog that was answered: what its agent asked is over. A dialog that only vanished from the screen may
/// still be open behind what another program drew there.
pub(crate) fn answered(world: &World, pane: PaneId, dialog: Option<&Dialog>, now: Timestamp) -> Vec<Event> {
    let Some(pane) = world.panes.get(&pane).filter(|pane| !pane.agent.asked.is_empty()) else {
        return Vec::new();
    };
    let before = pane.dialog.as_deref().map(|before| &before.dialog);
    let has_changed = before.is_some_and(|before| !dialog.is_some_and(|dialog| before.is_same(dialog)));
    if has_changed { agent_reports::ended(pane, None, now) } else { Vec::new() }
}

/// An id that is short enough to type. Since the time is in it, the same question asked twice has two ids.
fn id_of(pane: PaneId, dialog: &Dialog, now: Timestamp) -> String {
    let mut hasher = DefaultHasher::new();
    (pane, &dialog.question, &dialog.detail, &dialog.choices, now.millis()).hash(&mut hasher);
    format!("{:08x}", hasher.finish() >> 32)
}

impl Perform for ListPermissions {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PermissionList>, Refusal> {
        let views = world.panes.values().filter_map(|pane| view(world, pane, context));
        let mut permissions: Vec<_> = views.collect();
        permissions.sort_by_key(|one| one.since);
        Ok(Decision::reply(PermissionList { permissions }))
    }
}

/// A pane in which an agent waits for the user.
fn view(world: &World, pane: &Pane, context: &RequestContext) -> Option<PermissionView> {
    let agent = pane.agent.view.as_ref()?;
    if pane.dialog.is_none() && !pane.agent_asks_user() {
        return None;
    }
    Some(PermissionView {
        dialog_id: pane.dialog.as_ref().map(|open| open.id.clone()),
        pane_id: pane.id,
        session_name: world.session_of(pane).name.clone(),
        agent: agent.name.clone(),
        since: pane.dialog.as_ref().map_or(agent.since, |open| open.since),
        reason: agent.reason.clone(),
        dialog: pane.dialog.as_ref().map(|open| open.dialog.clone()),
        rule: context.rules.why_not(pane),
    })
}

impl Perform for AnswerPermission {
    fn perform(
        self,
        world: &World,
        context: &RequestContext,
    ) -> Result<Decision<PermissionAnswered>, Refusal> {
        if context.caller.is_agent() {
            return Err(Refusal::OnlyPeopleAnswer);
        }
        let is_it = |pane: &&Pane| pane.dialog.as_ref().is_some_and(|open| open.id == self.dialog);
        let not_found = || Refusal::DialogNotFound { dialog: self.dialog.clone() };
        let pane = world.panes.values().find(is_it).ok_or_else(not_found)?;
        let dialog = pane.dialog.as_ref().map(|open| open.dialog.clone()).ok_or_else(not_found)?;
        let choice = dialog.find(&self.choice).ok_or_else(|| Refusal::NoSuchChoice {
            choice: self.choice.clone(),
            choices: dialog.choices.iter().map(|choice| choice.label.clone()).collect(),
        })?;
        let text = text_for(&dialog, choice, self.text.as_deref())?;
        let by = "the user".to_owned();
        let answer = PaneRequest::Answer(Box::new(AnswerRequest { dialog, choice, text, by }));
        Ok(Decision::later(EdgeRequest::Pane(pane.id, answer)))
    }
}

/// The text to type into a choice: one line for a field, and none for any other choice.
fn text_for(dialog: &Dialog, choice: usize, text: Option<&str>) -> Result<Option<String>, Refusal> {
    let chosen = &dialog.choices[choice - 1];
    let label = chosen.label.clone();
    let Some(text) = text.map(str::trim) else {
        return if chosen.takes_text { Err(Refusal::AnswerNeedsText { choice: label }) } else { Ok(None) };
    };
    if !chosen.takes_text {
        let field = dialog.choices.iter().find(|choice| choice.takes_text);
        let field = field.map(|field| field.label.clone());
        return Err(Refusal::AnswerTakesNoText { choice: label, field });
    }
    let length = text.chars().count();
    if text.is_empty() || length > MAX_TEXT_CHARS || text.chars().any(char::is_control) {
        return Err(Refusal::argument("text", ArgumentProblem::NotOneLine { maximum: MAX_TEXT_CHARS }));
    }
    Ok(Some(text.to_owned()))
}
