//! The state of an agent in a recording of its terminal, judged by what it reported and what its screen showed. A
//! recording has no processes, hooks or silence.

use std::time::Duration;

use fugue_agents::{AgentTable, Front, keep_ends};
use fugue_protocol::agents::Evidence;
use fugue_protocol::{Size, Timestamp};
use fugue_screen::{Limits, Screen};

use crate::pane::{self, FirstRest};

/// The screen of a recording.
pub struct RecordedScreen<'a> {
    agents: &'a AgentTable,
    front: Front,
    screen: Screen,
    first_rest: Option<FirstRest>,
    /// The evidence of the last look.
    last: Vec<Evidence>,
}

impl<'a> RecordedScreen<'a> {
    /// An empty screen. Without an agent's name, the program is what it calls itself, or what the command starts.
    pub fn new(agents: &'a AgentTable, agent: Option<&str>, command: &str, size: Size) -> Self {
        let words: Vec<_> = command.split_whitespace().map(str::to_owned).collect();
        let front = match agent.or_else(|| agents.name_of(&words)) {
            Some(name) => Front::Named(agents.canonical(name).to_owned()),
            None => Front::Program(words),
        };
        Self {
            agents,
            front,
            screen: Screen::new(screen_size(size), Limits::default()),
            first_rest: None,
            last: Vec::new(),
        }
    }

    /// Adds output of the program.
    pub fn feed(&mut self, output: &str) {
        self.screen.feed(output.as_bytes());
        self.screen.take_replies();
        self.screen.take_events();
    }

    /// Changes the size of the terminal.
    pub fn resize(&mut self, size: Size) {
        self.screen.resize(screen_size(size));
    }

    /// Whether the program has begun to draw and not finished: nobody sees the screen then.
    pub fn is_unfinished(&self) -> bool {
        self.screen.modes().synchronized()
    }

    /// Returns the agent's name and the evidence that counts.
    pub fn agent(&mut self, now: Timestamp) -> Option<(String, Option<Evidence>)> {
        let look = pane::PaneLook { now, is_quiet: true, age: Duration::MAX, begun: None };
        let (front, evidence) = pane::evidence(self.agents, &self.screen, self.front.clone(), look);
        // An agent that is there from the beginning is not starting.
        let first_rest = self.first_rest.get_or_insert(match evidence.is_empty() {
            true => FirstRest::Awaited,
            false => FirstRest::Over,
        });
        let mut evidence = first_rest.filter(evidence, now);
        keep_ends(&self.last, &mut evidence);
        self.last.clone_from(&evidence);
        let strongest = evidence.into_iter().min_by_key(|evidence| evidence.source);
        match front {
            Front::Named(name) => Some((name, strongest)),
            _ => strongest.map(|evidence| ("agent".to_owned(), Some(evidence))),
        }
    }
}

fn screen_size(size: Size) -> fugue_screen::Size {
    fugue_screen::Size { cols: size.cols, rows: size.rows }
}
