//! The sessions that a decision changes. Every event and every request to the edge is listed here, so that none can be
//! added without saying what it touches.

use std::collections::BTreeSet;

use fugue_protocol::agent_messages::{Recipient, RemoteTarget};
use fugue_protocol::{Event, OptionScope, PaneId, SessionId, WindowId};

use crate::decision::{Decision, ReplySource};
use crate::edge_request::{EdgeRequest, PaneRequest};
use crate::world::World;

/// The sessions that a decision changes.
pub(super) fn sessions<R>(world: &World, decision: &Decision<R>) -> BTreeSet<SessionId> {
    let mut touched: BTreeSet<_> =
        decision.events.iter().filter_map(|event| session_of(world, event)).collect();
    touched.extend(decision.children.iter().map(|child| child.session));
    touched.extend(decision.events.iter().filter_map(|event| destination(world, event)));
    if let ReplySource::Later(request) = &decision.answer {
        touched.extend(of_request(world, request));
    }
    touched
}

/// Whether a decision changes something that all sessions share, beyond what a verb's reach says.
pub(super) fn is_daemon_wide<R>(decision: &Decision<R>) -> bool {
    let is_wide = |event: &Event| matches!(event, Event::OptionChanged { scope: OptionScope::Global, .. });
    decision.events.iter().any(is_wide)
}

/// The sessions on other hosts that a decision asks for, as `host/(new session)`.
pub(super) fn other_hosts<R>(decision: &Decision<R>) -> Vec<String> {
    let sent = decision.events.iter().filter_map(|event| match event {
        Event::MessageSent(sent) => Some(sent),
        _ => None,
    });
    let is_new = |to: &&Recipient| {
        to.remote.as_ref().is_some_and(|remote| matches!(remote.to, RemoteTarget::Start(_)))
    };
    sent.flat_map(|sent| sent.recipients.iter().filter(is_new)).map(|to| to.name.to_string()).collect()
}

fn of_pane(world: &World, pane: PaneId) -> Option<SessionId> {
    world.panes.get(&pane).map(|pane| world.session_of(pane).id)
}

fn of_window(world: &World, window: WindowId) -> Option<SessionId> {
    world.windows.get(&window).map(|window| window.session)
}

/// The session that a request to the edge changes, if any.
fn of_request(world: &World, request: &EdgeRequest) -> Option<SessionId> {
    match request {
        EdgeRequest::Attach { session, .. } => Some(*session),
        EdgeRequest::RemoveWorktree(removal) => removal.owner,
        EdgeRequest::Pane(pane, request) => match request {
            PaneRequest::Type(_)
            | PaneRequest::Run(_)
            | PaneRequest::Finish(_)
            | PaneRequest::Answer(_)
            | PaneRequest::ClearHistory => of_pane(world, *pane),
            PaneRequest::Read(_)
            | PaneRequest::Wait(_)
            | PaneRequest::Picture(_)
            | PaneRequest::Watch
            | PaneRequest::Unwatch
            | PaneRequest::Record(_) => None,
        },
        EdgeRequest::Panes { .. }
        | EdgeRequest::Events(_)
        | EdgeRequest::Status
        | EdgeRequest::Shutdown
        | EdgeRequest::Payloads(_)
        | EdgeRequest::Waits
        | EdgeRequest::Worktrees(_)
        | EdgeRequest::Spawned(_)
        | EdgeRequest::Outputs { .. } => None,
    }
}

