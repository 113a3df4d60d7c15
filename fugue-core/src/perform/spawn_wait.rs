//! Waiting for an agent that was started: until it is ready, has accepted its prompt or has finished its turn, or until
//! something prevents that, such as a dialog.

use std::time::Duration;

use fugue_agents::AgentTable;
use fugue_protocol::agents::{AgentState, AgentView, Confidence, EvidenceSource};
use fugue_protocol::verbs::SpawnAgent;
use fugue_protocol::views::{ExitStatus, SessionWorktree, SpawnStatus, SpawnedAgent};
use fugue_protocol::{PaneId, SessionId, SessionName, Timestamp, WindowId};

use crate::decision::{Decision, PendingWait, WaitSubject, WakeReason, WakeUp};
use crate::edge_request::{EdgeRequest, SpawnReport};
use crate::world::{Pane, PaneLife, World};

/// How long a state that ends the wait must last. A dialog may follow, and is drawn in several steps.
const SETTLED: Duration = Duration::from_millis(300);

/// How long a state that is not certain must last at the end of a turn: between two steps, an agent may seem to be idle.
const SETTLED_GUESS: Duration = Duration::from_millis(1_500);

/// How long it may take to read a dialog from the screen after an agent has reported that it asks something.
const DIALOG: Duration = Duration::from_millis(1_500);

/// Where an agent was started.
#[derive(Debug, Clone)]
pub(super) struct AgentPlace {
    pub(super) pane: PaneId,
    pub(super) window: WindowId,
    pub(super) session: SessionId,
    pub(super) session_name: SessionName,
    pub(super) worktree: Option<SessionWorktree>,
    /// Files that were copied to the worktree.
    pub(super) copied: usize,
}

/// A wait for an agent that was started.
#[derive(Debug, Clone)]
pub(super) struct SpawnWait {
    /// The session whose agent waits.
    who: Option<SessionId>,
    place: AgentPlace,
    agent: String,
    /// Whether it reports its own state; otherwise it is ready when it has been silent for a while.
    reports: bool,
    has_prompt: bool,
    /// Whether it lasts until the end of the turn.
    until_end: bool,
    begun: Timestamp,
    deadline: Timestamp,
    /// Whether the agent has been seen at work on the prompt.
    is_prompt_accepted: bool,
    /// The state that will end the wait if it lasts until this time.
    settling: Option<(SpawnStatus, Timestamp)>,
}

/// The result of a look at the agent.
enum Look {
    /// Nothing that ends the wait.
    Nothing,
    /// The agent works on the prompt, and the wait lasts until it has finished.
    AtWork,
    /// The wait ends with this status if that lasts.
    Settles(SpawnStatus, Duration),
    /// The wait ends.
    Over(SpawnStatus),
}

impl SpawnWait {
    /// A wait for the agent at a place, started by this request; the times are those of the start and of now.
    pub(super) fn new(
        who: Option<SessionId>,
        place: AgentPlace,
        (agent, table): (&str, &AgentTable),
        request: &SpawnAgent,
        (begun, now): (Timestamp, Timestamp),
    ) -> Self {
        Self {
            who,
            place,
            agent: agent.to_owned(),
            reports: table.reports(agent),
            has_prompt: request.prompt.is_some(),
            until_end: request.wait,
            begun,
            deadline: now.after(Duration::from_millis(request.timeout_ms)),
            is_prompt_accepted: false,
            settling: None,
        }
    }

    pub(super) fn pending(self) -> PendingWait<SpawnedAgent> {
        let settled_at = self.settling.map(|(_, at)| at);
        PendingWait {
            who: self.who,
            about: WaitSubject::Agent(self.place.pane),
            on: Vec::new(),
            until: settled_at.map_or(self.deadline, |at| at.min(self.deadline)),
            check: Box::new(move |world, wake_up| self.check(world, wake_up)),
            // The agent stays when its caller goes away.
            abandoned: Vec::new(),
        }
    }

    fn check(&self, world: &World, wake_up: &WakeUp) -> Option<Decision<SpawnedAgent>> {
        let next = match self.look(world) {
            Look::Over(status) => return Some(self.report(world, status, wake_up.now)),
            Look::Settles(status, lasting) => match self.settling {
                Some((same, at)) if same == status && at <= wake_up.now => {
                    return Some(self.report(world, status, wake_up.now));
                }
                Some((same, at)) if same == status => {
                    (self.is_prompt_accepted, Some((status, at.min(wake_up.now.after(lasting)))))
                }
                _ => (self.is_prompt_accepted, Some((status, wake_up.now.after(lasting)))),
            },
            Look::AtWork => (true, None),
            Look::Nothing => (self.is_prompt_accepted, None),
        };
        if wake_up.reason != WakeReason::Changed && self.deadline <= wake_up.now {
            return Some(self.report(world, SpawnStatus::Timeout, wake_up.now));
        }
        if next == (self.is_prompt_accepted, self.settling) {
            return None;
        }
        let (is_prompt_accepted, settling) = next;
        Some(Decision::when(Self { is_prompt_accepted, settling, ..self.clone() }.pending()))
    }

    fn look(&self, world: &World) -> Look {
        let Some(pane) = world.panes.get(&self.place.pane) else {
            let exited = world.departed(self.place.pane).is_some_and(|exit| exit != ExitStatus::Unknown);
            return Look::Over(if exited { SpawnStatus::Exited } else { SpawnStatus::Closed });
        };
        match pane.life {
            PaneLife::Exited(..) => Look::Over(SpawnStatus::Exited),
            PaneLife::Lost => Look::Over(SpawnStatus::Closed),
            PaneLife::Running(_) => self.look_at(pane),
        }
    }

