//! Formats: they are expanded with what is known, and again with what they asked for.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::PaneId;
use fugue_protocol::targets::{TargetKind, TargetPlace};
use fugue_protocol::verbs::{GetOutput, ListPasteBuffers, Mode, PaneChoice};
use fugue_protocol::views::{CursorAndHistory, PasteBufferView};

use super::{LineContext, Outcome, VERSION};
use crate::flags::Flags;
use crate::format::{self, FormatContext, FormatPlace, FormatSource};
use crate::steps::{ShellStep, Step, StepReply};

/// How often a format is expanded again with what it asked for: what it learns may lead to another question.
const ROUNDS: usize = 8;

/// What formats asked about and was found out.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) screens: BTreeMap<PaneId, Option<CursorAndHistory>>,
    /// The characters under the cursors.
    pub(super) characters: BTreeMap<PaneId, Option<String>>,
    outputs: BTreeMap<String, String>,
    /// The newest paste buffer, if there is one.
    buffer: Option<Option<PasteBufferView>>,
    pub(super) settings: BTreeMap<String, Option<String>>,
    /// What they asked about and is not known yet.
    missing: BTreeSet<Question>,
}

/// What a format asks about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    Screen(PaneId),
    Character(PaneId),
    Output(String),
    Setting(String),
    Buffer,
}

impl LineContext {
    /// Expands a format for a place. A percent sign stays: in a command, it is not a time.
    pub(crate) async fn expand(&mut self, format: &str, at: TargetPlace) -> Outcome {
        self.expand_by(format::expand, format, at).await
    }

    /// Expands a format in a command for a shell or for tmux, which the values in it cannot change.
    pub(crate) async fn expand_in_command(&mut self, format: &str, at: TargetPlace) -> Outcome {
        self.expand_by(format::expand_in_command, format, at).await
    }

    /// The same, and the time specifiers in it.
    pub(crate) async fn expand_in_command_with_time(&mut self, format: &str, at: TargetPlace) -> Outcome {
        self.expand_by(format::expand_in_command_with_time, format, at).await
    }

    /// Expands a format and the time specifiers in it.
    pub(crate) async fn expand_with_time(&mut self, format: &str, at: TargetPlace) -> Outcome {
        self.expand_by(format::expand_with_time, format, at).await
    }

    /// Expands a format for the caller's place.
    pub(crate) async fn expand_here(&mut self, format: &str) -> Outcome {
        let at = self.find(None, TargetKind::Pane)?;
        self.expand(format, at).await
    }

    async fn expand_by(
        &mut self,
        expand: fn(&str, &dyn FormatSource) -> String,
        format: &str,
        at: TargetPlace,
    ) -> Outcome {
        self.with_formats(|context| {
            let place = context.places().find(|place| place.pane.pane_id == at.pane);
            // As in tmux, a session that no client shows has the last client.
            let last = context.clients.last();
            let place = place.map(|place| FormatPlace { client: place.client.or(last), ..place });
            place.map(|place| expand(format, &place)).unwrap_or_default()
        })
        .await
    }

