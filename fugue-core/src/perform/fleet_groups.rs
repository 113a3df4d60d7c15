//! Messages for groups on all hosts, as their sender's host follows them: first one recipient stands for all hosts, then
//! one for the group on each host, and then one for each session that its host says is a member.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::agent_messages::Recipient;
use fugue_protocol::views::RemoteReceipt;
use fugue_protocol::{Event, FleetHost, MessageId, Refusal, SessionId, SessionName, limits};

use crate::inbox::StoredMessage;
use crate::remote_sessions;
use crate::world::World;

/// Replaces a message to all hosts by one to each of these hosts.
pub(super) fn expand(stored: &StoredMessage, hosts: &BTreeSet<FleetHost>) -> Result<Option<Event>, Refusal> {
    let Some((all, remote)) = stored.unexpanded().and_then(|all| Some((all, all.remote.as_ref()?))) else {
        return Ok(None);
    };
    if hosts.len() > limits::GROUP_HOSTS {
        let reason = format!("the fleet has more than {} hosts", limits::GROUP_HOSTS);
        return Ok(Some(dead_letter(stored, all.session, reason)));
    }
    let groups = hosts.iter().map(|host| remote_sessions::group(Some(host), remote.to.clone()));
    Ok(Some(replace(
        stored,
        all,
        groups.collect::<Result<_, _>>()?,
        "no other host is currently in the fleet",
    )))
}

/// Replaces a group by its members. If that leaves the message without recipients, the group stays, with the reason.
fn replace(stored: &StoredMessage, group: &Recipient, recipients: Vec<Recipient>, why: &str) -> Event {
    let is_last = stored.header.recipients.iter().all(|to| to.session == group.session);
    match recipients.is_empty() && is_last {
        true => dead_letter(stored, group.session, why.into()),
        false => {
            Event::RecipientsFound { message: stored.header.message, group: Some(group.session), recipients }
        }
    }
}

fn dead_letter(stored: &StoredMessage, session: SessionId, reason: String) -> Event {
    Event::MessagesDeadLettered { session, messages: vec![stored.header.message], reason }
}

/// The events for receipts from a host, which counts only for messages that were sent to it.
pub(super) fn receipts(world: &World, host: &FleetHost, arrived: Vec<RemoteReceipt>) -> Vec<Event> {
    let mut receipts = ArrivedReceipts::new(host);
    for receipt in arrived {
        if let Some(stored) = world.messages.get(receipt.message_id) {
            receipts.take(stored, receipt);
        }
    }
    receipts.into_events(world)
}

/// Receipts from a host.
struct ArrivedReceipts<'a> {
    host: &'a FleetHost,
    /// Groups without members.
    events: Vec<Event>,
    /// Members of groups that are told of for the first time.
    members: BTreeMap<MessageId, BTreeMap<SessionId, Recipient>>,
    by_recipient: BTreeMap<SessionId, Vec<RemoteReceipt>>,
}

impl<'a> ArrivedReceipts<'a> {
    fn new(host: &'a FleetHost) -> Self {
        Self { host, events: Vec::new(), members: BTreeMap::new(), by_recipient: BTreeMap::new() }
    }

    fn take(&mut self, stored: &StoredMessage, receipt: RemoteReceipt) {
        let group = group_on(stored, self.host);
        let session = match &receipt.session {
            _ if !stored.is_for_fleet() => stored.recipients_on(self.host).next().map(|to| to.session),
            Some(name) => self.member(stored, name),
            None if receipt.nobody => {
                let why = "no session on any host matches the target";
                self.events.extend(group.map(|group| replace(stored, group, Vec::new(), why)));
                None
            }
            // Once the members are known, there is a receipt for each of them.
            None => group.map(|group| group.session),
        };
        if let Some(session) = session {
            self.by_recipient.entry(session).or_default().push(receipt);
        }
    }

    /// The id that stands for a member of a group; nothing if the message was not sent to that host, or if the host
    /// tells of more members than a message may reach.
    fn member(&mut self, stored: &StoredMessage, name: &SessionName) -> Option<SessionId> {
        let to = remote_sessions::session_on(self.host, name.as_str()).ok()?;
        let session = to.session;
        let (groups, known): (Vec<_>, Vec<_>) = stored.recipients_on(self.host).partition(|to| is_group(to));
        if groups.is_empty() && known.is_empty() {
            return None;
        }
        let new = self.members.entry(stored.header.message).or_default();
        if stored.receipts.contains_key(&session) || new.contains_key(&session) {
            return Some(session);
        }
        let has_room = known.len() + new.len() < limits::GROUP_SESSIONS;
        if has_room {
            new.insert(session, to);
        }
        has_room.then_some(session)
    }

    fn into_events(self, world: &World) -> Vec<Event> {
        let found = self.members.into_iter().filter(|(_, members)| !members.is_empty());
        let found = found.map(|(message, members)| {
            let group = world.messages.get(message).and_then(|stored| group_on(stored, self.host));
            let (group, recipients) = (group.map(|group| group.session), members.into_values().collect());
            Event::RecipientsFound { message, group, recipients }
        });
        let arrived = self.by_recipient.into_iter();
        let arrived = arrived.map(|(session, receipts)| Event::ReceiptsArrived { session, receipts });
        self.events.into_iter().chain(found).chain(arrived).collect()
    }
}

/// The recipient that stands for a group on a host, until its members are known.
fn group_on<'a>(stored: &'a StoredMessage, host: &FleetHost) -> Option<&'a Recipient> {
    stored.recipients_on(host).find(|to| is_group(to))
}

fn is_group(to: &Recipient) -> bool {
    to.remote.as_ref().is_some_and(|remote| remote.to.is_group())
}
