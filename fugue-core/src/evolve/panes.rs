//! Changes of panes by events.

use std::collections::BTreeSet;

use fugue_agents::{launched, named_conversation};
use fugue_protocol::agents::AgentView;
use fugue_protocol::conversation::Conversation;
use fugue_protocol::dialogs::OpenDialog;
use fugue_protocol::events::{PaneOpened, PaneRespawned};
use fugue_protocol::views::{ExitStatus, PaneView, Survivor};
use fugue_protocol::worktree::GitLocation;
use fugue_protocol::{
    Event, OptionScope, PaneId, PaneName, RunId, SessionId, SessionName, Timestamp, WindowId,
};

use crate::agents::Agent;
use crate::ended_panes::MAX_ENDED;
use crate::scope;
use crate::world::{
    DEPARTED, EndedPane, Pane, PaneAuthority, PaneLife, PaneNote, PanePipe, StartedBy, World,
};

pub(super) fn opened(world: &mut World, event: &PaneOpened) {
    if !world.windows.contains_key(&event.window) {
        return;
    }
    let pane = Pane {
        id: event.pane,
        number: world.next_numbers.pane(),
        window: event.window,
        name: event.name.clone(),
        launch: event.launch.clone(),
        on_exit: event.on_exit,
        life: PaneLife::Running(event.run),
        agent: Agent::default(),
        dialog: None,
        title: String::new(),
        foreground: None,
        last_exit: None,
        cwd: None,
        noted: None,
        conversation: named_conversation::in_launch(&event.launch),
        ended_conversation: None,
        lost_agent: None,
        survivors: Vec::new(),
        runs_once: false,
        place: None,
        lent: false,
        started_by: None,
        muted: false,
        pipe: None,
        authority: None,
    };
    world.panes.insert(event.pane, pane);
}

fn change(world: &mut World, pane: PaneId, with: impl FnOnce(&mut Pane)) {
    if let Some(pane) = world.panes.get_mut(&pane) {
        with(pane);
    }
}

pub(super) fn numbered(world: &mut World, pane: PaneId, number: u64) {
    world.next_numbers.used_for_pane(number);
    change(world, pane, |pane| pane.number = number);
}

pub(super) fn lent(world: &mut World, pane: PaneId) {
    change(world, pane, |pane| pane.lent = true);
}

pub(super) fn started_by(world: &mut World, pane: PaneId, started_by: StartedBy) {
    change(world, pane, |pane| pane.started_by = Some(started_by));
}

pub(super) fn moved(world: &mut World, pane: PaneId, window: WindowId) {
    let Some(to) = world.windows.get(&window).map(|window| window.session) else { return };
    keep_authority(world, pane, to);
    change(world, pane, |pane| pane.window = window);
}

/// Keeps the authority of a pane that moves to a session.
pub(super) fn keep_authority(world: &mut World, pane: PaneId, to: SessionId) {
    let kept = world.panes.get(&pane).and_then(|pane| scope::kept(world, pane, to));
    change(world, pane, |pane| pane.authority = kept);
}

pub(super) fn governed(
    world: &mut World,
    pane: PaneId,
    session: Option<SessionId>,
    names: &BTreeSet<SessionName>,
) {
    let authority = session.map(|session| PaneAuthority { session, names: names.clone() });
    change(world, pane, |pane| pane.authority = authority);
}

pub(super) fn focused(world: &mut World, pane: PaneId) {
    let window = world.panes.get(&pane).map(|pane| pane.window);
    if let Some(window) = window.and_then(|window| world.windows.get_mut(&window))
        && window.active != pane
    {
        let before = std::mem::replace(&mut window.active, pane);
        window.last = Some(before).filter(|before| window.layout.contains(*before));
        window.former.retain(|former| *former != pane && *former != before);
        window.former.extend(window.last);
    }
}

pub(super) fn renamed(world: &mut World, pane: PaneId, name: Option<&PaneName>) {
    change(world, pane, |pane| pane.name = name.cloned());
}

pub(super) fn muted(world: &mut World, pane: PaneId, muted: bool) {
    change(world, pane, |pane| pane.muted = muted);
}

pub(super) fn piped(world: &mut World, pane: PaneId, key: &str) {
    let pipe = PanePipe { key: key.to_owned(), is_ending: false };
    change(world, pane, |pane| pane.pipe = Some(Box::new(pipe)));
}

pub(super) fn pipe_ending(world: &mut World, pane: PaneId) {
    change(world, pane, |pane| pane.pipe.iter_mut().for_each(|pipe| pipe.is_ending = true));
}

pub(super) fn pipe_ended(world: &mut World, pane: PaneId) {
    change(world, pane, |pane| pane.pipe = None);
}

pub(super) fn titled(world: &mut World, pane: PaneId, title: &str) {
    change(world, pane, |pane| title.clone_into(&mut pane.title));
}

pub(super) fn went_to(world: &mut World, pane: PaneId, cwd: &str) {
    change(world, pane, |pane| pane.cwd = Some(cwd.to_owned()));
}

pub(super) fn foreground(world: &mut World, pane: PaneId, program: Option<&str>) {
    change(world, pane, |pane| pane.foreground = program.map(str::to_owned));
}

