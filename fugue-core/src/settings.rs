//! The user's settings that decisions depend on.

use fugue_protocol::limits;
use fugue_protocol::views::OnExit;
use fugue_protocol::{FleetHost, WindowName};

use crate::scope::ConfinementRules;
use crate::start_rules::StartRules;

/// The settings that decisions depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// What happens to a pane when its program ends, by default.
    pub on_exit: OnExit,
    /// Whether a window without a chosen name is named after the program in it.
    pub automatic_names: bool,
    /// The short name of the user's shell, if a window can have it.
    pub shell: Option<WindowName>,
    /// Whether agents may type into panes in which another agent asks for permission.
    pub agents_may_answer: bool,
    /// Whether agents may have notifications typed into their pane.
    pub type_notices: bool,
    /// Whether agents that have an inbox of their own are notified through it by default.
    pub push_notices: bool,
    /// Which sessions' programs are confined.
    pub confinement: ConfinementRules,
    /// What agents may hold and do.
    pub quotas: Quotas,
    /// The fleet that this host belongs to.
    pub fleet: Option<FleetMembership>,
}

/// The part of the daemon in a fleet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetMembership {
    /// The name of this host.
    pub host: FleetHost,
    /// How many messages may wait to be relayed to other hosts.
    pub outbox_messages: usize,
    /// What sessions of other hosts may start here.
    pub run: StartRules,
}

/// The quotas that the user can set. The defaults and their reasons are in `fugue_protocol::limits`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    /// Living sessions that an agent and its descendants created.
    pub sessions: usize,
    /// Living panes in the session of an agent and in those of its descendants.
    pub panes: usize,
    /// Programs that an agent and its descendants start in a minute.
    pub spawns_per_minute: usize,
    /// Messages that the agents of a session send in a minute.
    pub messages_per_minute: usize,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            sessions: limits::AGENT_SESSIONS,
            panes: limits::AGENT_PANES,
            spawns_per_minute: limits::AGENT_SPAWNS,
            messages_per_minute: limits::AGENT_MESSAGES,
        }
    }
}
