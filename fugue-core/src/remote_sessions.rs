//! Sessions on other hosts: how a target names one, and the ids that stand for them here.

use fugue_protocol::agent_messages::{Origin, Recipient, RemoteAddress, Sender, Target};
use fugue_protocol::views::MessageView;
use fugue_protocol::{FleetHost, MessageId, PaneId, Refusal, SessionId, SessionRef};
use uuid::Builder;

use crate::request_context::RequestContext;
use crate::world::World;

/// The name of a sender outside any session.
const OUTSIDE: &str = "(outside)";

/// The id that stands for a session on another host. It is derived from both names, so the other host cannot choose it:
/// it could be the id of a session here, or of one on a third host.
pub(crate) fn session_id(host: &FleetHost, session: &str) -> SessionId {
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(format!("{host}/{session}").as_bytes()).as_bytes()[..16]);
    SessionId::from(Builder::from_custom_bytes(hash).into_uuid())
}

/// The recipient that a target names on another host; nothing if it names sessions of this one.
pub(crate) fn recipient(
    world: &World,
    target: &Target,
    context: &RequestContext,
) -> Result<Option<Recipient>, Refusal> {
    let Target::Session(wanted @ SessionRef::Name(text)) = target else { return Ok(None) };
    let Some((host, session)) = FleetHost::split(text) else { return Ok(None) };
    // A session of this host may have a slash in its name.
    if world.session(wanted).is_ok() {
        return Ok(None);
    }
    let Some(fleet) = &context.settings.fleet else { return Ok(None) };
    if fleet.host == host {
        return Ok(None);
    }
    let Ok(session_ref) = session.parse();
    let name = host.session_name(session)?;
    let remote = Some(RemoteAddress { session: session_ref, host: host.clone() });
    Ok(Some(Recipient { session: session_id(&host, session), name, remote }))
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
    let remote = Some(RemoteAddress { host: origin.host.clone(), session });
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