    fn look_at(&self, pane: &Pane) -> Look {
        let Some(view) = pane.agent.view.as_ref().filter(|view| self.is_known(view)) else {
            return Look::Nothing;
        };
        match view.state {
            _ if pane.dialog.is_some() => Look::Settles(SpawnStatus::Dialog, SETTLED),
            AgentState::Blocked | AgentState::WaitingForInput => Look::Settles(SpawnStatus::Dialog, DIALOG),
            AgentState::Working if self.has_prompt && self.until_end => Look::AtWork,
            AgentState::Working if self.has_prompt => Look::Over(SpawnStatus::PromptAccepted),
            // It is known to be silent, which is all that can be known of an agent without rules for its screen.
            AgentState::Unknown => Look::Settles(SpawnStatus::Ready, SETTLED),
            AgentState::Working => Look::Nothing,
            AgentState::Error => Look::Settles(SpawnStatus::Failed, SETTLED),
            AgentState::Idle | AgentState::Complete => self.at_rest(view),
        }
    }

    /// Whether there is evidence of the agent's state. That it prints something does not mean that it has accepted the
    /// prompt.
    fn is_known(&self, view: &AgentView) -> bool {
        let is_quiet = view.state == AgentState::Unknown && !self.reports && !self.has_prompt;
        match view.source {
            Some(EvidenceSource::Quiescence) => is_quiet,
            _ => view.state != AgentState::Unknown,
        }
    }

    fn at_rest(&self, view: &AgentView) -> Look {
        // An agent that reports the end of a turn has accepted the prompt, even if it was not seen at work.
        let taken = self.is_prompt_accepted || view.state == AgentState::Complete;
        let lasting = if view.sure == Confidence::Certain { SETTLED } else { SETTLED_GUESS };
        match (self.has_prompt, self.until_end) {
            (false, _) => Look::Settles(SpawnStatus::Ready, SETTLED),
            (true, _) if !taken => Look::Nothing,
            (true, false) => Look::Over(SpawnStatus::PromptAccepted),
            (true, true) => Look::Settles(SpawnStatus::Done, lasting),
        }
    }

    /// The reply, which the edge completes.
    fn report(&self, world: &World, status: SpawnStatus, now: Timestamp) -> Decision<SpawnedAgent> {
        let place = &self.place;
        let pane = world.panes.get(&place.pane);
        let exit = pane.map_or_else(|| world.departed(place.pane), Pane::exit);
        let dialog = pane.and_then(|pane| pane.dialog.clone());
        let told = SpawnedAgent {
            status,
            reason: self.reason(status, pane, exit, now),
            pane_id: place.pane,
            session_id: place.session,
            session_name: place.session_name.clone(),
            window_id: place.window,
            worktree: place.worktree.clone(),
            agent: pane.and_then(|pane| pane.agent.view.clone()),
            conversation: pane.and_then(|pane| pane.last_conversation().cloned()),
            dialog_id: dialog.as_ref().map(|open| open.id.clone()),
            dialog: dialog.map(|open| open.dialog),
            exit,
            last_message: None,
            last_lines: String::new(),
            copied_files: place.copied,
            elapsed_ms: now.millis().saturating_sub(self.begun.millis()),
        };
        let run = pane.and_then(Pane::run_id);
        let wants_message = self.until_end && matches!(status, SpawnStatus::Done | SpawnStatus::Exited);
        Decision::later(EdgeRequest::Spawned(Box::new(SpawnReport {
            told,
            agent: self.agent.clone(),
            run,
            begun: self.begun,
            wants_message,
        })))
    }

    /// The status in a sentence.
    fn reason(
        &self,
        status: SpawnStatus,
        pane: Option<&Pane>,
        exit: Option<ExitStatus>,
        now: Timestamp,
    ) -> String {
        let agent = &self.agent;
        let view = pane.and_then(|pane| pane.agent.view.as_ref());
        let why = view.and_then(|view| view.reason.clone());
        let with = |text: &str| why.as_ref().map_or_else(|| text.to_owned(), |why| format!("{text}: {why}"));
        match status {
            SpawnStatus::Started => format!("{agent} was started"),
            SpawnStatus::Ready => format!("{agent} is ready"),
            SpawnStatus::PromptAccepted => format!("{agent} has accepted the prompt"),
            SpawnStatus::Done => with(&format!("{agent} has finished")),
            SpawnStatus::Failed => with(&format!("{agent} reports an error")),
            SpawnStatus::Dialog => {
                let asked =
                    pane.and_then(|pane| pane.dialog.as_ref()).map(|open| open.dialog.question.clone());
                format!("{agent} asks: {}", asked.or(why).unwrap_or_else(|| "see its pane".into()))
            }
            SpawnStatus::Exited | SpawnStatus::SetupFailed => {
                let exit = exit.map(|exit| format!(" ({exit})")).unwrap_or_default();
                format!("{agent} exited{exit}")
            }
            SpawnStatus::Closed => format!("{agent}'s pane was closed"),
            SpawnStatus::Timeout => {
                let wanted = match (self.has_prompt, self.is_prompt_accepted) {
                    (false, _) => "was not ready",
                    (true, false) => "did not accept the prompt",
                    (true, true) => "did not finish",
                };
                let state = match view {
                    None => "it was not recognized".to_owned(),
                    Some(view) if view.state == AgentState::Unknown || !self.is_known(view) => {
                        "its state is unknown".to_owned()
                    }
                    Some(view) => format!("it is {}", view.state.words()),
                };
                let seconds = now.millis().saturating_sub(self.begun.millis()) / 1_000;
                with(&format!("{agent} {wanted} within {seconds} s; {state}"))
            }
        }
    }
}
