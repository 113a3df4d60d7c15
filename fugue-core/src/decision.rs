//! What a verb's behaviour decides: what happened, what to start, and what to answer.

use fugue_protocol::views::Done;
use fugue_protocol::{Event, MessageId, PaneId, SessionId, SessionName, Size, WindowId};

use crate::World;
use crate::edge_request::EdgeRequest;
use crate::waits::Wait;

/// A decision. Nothing has happened yet: the machine makes it true, or drops it whole.
pub struct Decision<R> {
    /// What will have happened.
    pub events: Vec<Event>,
    /// What must be started first; if one child cannot be, nothing happens.
    pub children: Vec<Child>,
    /// Bodies of messages, to be stored with the events.
    pub bodies: Vec<(MessageId, Body)>,
    /// The answer.
    pub answer: Answer<R>,
}

/// An answer.
pub enum Answer<R> {
    /// From the world as it is after the events.
    After(Box<dyn FnOnce(&World) -> R + Send>),
    /// From the edge, when it has it.
    Later(EdgeRequest),
    /// When something has happened, or its time is over.
    When(Wait<R>),
}

/// A message's body, on its way to the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// This text.
    Text(String),
    /// What that message has.
    CopyOf(MessageId),
}

/// A program to start in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Child {
    pub pane: PaneId,
    pub run: fugue_protocol::RunId,
    pub window: WindowId,
    pub session: SessionId,
    pub session_name: SessionName,
    pub launch: fugue_protocol::events::Launch,
    /// The session's environment; the launch's own comes on top.
    pub environment: std::collections::BTreeMap<String, String>,
    /// The pane whose working directory it takes when the launch names none, or from which a relative one counts.
    pub comes_from: Option<PaneId>,
    pub size: Size,
}

impl<R> Decision<R> {
    /// Answer with what the world looks like afterwards.
    pub fn after(answer: impl FnOnce(&World) -> R + Send + 'static) -> Self {
        Self::answered(Answer::After(Box::new(answer)))
    }

    /// Let the edge answer.
    pub fn later(ask: EdgeRequest) -> Self {
        Self::answered(Answer::Later(ask))
    }

    /// Answer when something has happened.
    pub(crate) fn when(wait: Wait<R>) -> Self {
        Self::answered(Answer::When(wait))
    }

    fn answered(answer: Answer<R>) -> Self {
        Self { events: Vec::new(), children: Vec::new(), bodies: Vec::new(), answer }
    }

    /// This is stored with what happened.
    pub fn body(mut self, message: MessageId, body: Body) -> Self {
        self.bodies.push((message, body));
        self
    }

    /// This will have happened.
    pub fn event(mut self, event: Event) -> Self {
        self.events.push(event);
        self
    }

    /// All these will have happened, in order.
    pub fn events(mut self, events: impl IntoIterator<Item = Event>) -> Self {
        self.events.extend(events);
        self
    }

    /// This must be started first.
    pub fn child(mut self, child: Child) -> Self {
        self.children.push(child);
        self
    }
}

impl<R: Send + 'static> Decision<R> {
    /// Answer with this.
    pub fn reply(reply: R) -> Self {
        Self::after(move |_| reply)
    }
}

impl Decision<Done> {
    /// Done, with nothing more to say.
    pub fn done() -> Self {
        Self::reply(Done {})
    }
}