    /// Does something with what formats are about: once with what is known, and again with what it asked for.
    pub(crate) async fn with_formats<T>(
        &mut self,
        act: impl Fn(&FormatContext<'_>) -> T,
    ) -> Result<T, String> {
        self.read_options().await?;
        self.facts.borrow_mut().outputs.clear();
        self.facts.borrow_mut().buffer = None;
        for _ in 0..ROUNDS {
            let done = self.with_known_formats(&act);
            let missing = std::mem::take(&mut self.facts.borrow_mut().missing);
            if missing.is_empty() {
                return Ok(done);
            }
            for question in missing {
                self.find_out(question).await?;
            }
        }
        Ok(self.with_known_formats(&act))
    }

    fn with_known_formats<T>(&self, act: impl Fn(&FormatContext<'_>) -> T) -> T {
        act(&FormatContext {
            sessions: &self.sessions,
            clients: &self.clients,
            socket: &self.setting.socket,
            version: VERSION.trim_start_matches("tmux "),
            machine: &*self.setting.machine,
            now: self.setting.now,
            synchronized: &|pane| {
                self.setting.client.as_ref().is_some_and(|client| client.synchronized.contains(&pane))
            },
            other: &|place, name| match name {
                "pid" => None,
                "cursor_character" => {
                    let pane = place.pane.pane_id;
                    self.known(Question::Character(pane), |facts| facts.characters.get(&pane).cloned())?
                }
                // Where no buffer is listed, the newest one is meant.
                "buffer_name" | "buffer_size" | "buffer_sample" | "buffer_created" => {
                    self.known(Question::Buffer, |facts| facts.buffer.clone())??.value(name)
                }
                name => self.hook_value(name).or_else(|| self.option_value(place, name)),
            },
            screen: &|pane| self.known(Question::Screen(pane), |facts| facts.screens.get(&pane).copied())?,
            output: &|command| {
                let question = Question::Output(command.to_owned());
                self.known(question, |facts| facts.outputs.get(command).cloned()).unwrap_or_default()
            },
        })
    }

    /// What was found out about a question, which is asked if nothing was.
    pub(super) fn known<T>(&self, question: Question, find: impl Fn(&Facts) -> Option<T>) -> Option<T> {
        let mut facts = self.facts.borrow_mut();
        let found = find(&facts);
        if found.is_none() {
            facts.missing.insert(question);
        }
        found
    }

    async fn find_out(&mut self, question: Question) -> Result<(), String> {
        match question {
            Question::Screen(pane) => {
                let choice = PaneChoice::of(pane);
                let (lines, mode) = (1, Some(Mode::Screen));
                let get = GetOutput { choice, lines, mode, screen_state: true, ..GetOutput::default() };
                let screen = self.call(&get).await.ok().and_then(|output| output.screen);
                self.facts.get_mut().screens.insert(pane, screen);
            }
            Question::Character(pane) => {
                let choice = PaneChoice::of(pane);
                let (lines, mode) = (usize::from(u16::MAX), Some(Mode::Screen));
                let get = GetOutput { choice, lines, mode, screen_state: true, ..GetOutput::default() };
                let output = self.call(&get).await.ok();
                let character = output.and_then(|output| {
                    let cursor = output.screen?;
                    let row = output.text.lines().nth(usize::from(cursor.cursor_row)).unwrap_or_default();
                    Some(character_at(row, usize::from(cursor.cursor_col)))
                });
                self.facts.get_mut().characters.insert(pane, character);
            }
            Question::Output(command) => {
                let step =
                    ShellStep { command: command.clone(), about: None, directory: None, background: false };
                let text = match self.ask(Step::Shell(step)).await? {
                    StepReply::Ended { output, .. } => String::from_utf8_lossy(&output).into_owned(),
                    _ => String::new(),
                };
                let last = text.trim_end().lines().last().unwrap_or_default().to_owned();
                self.facts.get_mut().outputs.insert(command, last);
            }
            Question::Buffer => {
                let buffers = self.call(&ListPasteBuffers::default()).await.map(|list| list.buffers);
                let newest = buffers.ok().and_then(|buffers| buffers.into_iter().next());
                self.facts.get_mut().buffer = Some(newest);
            }
            Question::Setting(name) => {
                let value = self.setting_of(&name).await?;
                self.facts.get_mut().settings.insert(name, value);
            }
        }
        Ok(())
    }

    /// Prints a format for each place that is wanted and passes the filter (`-f`).
    pub(crate) async fn lines(
        &mut self,
        given: &Flags,
        usual: &str,
        wanted: impl Fn(&FormatPlace<'_>) -> bool,
    ) -> Outcome {
        let format = given.value('F').unwrap_or(usual);
        self.with_formats(|context| {
            let passes = |place: &FormatPlace<'_>| {
                let filter = given.value('f').map(|filter| format::expand(filter, place));
                filter.is_none_or(|filter| format::is_true(&filter))
            };
            let places = context.places().filter(|place| wanted(place) && passes(place));
            places.map(|place| format::expand(format, &place) + "\n").collect()
        })
        .await
    }
}

/// The character in a column; a blank where there is none. As in `#{w:…}`, each character is one column wide.
fn character_at(row: &str, col: usize) -> String {
    row.chars().nth(col).unwrap_or(' ').to_string()
}
