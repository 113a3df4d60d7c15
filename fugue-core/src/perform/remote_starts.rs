//! Sessions that sessions of other hosts ask for: whether they may, and what is created. The request is stored as a
//! message that the new session has answered, so that a request that is repeated creates nothing, and the receipt tells
//! the other host.

use fugue_protocol::agent_messages::{
    DeliveryState, MessageHeader, Origin, Payload, RemoteStart, RemoteTarget, Sender, StartedSession, Target,
};
use fugue_protocol::refusal::AgentQuota;
use fugue_protocol::verbs::{CreateSession, SpawnAgent, StartRemote};
use fugue_protocol::views::{
    Done, MessageView, OnExit, PaneCreated, RemoteMessage, RemoteReceipt, SessionWorktree,
};
use fugue_protocol::{Event, FleetHost, Refusal, SessionRef, Tag};
use serde::de::DeserializeOwned;

use super::{Perform, fleet, spawn};
use crate::decision::{Decision, PayloadSource};
use crate::effect::ChildSpec;
use crate::recipients;
use crate::remote_sessions;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for StartRemote {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        fleet::only_for_the_relay(context)?;
        let RemoteMessage { to, message, .. } = self.request;
        if fleet::is_known(world, message.message_id, &self.host) {
            let messages = vec![message.message_id];
            return Ok(Decision::done().event(Event::ReceiptsMissed { messages }));
        }
        is_new(world, context, &message)?;
        let (from, origin) = remote_sessions::sender(&self.host, &message)?;
        let payload = message.payload.as_ref().map(Payload::to_json).unwrap_or_default();
        let wanted = WantedStart::read(&to, &payload)?.made_by(&from, &origin)?;
        wanted.is_allowed(&self.host, &from, context)?;
        has_room(world, &self.host, context)?;
        let Decision { events, children, .. } = wanted.decide(world, context)?;
        let Some(child) = children.first() else { return Err(Refusal::ShuttingDown) };
        let governed = Event::SessionGoverned {
            session: child.session,
            names: [from.name.clone(), child.session_name.clone()].into(),
        };
        let (id, bytes) = (message.message_id, payload.len());
        let answered = answered(message, (from, origin), bytes, child, context);
        // It is nobody's choice here, so it does not become the session that users get by default.
        let events = events.into_iter().filter(|event| !matches!(event, Event::SessionSelected { .. }));
        let decision = Decision::done().events(events).event(governed).events(answered);
        let decision = decision.payload(id, PayloadSource::Text(payload));
        Ok(children.into_iter().fold(decision, Decision::child))
    }
}

/// Refuses a request whose id is that of another message, and one that is too old.
fn is_new(world: &World, context: &RequestContext, message: &MessageView) -> Result<(), Refusal> {
    if world.messages.get(message.message_id).is_some() {
        let why = format!("message {} is from another host", message.message_id);
        return Err(Refusal::NoRecipients { why });
    }
    if message.expires_at <= context.now {
        return Err(Refusal::NoRecipients { why: "the request expired in transit".into() });
    }
    Ok(())
}

/// Refuses a host whose sessions have created as many sessions as an agent of this host may.
fn has_room(world: &World, host: &FleetHost, context: &RequestContext) -> Result<(), Refusal> {
    let limit = context.settings.quotas.sessions;
    let is_theirs = |name: &fugue_protocol::SessionName| {
        FleetHost::split(name.as_str()).is_some_and(|(creator, _)| creator == *host)
    };
    let theirs = world.sessions.values().filter(|session| session.governed_by.iter().any(is_theirs)).count();
    match theirs >= limit {
        true => {
            Err(Refusal::QuotaReached { caller: format!("host `{host}`"), what: AgentQuota::Sessions, limit })
        }
        false => Ok(()),
    }
}

/// What another host asks for.
enum WantedStart {
    Session(Box<CreateSession>),
    Agent(Box<SpawnAgent>),
}

impl WantedStart {
    fn read(to: &RemoteTarget, arguments: &str) -> Result<Self, Refusal> {
        match to {
            RemoteTarget::Start(RemoteStart::CreateSession) => {
                parsed(arguments).map(|wanted| Self::Session(Box::new(wanted)))
            }
            RemoteTarget::Start(RemoteStart::SpawnAgent) => {
                parsed(arguments).map(|wanted| Self::Agent(Box::new(wanted)))
            }
            _ => Err(Refusal::BadMessage { why: "it does not request a new session".into() }),
        }
    }

