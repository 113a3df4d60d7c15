//! What lies over the panes: opening it, typing into it, and what it leads to.

use fugue_protocol::PaneId;
use fugue_protocol::verbs::{GetOutput, NAMES, PaneChoice};
use fugue_protocol::views::Output;
use fugue_screen::keys::Key;
use fugue_screen::mouse::{Action, Button, MouseEvent};
use serde_json::value::RawValue;

use super::App;
use super::daemon::Why;
use super::mouse::WHEEL;
use crate::copy::CopyMode;
use crate::keys::command;
use crate::layers::{self, Layer, Outcome, Prompt};
use crate::outer::clipboard;

/// Lines of a pane's past that are looked at: all that are kept by default, and more.
const PAST: usize = 100_000;

impl App {
    /// Opens what a command of the client's own names.
    pub(super) fn open(&mut self, words: &[&str]) {
        let layer = match words {
            ["command-prompt"] => Layer::Prompt(Prompt::for_commands(self.names(), &self.lines, "")),
            ["command-prompt", text, ..] => {
                Layer::Prompt(Prompt::for_commands(self.names(), &self.lines, text))
            }
            ["ask", question, text, command] => {
                Layer::Prompt(Prompt::new(&format!(" {question}"), text, command))
            }
            ["confirm", rest @ ..] => Layer::Confirm(rest.join(" ")),
            ["choose-tree", ..] => Layer::List(layers::tree(&self.tree)),
            ["palette", ..] => Layer::List(layers::palette(&self.tree, &self.config.keys)),
            ["help", ..] => Layer::List(layers::help(&self.config.keys)),
            ["display-panes", ..] => Layer::Numbers,
            ["paste-buffer", ..] => return self.paste_buffer(),
            ["copy-mode", rest @ ..] => return self.look_back_here(rest.contains(&"--up")),
            [word, ..] => return self.say(format!("`{word}` wants other words; C-b ? shows the keys")),
            [] => return,
        };
        self.layer = Some(layer);
        self.watch();
    }

    fn names(&self) -> Vec<String> {
        let own = command::OWN.iter().map(|(name, _)| *name);
        let mut names: Vec<String> = NAMES.iter().copied().chain(own).map(String::from).collect();
        names.sort();
        names
    }

    pub(super) fn layer_key(&mut self, key: Key) {
        let Some(layer) = &mut self.layer else { return };
        let outcome = layer.key(key, &self.tree);
        self.outcome(outcome);
    }

    fn outcome(&mut self, outcome: Outcome) {
        self.dirty = true;
        if !matches!(outcome, Outcome::Stay) {
            self.layer = None;
        }
        match outcome {
            Outcome::Stay | Outcome::Close => {}
            Outcome::Run(line) => {
                self.lines.push(line.clone());
                self.run_line(&line);
            }
            Outcome::Copy(text) => {
                let words = clipboard::copy(&text, &mut self.output);
                self.say(words);
                self.buffer = Some(text);
            }
        }
        self.watch();
    }

    pub(super) fn layer_wheel(&mut self, event: MouseEvent) {
        let by = match event.action {
            Action::Press(Button::WheelUp) => -(WHEEL as isize),
            Action::Press(Button::WheelDown) => WHEEL as isize,
            _ => return,
        };
        if let Some(Layer::Copy(copy)) = &mut self.layer {
            let outcome = copy.scroll(by);
            self.outcome(outcome);
        }
    }

    fn paste_buffer(&mut self) {
        match self.buffer.clone() {
            Some(text) => self.paste(&text),
            None => self.say("nothing was copied yet: prefix [ looks back, v selects, y copies"),
        }
    }

    fn look_back_here(&mut self, up: bool) {
        if let Some(pane) = self.tree.pane() {
            let rows = up.then(|| usize::from(pane.place.rows));
            self.look_back(pane.pane_id, rows);
        }
    }

    /// Looks back in a pane, by so many rows at once.
    pub(super) fn look_back(&mut self, pane: PaneId, rows: Option<usize>) {
        let on_alternate = self.mirrors.get(&pane).is_some_and(|mirror| mirror.alternate);
        if !self.daemon.has_asked(Why::Past(pane, rows)) {
            let choice = PaneChoice::of(pane);
            let ask = GetOutput { choice, lines: PAST, since: None, screen: on_alternate, ansi: true };
            self.daemon.ask(Why::Past(pane, rows), &ask);
        }
    }

    pub(super) fn looked_back(&mut self, pane: PaneId, rows: Option<usize>, reply: &RawValue) {
        let Ok(output) = serde_json::from_str::<Output>(reply.get()) else { return };
        let Some(size) = self.tree.find_pane(pane).map(|pane| pane.place.size()) else { return };
        let mut copy = CopyMode::new(pane, &output.text, size, rows == Some(WHEEL));
        if let Some(rows) = rows {
            copy.scroll(-(rows as isize));
        }
        self.layer = Some(Layer::Copy(Box::new(copy)));
        self.dirty = true;
    }
}
