//! What a manager begins with.

use std::collections::BTreeMap;
use std::time::Instant;

use fugue_config::Config;
use fugue_core::{Machine, World};

use super::Manager;
use super::events::Stream;
use super::news::Desk;
use super::nursery::Nursery;
use crate::audit::Audit;
use crate::environment::Surroundings;
use crate::journal::Journal;
use crate::keeper::Keeper;
use crate::repository::Surveyor;
use crate::way::Way;

/// What a manager begins with.
pub(crate) struct Beginning {
    pub(crate) machine: Machine,
    /// The world as the journal has it.
    pub(crate) settled: World,
    pub(crate) journal: Journal,
    pub(crate) stream: Stream,
    pub(crate) last_event: u64,
    pub(crate) keeper: Keeper,
    pub(crate) keeper_pid: u32,
    pub(crate) surroundings: Surroundings,
    pub(crate) audit: Audit,
    pub(crate) config: Config,
    pub(crate) warnings: Vec<String>,
    pub(crate) way: Way,
}

impl Manager {
    pub(crate) fn new(from: Beginning, desk: Desk) -> Self {
        Self {
            settled: from.settled,
            machine: from.machine,
            journal: from.journal,
            stream: from.stream,
            last_event: from.last_event,
            keeper: from.keeper,
            keeper_pid: from.keeper_pid,
            nursery: Nursery::default(),
            early: Vec::new(),
            panes: BTreeMap::new(),
            colors: BTreeMap::new(),
            waiting: BTreeMap::new(),
            unread: Default::default(),
            surveyor: Surveyor::new(desk.clone()),
            looked_around: None,
            not_before: None,
            tickets: 0,
            surroundings: from.surroundings,
            audit: from.audit,
            config: from.config,
            warnings: from.warnings,
            clients: 0,
            since: Instant::now(),
            ending: false,
            wake: None,
            parting: None,
            orphaned: false,
            desk,
            way: from.way,
        }
    }
}