    /// The same with the tag that names its parent. Whatever else belongs to this host is left out.
    fn made_by(self, from: &Sender, origin: &Origin) -> Result<Self, Refusal> {
        let parent = origin.session.and_then(|_| recipients::child_of(&from.name));
        Ok(match self {
            Self::Session(mut wanted) => {
                wanted.tags = with_parent(wanted.tags, parent)?;
                wanted.program.on_exit = wanted.program.on_exit.or(Some(OnExit::KeepFailed));
                Self::Session(Box::new(CreateSession { close_with: None, host: None, ..*wanted }))
            }
            Self::Agent(mut wanted) => {
                wanted.tags = with_parent(wanted.tags, parent)?;
                let (pane, split, host, idempotency_key) = (None, None, None, None);
                Self::Agent(Box::new(SpawnAgent {
                    pane,
                    split,
                    host,
                    idempotency_key,
                    wait: false,
                    ..*wanted
                }))
            }
        })
    }

    /// Refuses what the rules of this host do not allow. Variables, worktrees and command lines can run any program, and so
    /// can the arguments of many programs and the permission modes of agents: a rule names a program with its arguments.
    fn is_allowed(&self, host: &FleetHost, from: &Sender, context: &RequestContext) -> Result<(), Refusal> {
        let (program, is_plain) = match self {
            Self::Session(wanted) => {
                let program = &wanted.program;
                let is_plain = program.command.is_none()
                    && program.env.is_empty()
                    && wanted.worktree.is_none()
                    && program.argv.iter().all(|word| !word.contains(char::is_whitespace));
                (Some(program.argv.join(" ")).filter(|line| !line.is_empty()), is_plain)
            }
            Self::Agent(wanted) => {
                let is_plain =
                    wanted.env.is_empty() && wanted.worktree.is_none() && wanted.permission_mode.is_none();
                (Some(context.agents.canonical(&wanted.agent).to_owned()), is_plain)
            }
        };
        let fleet = context.settings.fleet.as_ref().ok_or(Refusal::NoFleet)?;
        if fleet.run.allow(host, &from.name, program.as_deref().filter(|_| is_plain)) {
            return Ok(());
        }
        let program = match program {
            Some(program) if is_plain => format!("`{program}`"),
            Some(program) => {
                format!("`{program}` with environment variables, a worktree or a permission mode")
            }
            None => "a shell".into(),
        };
        let (host, caller) = (fleet.host.clone(), format!("`{}`", from.name));
        Err(Refusal::StartNotAllowed { host, caller, program })
    }

    fn decide(self, world: &World, context: &RequestContext) -> Result<Decision<PaneCreated>, Refusal> {
        match self {
            Self::Session(wanted) => wanted.perform(world, context),
            Self::Agent(wanted) => spawn::start(&wanted, world, context),
        }
    }
}

fn parsed<T: DeserializeOwned>(arguments: &str) -> Result<T, Refusal> {
    serde_json::from_str(arguments).map_err(|why| Refusal::BadMessage { why: why.to_string() })
}

/// The tags with that of the parent. Another host cannot choose the parent.
fn with_parent(mut tags: Vec<Tag>, parent: Option<Tag>) -> Result<Vec<Tag>, Refusal> {
    match tags.iter().find(|tag| recipients::is_lineage(tag)) {
        Some(tag) => Err(Refusal::ReservedTag { tag: tag.to_string() }),
        None => {
            tags.extend(parent);
            Ok(tags)
        }
    }
}

/// The events that store the request as answered.
fn answered(
    message: MessageView,
    (from, origin): (Sender, Origin),
    bytes: usize,
    child: &ChildSpec,
    context: &RequestContext,
) -> [Event; 2] {
    let to = remote_sessions::created_session(message.message_id, child.session_name.clone());
    let receipt = RemoteReceipt {
        host: origin.host.clone(),
        message_id: message.message_id,
        session: None,
        nobody: false,
        state: DeliveryState::Replied,
        how: None,
        offered_at: None,
        settled_at: Some(context.now),
        reply: None,
        reason: None,
        started: Some(Box::new(started(child, context))),
    };
    let session = to.session;
    let header = MessageHeader {
        message: message.message_id,
        from: Some(from),
        // Another host cannot say who its users are.
        from_user: false,
        origin: Some(origin),
        target: Target::Session(SessionRef::Name(child.session_name.to_string())),
        recipients: vec![to],
        msg_type: message.msg_type,
        bytes,
        sent_at: message.sent_at.min(context.now),
        expires_at: message.expires_at,
        reply_to: None,
        key: None,
        key_space: None,
        resends: None,
        resent_by: None,
        digest: None,
        undelivered: Vec::new(),
    };
    let arrived = Event::ReceiptsArrived { session, receipts: vec![receipt] };
    [Event::MessageSent(Box::new(header)), arrived]
}

fn started(child: &ChildSpec, context: &RequestContext) -> StartedSession {
    let made = context.child(child.pane).worktree;
    let worktree = made.map(|made| SessionWorktree { path: made.path, branch: made.branch });
    StartedSession {
        session_name: child.session_name.clone(),
        pane: PaneCreated {
            pane_id: child.pane,
            session_id: child.session,
            window_id: child.window,
            dimensions: child.size,
            worktree,
            note: None,
        },
    }
}
