//! What a hook is told: the variables of its environment, for each kind of event.

use fugue_core::World;
use fugue_protocol::agents::AgentState;
use fugue_protocol::events::ClientAttached;
use fugue_protocol::{Event, MessageId, OptionScope, PaneId, SessionId, WindowId};

/// The name of an event, and the variables that are set for its commands.
pub(super) type HookFacts = (&'static str, Vec<(&'static str, String)>);

const SESSION_ID: &str = "FUGUE_HOOK_SESSION_ID";
const WINDOW_ID: &str = "FUGUE_HOOK_WINDOW_ID";
const PANE_ID: &str = "FUGUE_HOOK_PANE_ID";

/// The longest value of a variable in bytes. Titles and texts are a program's own, and the kernel limits an environment.
const MAX_VALUE: usize = 4 << 10;

/// The facts of an event that ends something, in the world before it.
pub(super) fn of_end(world: &World, event: &Event) -> Option<HookFacts> {
    match event {
        Event::SessionClosed { session } => Some(("session-closed", about_session(world, *session))),
        Event::WindowClosed { window } => Some(("window-closed", about_window(world, *window))),
        Event::PaneClosed { pane } => Some(("pane-closed", about_pane(world, *pane))),
        Event::ClientLeft { client } => {
            world.clients.get(client).map(|client| ("client-detached", about_client(world, client)))
        }
        _ => None,
    }
}

/// What an event is compared with: the world before it.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Whether the agent that it is about waits for the user.
    is_waiting: bool,
    /// The session that the client shows.
    shown: Option<SessionId>,
}

impl Before {
    pub(super) fn of(world: &World, event: &Event) -> Self {
        match event {
            Event::AgentStateChanged { pane, .. } => {
                let agent = world.panes.get(pane).and_then(|pane| pane.agent.view.as_ref());
                Self { is_waiting: agent.is_some_and(|agent| needs_attention(agent.state)), shown: None }
            }
            Event::ClientAttached(client) => {
                let shown = world.clients.get(&client.client).map(|before| before.session);
                Self { is_waiting: false, shown }
            }
            _ => Self::default(),
        }
    }
}

/// The scopes of hooks for what has these facts, from the narrowest to the widest.
pub(super) fn scopes(variables: &[(&'static str, String)]) -> Vec<OptionScope> {
    let id = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, id)| id.as_str());
    let pane = id(PANE_ID).and_then(|id| id.parse().ok()).map(OptionScope::Pane);
    let window = id(WINDOW_ID).and_then(|id| id.parse().ok()).map(OptionScope::Window);
    let session = id(SESSION_ID).and_then(|id| id.parse().ok()).map(OptionScope::Session);
    [pane, window, session, Some(OptionScope::Global)].into_iter().flatten().collect()
}

fn needs_attention(state: AgentState) -> bool {
    state.needs_somebody() || state == AgentState::Error
}

/// The facts of an event that changes something, in the world after it.
pub(super) fn of_change(world: &World, event: &Event, before: &Before) -> Vec<HookFacts> {
    let one = match event {
        Event::SessionCreated(created) => ("session-created", about_session(world, created.session)),
        Event::SessionRenamed { session, .. } => ("session-renamed", about_session(world, *session)),
        Event::WindowOpened(opened) => ("window-opened", about_window(world, opened.window)),
        Event::WindowRenamed { window, .. } => ("window-renamed", about_window(world, *window)),
        Event::PaneOpened(opened) => ("pane-opened", about_pane(world, opened.pane)),
        Event::PaneExited { pane, exit } => {
            ("pane-exited", with(about_pane(world, *pane), [("FUGUE_HOOK_EXIT", exit.to_string())]))
        }
        Event::ClientAttached(client) => match before.shown {
            Some(shown) if shown == client.session => return Vec::new(),
            Some(_) => ("client-session-changed", about_client(world, client)),
            None => ("client-attached", about_client(world, client)),
        },
        Event::WindowSelected { window } => ("session-window-changed", about_window(world, *window)),
        Event::PaneFocused { pane } => ("window-pane-changed", about_pane(world, *pane)),
        Event::LayoutChanged { window, .. } => ("window-layout-changed", about_window(world, *window)),
        Event::AgentStateChanged { pane, .. } => return about_agent(world, *pane, before.is_waiting),
        Event::MessageSent(header) => ("message-sent", about_message(world, header.message)),
        Event::MessagesDeadLettered { session, messages, reason } => {
            return messages.iter().map(|message| undelivered(world, *session, *message, reason)).collect();
        }
        Event::PaneRang { pane } => ("bell", about_pane(world, *pane)),
        Event::PaneNotified { pane, title, body } => {
            let texts = [("FUGUE_HOOK_TITLE", title.clone()), ("FUGUE_HOOK_TEXT", body.clone())];
            ("notification", with(about_pane(world, *pane), texts))
        }
        _ => return Vec::new(),
    };
    vec![one]
}

