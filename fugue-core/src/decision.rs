//! Decisions: what a verb wants to happen, which programs it needs, and how its reply is found.

use std::fmt;

use fugue_protocol::names::{begins_as_target, invisible_character};
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::views::Done;
use fugue_protocol::{Event, LeaseName, MessageId, PaneId, Refusal, SessionId, SessionName, Timestamp};

use crate::edge_request::EdgeRequest;
use crate::effect::ChildSpec;
use crate::world::World;

/// The outcome of deciding a request. Nothing has happened yet: the machine applies it or drops it as a whole.
pub struct Decision<R> {
    /// The events to apply.
    pub events: Vec<Event>,
    /// The programs to start first; if one of them cannot be started, nothing happens.
    pub children: Vec<ChildSpec>,
    /// The payloads to store with the events.
    pub payloads: Vec<(MessageId, PayloadSource)>,
    /// The source of the reply.
    pub answer: ReplySource<R>,
}

/// The source of a reply.
pub enum ReplySource<R> {
    /// The world after the events.
    After(Box<dyn FnOnce(&World) -> R + Send>),
    /// The world; every caller of this verb gets the same reply.
    Shared(&'static str, Box<dyn FnOnce(&World) -> R + Send>),
    /// The edge.
    Later(EdgeRequest),
    /// A later event, or a timeout.
    When(PendingWait<R>),
    /// There is none: a wait ended with this refusal.
    Refused(Refusal),
}

/// Where the payload of a message comes from when it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayloadSource {
    /// This JSON text.
    Text(String),
    /// The payload of another message.
    CopyOf(MessageId),
}

/// A request that is answered when something has happened.
pub struct PendingWait<R> {
    /// The session whose agent waits; none for a user outside any session.
    pub(crate) who: Option<SessionId>,
    /// The events that concern the wait.
    pub(crate) about: WaitSubject,
    /// The sessions of which any can end the wait; empty when anybody can.
    pub(crate) on: Vec<SessionId>,
    /// The time of the timeout.
    pub(crate) until: Timestamp,
    /// Decides whether the wait is over, and with which reply.
    pub(crate) check: WaitCheck<R>,
    /// Panes that were opened for this request alone; they are closed when its caller goes away.
    pub(crate) abandoned: Vec<PaneId>,
}

/// Checks whether a wait is over. It must return a decision unless the reason is [`WakeReason::Changed`].
pub(crate) type WaitCheck<R> = Box<dyn Fn(&World, &WakeUp) -> Option<Decision<R>> + Send>;

/// The events that concern a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WaitSubject {
    /// Messages that arrive in the inbox of a session.
    Inbox(SessionId),
    /// Answers that arrive in the inbox of a session, from these others.
    Answers { inbox: SessionId, from: Vec<SessionId> },
    /// Messages and receipts for other hosts.
    Outbox,
    /// The holder of a lease.
    Lease(LeaseName),
    /// The exits of the programs in these panes.
    Exits(Vec<PaneId>),
    /// The agent in a pane: its state, its dialog, its end.
    Agent(PaneId),
    /// The delivery state of a message.
    Delivery(MessageId),
    /// The signals and the lock of a channel.
    Channel(String),
    /// The pipe of a pane.
    Pipe(PaneId),
    /// The pipe of a pane, which ends with the wait.
    Held { pane: PaneId, pipe: String },
}

/// The time and reason of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WakeUp {
    pub(crate) now: Timestamp,
    pub(crate) reason: WakeReason,
}

/// The reason why a wait is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WakeReason {
    /// An event concerns it.
    Changed,
    /// The timeout was reached.
    Timeout,
    /// The sessions it waits for are waiting for each other.
    Deadlock(Vec<SessionName>),
}

impl<R> fmt::Debug for PendingWait<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} waits for {:?} until {:?}", self.who, self.about, self.until)
    }
}

impl WaitSubject {
    /// Whether an event concerns this subject.
    pub(crate) fn is_touched_by(&self, event: &Event) -> bool {
        match (self, event) {
            (Self::Inbox(session) | Self::Answers { inbox: session, .. }, Event::MessageSent(sent)) => {
                sent.recipients.iter().any(|to| to.session == *session)
            }
            (Self::Inbox(session), Event::SessionClosed { session: closed }) => session == closed,
            (Self::Answers { inbox, from }, Event::SessionClosed { session: closed }) => {
                inbox == closed || from.contains(closed)
            }
            (
                Self::Exits(panes),
                Event::PaneExited { pane, .. } | Event::PaneClosed { pane } | Event::PaneLost { pane },
            ) => panes.contains(pane),
            (
                Self::Agent(own),
                Event::AgentStateChanged { pane, .. }
                | Event::DialogChanged { pane, .. }
                | Event::PaneExited { pane, .. }
                | Event::PaneClosed { pane }
                | Event::PaneLost { pane },
            ) => own == pane,
            // The members of a group are not known when the wait begins.
            (Self::Answers { .. }, Event::ReceiptsArrived { .. } | Event::RecipientsFound { .. }) => true,
            (
                Self::Outbox,
                Event::MessageSent(_)
                | Event::MessagesOffered { .. }
                | Event::MessagesRead { .. }
                | Event::RecipientsFound { .. }
                | Event::ReceiptsMissed { .. }
                | Event::MessagesExpired { .. }
                | Event::MessagesDeadLettered { .. },
            ) => true,
            (Self::Delivery(own), Event::ReceiptsArrived { receipts, .. }) => {
                receipts.iter().any(|receipt| receipt.message_id == *own)
            }
            (
                Self::Delivery(own),
                Event::MessagesExpired { messages, .. } | Event::MessagesDeadLettered { messages, .. },
            ) => messages.contains(own),
            (
                Self::Channel(own),
                Event::ChannelSignalled { channel } | Event::ChannelUnlocked { channel },
            ) => own == channel,
            (
                Self::Pipe(own) | Self::Held { pane: own, .. },
                Event::PipeHeld { pane, .. }
                | Event::PipeEndRequested { pane }
                | Event::PipeEnded { pane }
                | Event::PaneClosed { pane },
            ) => own == pane,
            (Self::Lease(lease), Event::LeaseEnded { name, .. }) => lease == name,
            _ => false,
        }
    }

