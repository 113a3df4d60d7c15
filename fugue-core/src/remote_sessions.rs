//! Sessions on other hosts: how a target names them, and the ids that stand for them here.

use fugue_protocol::agent_messages::{
    Origin, Recipient, RemoteAddress, RemoteStart, RemoteTarget, Sender, Target,
};
use fugue_protocol::views::MessageView;
use fugue_protocol::{FleetHost, MessageId, PaneId, Refusal, SessionId, SessionName, SessionRef};
use uuid::Builder;

use crate::recipients;
use crate::request_context::RequestContext;
use crate::world::World;

/// The name of a sender outside any session.
const OUTSIDE: &str = "(outside)";

/// The name of the recipient that stands for all hosts until they are known.
const ALL_HOSTS: &str = "(all hosts)";

/// The name of the recipient that stands for a session to be created.
const NEW_SESSION: &str = "(new session)";

/// The id that stands for a session on another host. It is derived from both names, so the other host cannot choose it:
/// it could be the id of a session here, or of one on a third host.
pub(crate) fn session_id(host: &FleetHost, session: &str) -> SessionId {
    id_of(&format!("{host}/{session}"))
}

fn id_of(text: &str) -> SessionId {
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    SessionId::from(Builder::from_custom_bytes(hash).into_uuid())
}

/// The recipient that a target names on another host; nothing if it names sessions of this one.
pub(crate) fn recipient(
    world: &World,
    target: &Target,
    from: Option<&Sender>,
    context: &RequestContext,
) -> Result<Option<Recipient>, Refusal> {
    let text = match target {
        Target::Session(SessionRef::Name(text)) => Some(text.clone()),
        Target::Parent => from.and_then(|from| recipients::parent_elsewhere(world, from)),
        _ => None,
    };
    let Some(text) = text else { return Ok(None) };
    let Some((host, session)) = FleetHost::split(&text) else { return Ok(None) };
    // A session of this host may have a slash in its name.
    if world.session(&SessionRef::Name(text.clone())).is_ok() {
        return Ok(None);
    }
    match &context.settings.fleet {
        Some(fleet) if fleet.host != host => session_on(&host, session).map(Some),
        _ => Ok(None),
    }
}

/// A session of another host as a recipient.
pub(crate) fn session_on(host: &FleetHost, session: &str) -> Result<Recipient, Refusal> {
    let (Ok(to), id) = (session.parse(), session_id(host, session));
    let remote = Some(RemoteAddress { to: RemoteTarget::Session(to), host: Some(host.clone()) });
    Ok(Recipient { session: id, name: host.session_name(session)?, remote })
}

/// A group of sessions as a recipient: of one host, or of all other hosts, which only the relay knows. Its id cannot be
/// that of a session, whose name has no control characters.
pub(crate) fn group(host: Option<&FleetHost>, to: RemoteTarget) -> Result<Recipient, Refusal> {
    let (text, shown) = match &to {
        RemoteTarget::Session(session) => (format!("session {session}"), format!("({session})")),
        RemoteTarget::Tag(tag) => (format!("tag {tag}"), format!("(tag {tag})")),
        RemoteTarget::Repository(url) => (format!("repository {url}"), "(repository)".into()),
        RemoteTarget::Start(_) => ("start".into(), NEW_SESSION.into()),
    };
    let name = match host {
        Some(host) => host.session_name(&shown)?,
        None => ALL_HOSTS.parse()?,
    };
    let host_text = host.map_or("*", FleetHost::as_str);
    let session = id_of(&format!("{host_text}\0{text}"));
    Ok(Recipient { session, name, remote: Some(RemoteAddress { host: host.cloned(), to }) })
}

/// The recipient of a request to create a session, on the host that is asked.
pub(crate) fn new_session(host: &FleetHost, start: RemoteStart) -> Result<Recipient, Refusal> {
    group(Some(host), RemoteTarget::Start(start))
}

/// The recipient of such a request on the host that has created the session. The session itself cannot be it: the request
/// would be in its inbox.
pub(crate) fn created_session(request: MessageId, name: SessionName) -> Recipient {
    Recipient { session: id_of(&format!("started\0{request}")), name, remote: None }
}

/// The same target, with the name of a session of this host in place of `own-host/session`.
pub(crate) fn without_own_host(target: Target, context: &RequestContext) -> Target {
    let Target::Session(SessionRef::Name(text)) = &target else { return target };
    let own = context.settings.fleet.as_ref().map(|fleet| &fleet.host);
    match FleetHost::split(text) {
        Some((host, session)) if Some(&host) == own => {
            let Ok(session) = session.parse();
            Target::Session(session)
        }
        _ => target,
    }
}

/// The sender of a message from another host, to which an answer goes.
pub(crate) fn asker(world: &World, message: MessageId) -> Option<Recipient> {
    let header = &world.messages.get(message)?.header;
    let (origin, from) = (header.origin.as_ref()?, header.from.as_ref()?);
    let session = SessionRef::Id(origin.session?);
    let remote = Some(RemoteAddress { host: Some(origin.host.clone()), to: RemoteTarget::Session(session) });
    Some(Recipient { session: from.session, name: from.name.clone(), remote })
}

/// The sender of a message that arrived from another host.
pub(crate) fn sender(host: &FleetHost, message: &MessageView) -> Result<(Sender, Origin), Refusal> {
    let name = message.from_session_name.as_ref().map_or(OUTSIDE, |name| name.as_str());
    let sender = Sender {
        session: session_id(host, name),
        name: host.session_name(name)?,
        pane: PaneId::from_bytes([0; 16]),
        claimed: message.from_claimed,
    };
    Ok((sender, Origin { host: host.clone(), session: message.from_session_id }))
}