type Variables = Vec<(&'static str, String)>;

/// Adds variables. A value is cut to its limit, and a byte that no environment can hold is left out.
fn with<const N: usize>(mut variables: Variables, more: [(&'static str, String); N]) -> Variables {
    variables.extend(more.map(|(name, mut value)| {
        value.retain(|letter| letter != '\0');
        value.truncate(value.floor_char_boundary(MAX_VALUE));
        (name, value)
    }));
    variables
}

fn about_session(world: &World, id: SessionId) -> Variables {
    let name = world.sessions.get(&id).map(|session| session.name.to_string()).unwrap_or_default();
    with(Vec::new(), [(SESSION_ID, id.to_string()), ("FUGUE_HOOK_SESSION", name)])
}

fn about_window(world: &World, id: WindowId) -> Variables {
    let Some(window) = world.windows.get(&id) else { return Vec::new() };
    let names = [(WINDOW_ID, id.to_string()), ("FUGUE_HOOK_WINDOW", window.name.to_string())];
    with(about_session(world, window.session), names)
}

fn about_pane(world: &World, id: PaneId) -> Variables {
    let Some(pane) = world.panes.get(&id) else { return Vec::new() };
    let ids = [(PANE_ID, id.to_string()), ("FUGUE_HOOK_PANE", format!("%{}", pane.number))];
    with(about_window(world, pane.window), ids)
}

fn about_client(world: &World, client: &ClientAttached) -> Variables {
    let tty = client.tty.clone().unwrap_or_default();
    with(about_session(world, client.session), [("FUGUE_HOOK_CLIENT", tty)])
}

fn about_agent(world: &World, pane: PaneId, was_waiting: bool) -> Vec<HookFacts> {
    let agent = world.panes.get(&pane).and_then(|pane| pane.agent.view.as_ref());
    let state = agent.map(|agent| agent.state);
    let told = [
        ("FUGUE_HOOK_AGENT", agent.map(|agent| agent.name.clone()).unwrap_or_default()),
        ("FUGUE_HOOK_STATE", state.map_or("gone", AgentState::words).to_owned()),
        ("FUGUE_HOOK_REASON", agent.and_then(|agent| agent.reason.clone()).unwrap_or_default()),
    ];
    let variables = with(about_pane(world, pane), told);
    let asks = state.is_some_and(needs_attention) && !was_waiting;
    let attention = asks.then(|| ("agent-needs-attention", variables.clone()));
    [("agent-state-changed", variables)].into_iter().chain(attention).collect()
}

fn about_message(world: &World, id: MessageId) -> Variables {
    let Some(message) = world.messages.get(id) else { return Vec::new() };
    let header = &message.header;
    let from = header.from.as_ref().map(|from| from.name.to_string()).unwrap_or_default();
    let to: Vec<_> = header.recipients.iter().map(|to| to.name.to_string()).collect();
    let told = [
        ("FUGUE_HOOK_MESSAGE_ID", id.to_string()),
        ("FUGUE_HOOK_MESSAGE_TYPE", header.msg_type.to_string()),
        ("FUGUE_HOOK_FROM", from),
        ("FUGUE_HOOK_TO", to.join(" ")),
    ];
    with(Vec::new(), told)
}

fn undelivered(world: &World, session: SessionId, message: MessageId, reason: &str) -> HookFacts {
    let variables = [about_session(world, session), about_message(world, message)].concat();
    ("message-undelivered", with(variables, [("FUGUE_HOOK_REASON", reason.to_owned())]))
}
