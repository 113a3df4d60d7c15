//! Hooks: shell commands of the user that run when something happens (`[hooks]` in config.toml). They run beside the daemon,
//! which never waits for them. What happened is in `facts.rs`, the commands and their limits in `command.rs`.

mod command;
mod facts;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use fugue_config::{ConfigEntry, HookCommands};
use fugue_core::World;
use fugue_protocol::Event;

use crate::local_queue::{LocalReceiver, LocalSender, local_queue};

/// The most commands that wait for others to end. A burst of events, such as a session with a hundred panes that is closed,
/// fits; whatever is more than that has a loop in it.
const MOST_WAITING: usize = 512;

/// A command with what it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HookRun {
    event: &'static str,
    command: String,
    variables: Vec<(&'static str, String)>,
}

/// The commands in force, and those that wait to be run.
pub(crate) struct Hooks {
    commands: RefCell<BTreeMap<String, Vec<String>>>,
    queue: LocalSender<HookRun>,
    dropped: Rc<Cell<usize>>,
}

/// The processes of commands that run. What a hook does with fugue, its user does.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunningHooks(Rc<RefCell<BTreeSet<u32>>>);

impl RunningHooks {
    /// Whether one of these processes is a command that runs.
    pub(crate) fn contains_any(&self, line: &[u32]) -> bool {
        let running = self.0.borrow();
        line.iter().any(|pid| running.contains(pid))
    }

    fn add(&self, pid: u32) {
        self.0.borrow_mut().insert(pid);
    }

    fn remove(&self, pid: u32) {
        self.0.borrow_mut().remove(&pid);
    }
}

impl Hooks {
    /// Hooks without commands yet, and a task that runs them for the daemon at this socket.
    pub(crate) fn start(socket: PathBuf, running: RunningHooks) -> Self {
        let (queue, receiver) = local_queue(MOST_WAITING);
        let dropped = Rc::default();
        tokio::task::spawn_local(command::run_all(receiver, socket, running, Rc::clone(&dropped)));
        Self { commands: RefCell::default(), queue, dropped }
    }

    /// Replaces the commands.
    pub(crate) fn configure(&self, entries: &[ConfigEntry<HookCommands>]) {
        let commands = entries.iter().map(|entry| (entry.name.clone(), entry.value.0.clone()));
        *self.commands.borrow_mut() = commands.collect();
    }

    /// Applies an event to the world, and has the commands for it run.
    pub(crate) fn evolve(&self, world: &mut World, event: &Event) {
        if self.commands.borrow().is_empty() {
            return world.evolve(event);
        }
        // What is removed has a name only before, and what is new only after.
        let before = facts::of_end(world, event);
        let was_waiting = facts::waits_for_user(world, event);
        world.evolve(event);
        let after = facts::of_change(world, event, was_waiting);
        for (name, variables) in before.into_iter().chain(after) {
            self.enqueue(name, &variables);
        }
    }

    fn enqueue(&self, event: &'static str, variables: &[(&'static str, String)]) {
        for command in self.commands.borrow().get(event).into_iter().flatten() {
            let run = HookRun { event, command: command.clone(), variables: variables.to_vec() };
            if self.queue.try_send(run).is_err() {
                self.dropped.set(self.dropped.get() + 1);
            }
        }
    }
}

type HookReceiver = LocalReceiver<HookRun>;
