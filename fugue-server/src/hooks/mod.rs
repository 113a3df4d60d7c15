//! Hooks: what runs when something happens, which is shell commands and lines of tmux's commands (`[hooks]` in config.toml),
//! and the lines that `set-hook` has set. They run beside the daemon, which never waits for them. What happened is in
//! `facts.rs`, the processes and their limits in `command.rs`.

mod command;
mod variables;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use fugue_config::{ConfigEntry, HookAction, HookActions};
use fugue_core::{Caller, KeySpace, World};
use fugue_protocol::Event;

use variables::{Before, HookFacts};

use crate::channels::local_queue::{LocalReceiver, LocalSender, local_queue};
use crate::tasks;

/// The most commands that wait for others to end. A burst of events, such as a session with a hundred panes that is closed,
/// fits; whatever is more than that has a loop in it.
const MOST_WAITING: usize = 512;

/// An action with what it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HookRun {
    event: &'static str,
    action: HookAction,
    /// Whether an agent may have set it.
    by_agent: bool,
    variables: Vec<(&'static str, String)>,
}

/// The actions of config.toml, and what waits to be run.
pub(crate) struct HookRunner {
    configured: RefCell<BTreeMap<String, Vec<HookAction>>>,
    queue: LocalSender<HookRun>,
    dropped: Rc<Cell<usize>>,
}

/// The processes of actions that run, and whether an agent may have set them. What a hook does with fugue, whoever has set
/// it does.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunningHooks(Rc<RefCell<BTreeMap<u32, bool>>>);

impl RunningHooks {
    /// Whose rights a process has, if it is one of these or below one.
    pub(crate) fn caller(&self, line: &[u32]) -> Option<Caller> {
        let running = self.0.borrow();
        let by_agent = line.iter().find_map(|pid| running.get(pid))?;
        Some(if *by_agent { Caller::Agent(KeySpace::default()) } else { Caller::Outside })
    }

    fn add(&self, pid: u32, by_agent: bool) {
        self.0.borrow_mut().insert(pid, by_agent);
    }

    fn remove(&self, pid: u32) {
        self.0.borrow_mut().remove(&pid);
    }
}

impl HookRunner {
    /// Hooks without commands yet, and a task that runs them for the daemon at this socket.
    pub(crate) fn start(socket: PathBuf, running: RunningHooks) -> Self {
        let (queue, receiver) = local_queue(MOST_WAITING);
        let dropped = Rc::default();
        tasks::spawn_local(command::run_all(receiver, socket, running, Rc::clone(&dropped)));
        Self { configured: RefCell::default(), queue, dropped }
    }

    /// Replaces the actions of config.toml.
    pub(crate) fn configure(&self, entries: &[ConfigEntry<HookActions>]) {
        let actions = entries.iter().map(|entry| (entry.name.clone(), entry.value.0.clone()));
        *self.configured.borrow_mut() = actions.collect();
    }

    /// Applies an event to the world, and has the actions for it run.
    pub(crate) fn evolve(&self, world: &mut World, event: &Event) {
        if self.configured.borrow().is_empty() && world.hooks.is_empty() {
            return world.evolve(event);
        }
        // What is removed has a name and hooks of its own only before, and what is new only after.
        let ends = variables::of_end(world, event).map(|facts| self.runs(world, &facts)).unwrap_or_default();
        let before = Before::of(world, event);
        world.evolve(event);
        let changes = variables::of_change(world, event, &before);
        let changes = changes.iter().flat_map(|facts| self.runs(world, facts));
        for run in ends.into_iter().chain(changes) {
            if self.queue.try_send(run).is_err() {
                self.dropped.set(self.dropped.get() + 1);
            }
        }
    }

    /// The actions for what happened: those of config.toml, and the lines of `set-hook`.
    fn runs(&self, world: &World, (event, variables): &HookFacts) -> Vec<HookRun> {
        let run = |action, by_agent| HookRun { event, action, by_agent, variables: variables.clone() };
        let configured = self.configured.borrow();
        let configured = configured.get(*event).into_iter().flatten();
        let scopes = variables::scopes(variables);
        let set = world.hooks.lines(event, &scopes);
        let set = set.map(|line| run(HookAction::Tmux(line.text.clone()), line.by_agent));
        configured.map(|action| run(action.clone(), false)).chain(set).collect()
    }
}

type HookReceiver = LocalReceiver<HookRun>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hook_does_whoever_has_set_it_does() {
        let running = RunningHooks::default();
        running.add(7, false);
        running.add(8, true);
        assert_eq!(running.caller(&[30, 7, 1]), Some(Caller::Outside));
        assert_eq!(running.caller(&[30, 8, 1]), Some(Caller::Agent(KeySpace::default())));
        running.remove(8);
        assert_eq!(running.caller(&[30, 8, 1]), None);
    }
}