pub(super) fn command_ended(world: &mut World, pane: PaneId, exit: Option<i32>) {
    change(world, pane, |pane| pane.last_exit = exit);
}

pub(super) fn agent(world: &mut World, pane: PaneId, event: &Event) {
    change(world, pane, |pane| {
        pane.agent.evolve(event);
        let is_gone = matches!(event, Event::AgentStateChanged { agent: None, .. });
        // In a pane that was started as an agent, another program is in front only for a while.
        if is_gone && launched(&pane.launch).is_none() {
            pane.ended_conversation = pane.conversation.take().or(pane.ended_conversation.take());
        }
    });
}

pub(super) fn asked(world: &mut World, pane: PaneId, dialog: Option<&OpenDialog>) {
    change(world, pane, |pane| pane.dialog = dialog.cloned().map(Box::new));
}

pub(super) fn runs_once(world: &mut World, pane: PaneId) {
    change(world, pane, |pane| pane.runs_once = true);
}

pub(super) fn facts_noted(
    world: &mut World,
    pane: PaneId,
    title: &str,
    cwd: Option<&str>,
    agent: Option<&AgentView>,
) {
    change(world, pane, |pane| {
        pane.noted = Some(PaneNote::new(title, cwd, agent));
        title.clone_into(&mut pane.title);
        pane.cwd = cwd.map(str::to_owned);
        pane.agent.view = agent.cloned();
    });
}

pub(super) fn conversed(world: &mut World, pane: PaneId, conversation: &Conversation) {
    change(world, pane, |pane| pane.conversation = Some(conversation.clone()));
}

pub(super) fn survived(world: &mut World, pane: PaneId, survivors: &[Survivor]) {
    change(world, pane, |pane| pane.survivors = survivors.to_vec());
}

pub(super) fn located(world: &mut World, pane: PaneId, place: Option<&GitLocation>) {
    change(world, pane, |pane| pane.place = place.cloned().map(Box::new));
}

pub(super) fn exited(world: &mut World, pane: PaneId, exit: ExitStatus) {
    change(world, pane, |pane| {
        if let Some(run) = pane.run_id() {
            pane.life = PaneLife::Exited(run, exit);
            pane.agent.ended(exit);
            pane.dialog = None;
            pane.foreground = None;
        }
    });
}

pub(super) fn ended(world: &mut World, pane: PaneId, ended_at: Timestamp) {
    if world.panes.contains_key(&pane) {
        let view = PaneView { closed: true, marked: false, piped: false, ..world.pane_view(pane) };
        world.ended.push_back(EndedPane { view, ended_at });
        while world.ended.len() > MAX_ENDED {
            world.ended.pop_front();
        }
    }
}

pub(super) fn lost(world: &mut World, pane: PaneId) {
    change(world, pane, |pane| {
        pane.life = PaneLife::Lost;
        pane.lost_agent = pane.agent.view.clone().map(Box::new);
        pane.agent.ended(ExitStatus::Unknown);
        pane.dialog = None;
        pane.foreground = None;
    });
}

/// Notes that the program of a run is to be dropped by the keeper.
fn drop_run(world: &mut World, run: Option<RunId>) {
    world.dropped_runs.extend(run);
    while world.dropped_runs.len() > DEPARTED {
        world.dropped_runs.pop_front();
    }
}

pub(super) fn respawned(world: &mut World, event: &PaneRespawned) {
    let former = world.panes.get(&event.pane).and_then(Pane::run_id).filter(|run| *run != event.run.id);
    drop_run(world, former);
    change(world, event.pane, |pane| {
        pane.life = PaneLife::Running(event.run);
        pane.launch = event.launch.clone();
        pane.on_exit = event.on_exit.unwrap_or(pane.on_exit);
        // Reports of the previous program no longer apply.
        pane.title = String::new();
        pane.cwd = None;
        pane.noted = None;
        pane.agent = Agent::default();
        pane.dialog = None;
        pane.foreground = None;
        pane.conversation = named_conversation::in_launch(&event.launch);
        pane.ended_conversation = None;
        pane.lost_agent = None;
        pane.runs_once = false;
        pane.started_by = None;
    });
}

pub(super) fn closed(world: &mut World, pane: PaneId) {
    let Some(closed) = world.panes.remove(&pane) else { return };
    world.options.ended(OptionScope::Pane(pane));
    world.hooks.ended(OptionScope::Pane(pane));
    world.marked = world.marked.filter(|marked| *marked != pane);
    let exit = match closed.life {
        PaneLife::Exited(_, exit) => exit,
        PaneLife::Running(_) | PaneLife::Lost => ExitStatus::Unknown,
    };
    drop_run(world, closed.run_id());
    world.departed.push_back((pane, exit));
    while world.departed.len() > DEPARTED {
        world.departed.pop_front();
    }
    let conversation = closed.last_conversation().map(|conversation| (pane, conversation.clone()));
    world.ended_conversations.extend(conversation);
    while world.ended_conversations.len() > DEPARTED {
        world.ended_conversations.pop_front();
    }
}