    /// The subject as `show-waits` prints it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Inbox(_) | Self::Answers { .. } => "a message".into(),
            Self::Outbox => "a message for another host".into(),
            Self::Lease(name) => format!("lease `{name}`"),
            Self::Exits(_) => "its commands to exit".into(),
            Self::Agent(_) => "the agent that it started".into(),
            Self::Delivery(_) => "another host".into(),
            Self::Channel(name) => format!("channel `{name}`"),
            Self::Pipe(_) | Self::Held { .. } => "the end of a pipe".into(),
        }
    }
}

impl<R> PendingWait<R> {
    /// The sessions that can end the wait now: a lease may have changed hands since it began.
    pub(crate) fn blockers(&self, world: &World) -> Vec<SessionId> {
        match &self.about {
            WaitSubject::Inbox(_)
            | WaitSubject::Answers { .. }
            | WaitSubject::Outbox
            | WaitSubject::Exits(_)
            | WaitSubject::Agent(_)
            | WaitSubject::Delivery(_)
            | WaitSubject::Channel(_)
            | WaitSubject::Pipe(_)
            | WaitSubject::Held { .. } => self.on.clone(),
            WaitSubject::Lease(name) => {
                let holder = world.leases.held.get(name).and_then(|lease| lease.owner.as_ref());
                holder.map(|owner| owner.session).into_iter().collect()
            }
        }
    }
}

impl<R> Decision<R> {
    /// Replies from the world after the events.
    pub fn after(answer: impl FnOnce(&World) -> R + Send + 'static) -> Self {
        Self::answered(ReplySource::After(Box::new(answer)))
    }

    /// Replies from the world, with the same reply for every caller of this verb.
    pub(crate) fn shared(verb: &'static str, answer: fn(&World) -> R) -> Self
    where
        R: 'static,
    {
        Self::answered(ReplySource::Shared(verb, Box::new(answer)))
    }

    /// Lets the edge reply.
    pub fn later(request: EdgeRequest) -> Self {
        Self::answered(ReplySource::Later(request))
    }

    /// Replies when a wait is over.
    pub(crate) fn when(wait: PendingWait<R>) -> Self {
        Self::answered(ReplySource::When(wait))
    }

    /// Ends a wait with a refusal.
    pub(crate) fn refused(refusal: Refusal) -> Self {
        Self::answered(ReplySource::Refused(refusal))
    }

    fn answered(answer: ReplySource<R>) -> Self {
        Self { events: Vec::new(), children: Vec::new(), payloads: Vec::new(), answer }
    }

    /// Stores the payload of a message with the events.
    pub fn payload(mut self, message: MessageId, payload: PayloadSource) -> Self {
        self.payloads.push((message, payload));
        self
    }

    /// Adds an event.
    pub fn event(mut self, event: Event) -> Self {
        self.events.push(event);
        self
    }

    /// Adds events in order.
    pub fn events(mut self, events: impl IntoIterator<Item = Event>) -> Self {
        self.events.extend(events);
        self
    }

    /// Checks the names that the events give: a name must not look like another one, or like an id. This is not done where
    /// names are parsed, since stored names of earlier versions must stay readable.
    pub(crate) fn check_names(&self) -> Result<(), Refusal> {
        self.events.iter().try_for_each(check_names_in)
    }

    /// Adds a program that must be started first.
    pub fn child(mut self, child: ChildSpec) -> Self {
        self.children.push(child);
        self
    }
}

impl<R: Send + 'static> Decision<R> {
    /// Replies with a value that is known already.
    pub fn reply(reply: R) -> Self {
        Self::after(move |_| reply)
    }
}

impl Decision<Done> {
    /// Replies that the request is done.
    pub fn done() -> Self {
        Self::reply(Done {})
    }
}

fn check_names_in(event: &Event) -> Result<(), Refusal> {
    match event {
        Event::SessionCreated(created) => {
            named(created.name.as_str())?;
            created.tags.iter().try_for_each(|tag| visible("tag", tag.as_str()))
        }
        Event::SessionRenamed { name, .. } => named(name.as_str()),
        Event::TagsChanged { added, .. } => added.iter().try_for_each(|tag| visible("tag", tag.as_str())),
        Event::WindowOpened(opened) => named(opened.name.as_str()),
        Event::WindowRenamed { name, .. } => named(name.as_str()),
        Event::PaneOpened(opened) => opened.name.as_ref().map_or(Ok(()), |name| named(name.as_str())),
        Event::PaneRenamed { name, .. } => name.as_ref().map_or(Ok(()), |name| named(name.as_str())),
        _ => Ok(()),
    }
}

fn named(name: &str) -> Result<(), Refusal> {
    match begins_as_target(name) {
        true => Err(Refusal::argument("name", ArgumentProblem::SignInName)),
        false => visible("name", name),
    }
}

fn visible(what: &'static str, name: &str) -> Result<(), Refusal> {
    let problem = |character| ArgumentProblem::InvisibleInName { character };
    invisible_character(name).map_or(Ok(()), |character| Err(Refusal::argument(what, problem(character))))
}