/// The session that an event changes, if any. Messages and leases are shared by all sessions.
fn session_of(world: &World, event: &Event) -> Option<SessionId> {
    match event {
        Event::SessionCreated(e) => Some(e.session),
        Event::SessionRenamed { session, .. }
        | Event::SessionClosed { session }
        | Event::SessionSelected { session }
        | Event::SessionGoverned { session, .. }
        | Event::SessionConfined { session, .. }
        | Event::TagsChanged { session, .. }
        | Event::MetadataChanged { session, .. }
        | Event::EnvironmentChanged { session, .. }
        | Event::SubscriptionChanged { session, .. }
        | Event::MessagesOffered { session, .. }
        | Event::PushStarted { session, .. }
        | Event::PushLapsed { session }
        | Event::MessagesRead { session, .. }
        | Event::MessagesDeadLettered { session, .. } => Some(*session),
        #[cfg(fugue_next)]
        Event::SessionMarked { session, .. } => Some(*session),
        Event::WorktreeCreated(e) => Some(e.session),
        Event::WindowOpened(e) => Some(e.session),
        Event::WindowRenamed { window, .. }
        | Event::WindowClosed { window }
        | Event::WindowSelected { window }
        | Event::WindowMoved { window, .. }
        | Event::WindowResized { window, .. }
        | Event::LayoutChanged { window, .. }
        | Event::PresetApplied { window, .. }
        | Event::PopupShown { window, .. }
        | Event::ZoomChanged { window, .. } => of_window(world, *window),
        Event::PaneOpened(e) => of_window(world, e.window),
        Event::PaneRespawned(e) => of_pane(world, e.pane),
        Event::PaneMoved { pane, .. }
        | Event::PaneNumbered { pane, .. }
        | Event::PaneFocused { pane }
        | Event::PaneRenamed { pane, .. }
        | Event::PaneMuted { pane, .. }
        | Event::PipeHeld { pane, .. }
        | Event::PipeEndRequested { pane }
        | Event::PipeEnded { pane }
        | Event::PaneTitled { pane, .. }
        | Event::PaneWentTo { pane, .. }
        | Event::ForegroundChanged { pane, .. }
        | Event::CommandEnded { pane, .. }
        | Event::PaneActivity { pane, .. }
        | Event::PaneExited { pane, .. }
        | Event::PaneEnded { pane, .. }
        | Event::PaneLost { pane }
        | Event::PaneClosed { pane }
        | Event::PaneGoverned { pane, .. }
        | Event::PaneRang { pane }
        | Event::PaneNotified { pane, .. }
        | Event::PaneLocated { pane, .. }
        | Event::PaneLent { pane }
        | Event::RunStarted { pane, .. }
        | Event::PaneRunsOnce { pane }
        | Event::PaneNoted { pane, .. }
        | Event::ConversationReported { pane, .. }
        | Event::SurvivorsFound { pane, .. }
        | Event::AgentSeen { pane, .. }
        | Event::DialogChanged { pane, .. }
        | Event::AgentReported { pane, .. }
        | Event::AgentStateChanged { pane, .. } => of_pane(world, *pane),
        Event::ClientAttached(e) => Some(e.session),
        Event::ClientLeft { client }
        | Event::ClientDetached { client }
        | Event::ClientCommanded { client, .. } => world.clients.get(client).map(|client| client.session),
        Event::MarkMoved { pane } => of_pane(world, (*pane).or(world.marked)?),
        Event::OptionChanged { scope, .. } | Event::HookChanged { scope, .. } => match scope {
            OptionScope::Global => None,
            OptionScope::Session(session) => Some(*session),
            OptionScope::Window(window) => of_window(world, *window),
            OptionScope::Pane(pane) => of_pane(world, *pane),
        },
        Event::GlobalEnvironmentChanged { .. }
        | Event::ChannelSignalled { .. }
        | Event::ChannelHeard { .. }
        | Event::ChannelLocked { .. }
        | Event::ChannelUnlocked { .. }
        | Event::BufferStored { .. }
        | Event::BufferRenamed { .. }
        | Event::BufferRemoved { .. }
        | Event::MessageSent(_)
        | Event::MessagesExpired { .. }
        | Event::MessagesRelayed { .. }
        | Event::ReceiptsMissed { .. }
        | Event::RecipientsFound { .. }
        | Event::ReceiptsArrived { .. }
        | Event::ReceiptsRelayed { .. }
        | Event::MessagesForgotten { .. }
        | Event::LeaseClaimed(_)
        | Event::LeaseEnded { .. }
        | Event::WorktreeRemoved { .. }
        | Event::WarningRaised { .. }
        | Event::WarningsDismissed
        | Event::NumberedFrom { .. }
        | Event::WaitedInCircle { .. } => None,
    }
}

/// The other session of a change that concerns two: the one that something is moved to, or that loses the mark.
fn destination(world: &World, event: &Event) -> Option<SessionId> {
    match event {
        Event::MarkMoved { .. } => of_pane(world, world.marked?),
        Event::WindowMoved { session, .. } => Some(*session),
        Event::PaneMoved { window, .. } => of_window(world, *window),
        _ => None,
    }
}
