//! Who waits for whom. A wait is looked at again whenever something happens that it is about; those that can only wait
//! for each other are found, and told.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fugue_protocol::views::WaitView;
use fugue_protocol::{Event, LeaseName, PaneId, SessionId, SessionName, Timestamp};

use crate::decision::Decision;
use crate::machine::Ticket;
use crate::world::World;

/// A request that is answered when something has happened.
pub struct Wait<R> {
    /// The session whose agent waits; none for a person outside.
    pub(crate) who: Option<SessionId>,
    /// What it is about.
    pub(crate) about: About,
    /// Any of these can end it; none when anybody can.
    pub(crate) on: Vec<SessionId>,
    /// When it is given up.
    pub(crate) until: Timestamp,
    /// Whether it is over, and with which answer.
    pub(crate) look: Look<R>,
    /// Panes that were opened for it alone: they are closed when whoever waits gives up.
    pub(crate) abandoned: Vec<PaneId>,
}

/// Looks whether a wait is over. It must be, unless something has merely changed.
pub(crate) type Look<R> = Box<dyn Fn(&World, &Moment) -> Option<Decision<R>> + Send>;

/// What a wait is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum About {
    /// What comes into a session's inbox.
    Inbox(SessionId),
    /// Who holds a lease.
    Lease(LeaseName),
    /// The ends of these panes' programs.
    Ends(Vec<PaneId>),
}

/// When and why a wait is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) now: Timestamp,
    pub(crate) why: Why,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Why {
    /// Something happened that it is about.
    Changed,
    /// Its time is over.
    TimeUp,
    /// Those it waits for wait in turn.
    Circle(Vec<SessionName>),
}

impl<R> fmt::Debug for Wait<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} waits for {:?} until {:?}", self.who, self.about, self.until)
    }
}

impl About {
    /// Whether an event is about this.
    pub(crate) fn is_touched_by(&self, event: &Event) -> bool {
        match (self, event) {
            (Self::Inbox(session), Event::MessageSent(sent)) => {
                sent.recipients.iter().any(|to| to.session == *session)
            }
            // Who is closed waits for nothing any more.
            (Self::Inbox(session), Event::SessionClosed { session: closed }) => session == closed,
            (
                Self::Ends(panes),
                Event::PaneExited { pane, .. } | Event::PaneClosed { pane } | Event::PaneLost { pane },
            ) => panes.contains(pane),
            (Self::Lease(lease), Event::LeaseEnded { name, .. }) => lease == name,
            _ => false,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Inbox(_) => "a message".into(),
            Self::Lease(name) => format!("the lease `{name}`"),
            Self::Ends(_) => "the end of its commands".into(),
        }
    }
}

impl<R> Wait<R> {
    /// Those who can end it as things stand: a lease may have come to another holder since.
    fn on(&self, world: &World) -> Vec<SessionId> {
        match &self.about {
            About::Inbox(_) | About::Ends(_) => self.on.clone(),
            About::Lease(name) => {
                let holder = world.leases.held.get(name).and_then(|lease| lease.owner.as_ref());
                holder.map(|owner| owner.session).into_iter().collect()
            }
        }
    }
}

/// Who waits, and who can end it; nobody in particular when that is empty.
pub(crate) type Edge = (SessionId, Vec<SessionId>);

/// The waits of sessions, by ticket.
pub(crate) fn edges<R>(world: &World, waits: &BTreeMap<Ticket, Wait<R>>) -> BTreeMap<Ticket, Edge> {
    waits.iter().filter_map(|(ticket, wait)| Some((*ticket, (wait.who?, wait.on(world))))).collect()
}

/// The tickets that can only wait for each other: everybody who could end such a wait is waiting in the same way.
pub(crate) fn circle(waits: &BTreeMap<Ticket, Edge>) -> BTreeSet<Ticket> {
    let mut stuck: BTreeSet<Ticket> =
        waits.iter().filter(|(_, (_, on))| !on.is_empty()).map(|(ticket, _)| *ticket).collect();
    loop {
        let who: BTreeSet<_> = stuck.iter().map(|ticket| waits[ticket].0).collect();
        // Whoever has one wait that somebody free can end is free.
        let free = |on: &[SessionId]| on.is_empty() || on.iter().any(|on| !who.contains(on));
        let freed: BTreeSet<_> = waits.values().filter(|(_, on)| free(on)).map(|(waits, _)| *waits).collect();
        let before = stuck.len();
        stuck.retain(|ticket| !freed.contains(&waits[ticket].0));
        if stuck.len() == before {
            return stuck;
        }
    }
}

/// Who waits, as a reply shows it.
pub(crate) fn views<R>(world: &World, waits: &BTreeMap<Ticket, Wait<R>>) -> Vec<WaitView> {
    let name = |session: &SessionId| world.sessions.get(session).map(|session| session.name.clone());
    let view = |wait: &Wait<R>| {
        Some(WaitView {
            session_name: name(&wait.who?)?,
            waits_for: wait.about.words(),
            on: wait.on(world).iter().filter_map(name).collect(),
            until: wait.until,
        })
    };
    waits.values().filter_map(view).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(number: u8) -> SessionId {
        SessionId::from_bytes([number; 16])
    }

    /// Waits as `who > on on`, a ticket each from 0 on.
    fn stuck(lines: &[(u8, &[u8])]) -> Vec<Ticket> {
        let edge = |(who, on): &(u8, &[u8])| (session(*who), on.iter().map(|on| session(*on)).collect());
        let edges = lines.iter().map(edge).enumerate().map(|(at, edge)| (at as Ticket, edge));
        circle(&edges.collect()).into_iter().collect()
    }

    #[test]
    fn two_that_wait_for_each_other_are_found() {
        assert_eq!(stuck(&[(1, &[2]), (2, &[1])]), [0, 1]);
        assert_eq!(stuck(&[(1, &[2]), (2, &[3]), (3, &[1])]), [0, 1, 2]);
        assert_eq!(stuck(&[(1, &[1])]), [0]);
    }

    #[test]
    fn whoever_somebody_free_can_answer_is_not_stuck() {
        assert_eq!(stuck(&[(1, &[2])]), [] as [Ticket; 0]);
        assert_eq!(stuck(&[(1, &[2, 3]), (2, &[1])]), [] as [Ticket; 0]);
        // Anybody may end the wait of 2.
        assert_eq!(stuck(&[(1, &[2]), (2, &[])]), [] as [Ticket; 0]);
        // 1 waits in two ways; the second can be ended.
        assert_eq!(stuck(&[(1, &[2]), (2, &[1]), (1, &[3])]), [] as [Ticket; 0]);
    }

    #[test]
    fn whoever_waits_for_a_circle_is_in_it_too() {
        assert_eq!(stuck(&[(1, &[2]), (2, &[1]), (3, &[1])]), [0, 1, 2]);
    }
}
