//! What lies over the panes: opening it, typing into it, and what it leads to.

use fugue_protocol::PaneId;
use fugue_protocol::verbs::{GetOutput, ListClients, Mode, NAMES, PaneChoice};
use fugue_protocol::views::PaneOutput;
use fugue_screen::keys::Key;
use fugue_screen::mouse::MouseEvent;
use serde_json::value::RawValue;

use super::App;
use super::daemon::{Purpose, Then};
use super::mouse::WHEEL;
use crate::command;
use crate::copy_mode::{self, CopyMode};
use crate::draw;
use crate::overlays::{self, Outcome, Overlay, Prompt};
use crate::tty::clipboard;

/// Lines of a pane's past that are looked at: all that are kept by default, and more.
const PAST: usize = 100_000;

/// Whether what is opened so asks for something that only ends in a change.
fn leads_to_a_change(words: &[&str], aliases: &[(&str, &str)]) -> bool {
    let line = match words {
        ["ask", _, _, line] => line,
        ["confirm", line, ..] => line,
        ["move-pane" | "paste-buffer" | "edit-history", ..] => return true,
        _ => return false,
    };
    let first = line.split_whitespace().next().unwrap_or_default();
    let alias = aliases.iter().find(|(alias, _)| *alias == first).map(|(_, verb)| *verb);
    let name = alias.unwrap_or(first);
    NAMES.contains(&name) && !command::GOES.contains(&name) && !command::only_reads(name)
}

/// Words as one line; what has blanks in it stays one word. A single word is a line already.
fn joined(words: &[&str]) -> String {
    let held = |word: &&str| match words.len() > 1 && word.contains([' ', '\'', '"', '\\']) {
        true => overlays::quoted(word),
        false => (*word).to_owned(),
    };
    words.iter().map(held).collect::<Vec<_>>().join(" ")
}

impl App {
    /// Opens what a command of the client's own names.
    pub(super) fn open(&mut self, words: &[&str]) {
        if self.options.read_only && leads_to_a_change(words, self.options.aliases) {
            return self.only_watches();
        }
        let layer = match words {
            ["command-prompt"] => Overlay::Prompt(Prompt::for_commands(self.names(), &self.lines, "")),
            ["command-prompt", text, ..] => {
                Overlay::Prompt(Prompt::for_commands(self.names(), &self.lines, text))
            }
            ["ask", question, text, command] => {
                Overlay::Prompt(Prompt::new(&format!(" {question}"), text, command))
            }
            ["confirm", rest @ ..] => Overlay::Confirm(self.question(&joined(rest)), joined(rest)),
            ["choose-tree", rest @ ..] => {
                Overlay::List(overlays::tree(&self.tree).filtered(rest.first().unwrap_or(&"")))
            }
            ["move-pane", ..] => Overlay::List(overlays::destinations(&self.tree)),
            ["choose-client", ..] => return self.daemon.ask(Purpose::Clients, &ListClients::default()),
            ["choose-buffer", ..] => Overlay::List(overlays::buffers(&self.buffers)),
            ["show-messages", ..] => Overlay::List(overlays::said(&self.said, self.size.cols)),
            ["pane-menu", ..] => Overlay::List(overlays::pane_menu(&self.config.keys)),
            ["window-menu", ..] => Overlay::List(overlays::window_menu(&self.config.keys)),
            ["describe-key", ..] => Overlay::Describe,
            ["palette", ..] => Overlay::List(overlays::palette(&self.tree, &self.config.keys)),
            ["help", ..] => Overlay::List(overlays::help(&self.config.keys)),
            ["display-panes", ..] => Overlay::Numbers,
            ["paste-buffer", rest @ ..] => return self.paste_buffer(rest),
            ["delete-buffer", ..] => return self.delete_buffer(),
            ["edit-history", ..] => return self.edit_history(),
            ["copy-mode", rest @ ..] => return self.look_back_here(rest.contains(&"--up")),
            [word, ..] => return self.say(format!("`{word}` wants other words; C-b ? shows the keys")),
            [] => return,
        };
        self.cover(layer);
        self.watch();
    }

    /// What a command would do, and to what.
    fn question(&self, command: &str) -> String {
        let about = self.config.keys.about(&format!("confirm {command}")).unwrap_or(command);
        let what = match command {
            "close-pane" => self.tree.pane().map(draw::label),
            "kill-window" => self.tree.window().map(|window| format!("{}:{}", window.index, window.name)),
            _ => None,
        };
        format!("{about}{}", what.map(|what| format!(" {what}")).unwrap_or_default())
    }

    fn names(&self) -> Vec<String> {
        let own = command::OWN.iter().map(|(name, _)| *name);
        let tmux = crate::tmux::known();
        let mut names: Vec<String> = NAMES.iter().copied().chain(own).chain(tmux).map(String::from).collect();
        names.sort();
        names.dedup();
        names
    }

    /// A line for who goes back with the arrow keys; the same one is kept once.
    fn remember(&mut self, line: &str) {
        /// More nobody goes back by hand.
        const LINES: usize = 500;
        self.lines.retain(|known| known != line);
        self.lines.push(line.to_owned());
        if self.lines.len() > LINES {
            self.lines.remove(0);
        }
    }

    fn delete_buffer(&mut self) {
        match self.buffers.take_newest() {
            Some(_) => self.say(" what was copied last is forgotten"),
            None => self.say("nothing was copied yet"),
        }
    }

    fn edit_history(&mut self) {
        if let Some((pane, _)) = self.keyboard() {
            self.look_back(pane, Then::Edit);
        }
    }

    pub(super) fn layer_key(&mut self, key: Key) {
        let Some(layer) = &mut self.layer else { return };
        self.layer_until = None;
        let outcome = match layer {
            Overlay::Describe => Outcome::Say(self.config.keys.describe(key)),
            layer => layer.key(key, &self.tree),
        };
        self.outcome(outcome);
    }

    pub(super) fn outcome(&mut self, outcome: Outcome) {
        self.dirty = true;
        if !matches!(outcome, Outcome::Stay) {
            self.layer = None;
        }
        match outcome {
            Outcome::Stay | Outcome::Close => {}
            Outcome::Run(line) => {
                self.remember(&line);
                self.run_line(&line);
            }
            Outcome::Say(words) => self.say(words),
            Outcome::Copy(text) => self.keep(text),
            Outcome::Append(text) => {
                let before = self.buffers.take_newest().unwrap_or_default();
                self.keep(before + &text);
            }
        }
        self.follow_keyboard();
        self.watch();
    }

    /// The mouse over something that covers the panes.
    pub(super) fn layer_mouse(&mut self, event: MouseEvent) {
        let Some(layer) = &mut self.layer else { return };
        let outcome = layer.mouse(event);
        self.outcome(outcome);
    }

    /// Keeps what was copied, and says which way it went.
    pub(super) fn keep(&mut self, text: String) {
        if text.is_empty() {
            return self.say(" nothing stands there: nothing was copied");
        }
        let words = clipboard::copy(&text, &mut self.output);
        self.say(words);
        self.buffers.push(text);
    }

    /// A program that is seen wants text on the clipboard: a person may not want that.
    pub(super) fn program_copied(&mut self, pane: PaneId, text: String) {
        if !self.config.clipboard || text.is_empty() {
            return;
        }
        let who = self.tree.find_pane(pane).map(draw::label).unwrap_or_default();
        let words = clipboard::copy(&text, &mut self.output);
        self.say(format!(" {who}:{words}"));
        self.buffers.push(text);
    }

    fn paste_buffer(&mut self, words: &[&str]) {
        let number = words.first().and_then(|word| word.parse().ok()).unwrap_or(0);
        match self.buffers.get(number).map(str::to_owned) {
            Some(text) => self.paste(text.as_bytes()),
            None => self.say("nothing was copied yet: prefix [ looks back, v selects, y copies"),
        }
    }

    fn look_back_here(&mut self, up: bool) {
        let Some((id, _)) = self.keyboard() else { return };
        if let Some(pane) = self.tree.find_pane(id) {
            let then = if up { Then::Back(usize::from(pane.place.rows)) } else { Then::Look };
            self.look_back(id, then);
        }
    }

    /// Looks back in a pane, and then does this.
    pub(super) fn look_back(&mut self, pane: PaneId, then: Then) {
        let on_alternate = self.mirrors.get(&pane).is_some_and(|mirror| mirror.alternate);
        if !self.daemon.has_asked(Purpose::Past(pane, then)) {
            let choice = PaneChoice::of(pane);
            let ansi = then != Then::Edit;
            let mode = if on_alternate { Mode::Screen } else { Mode::History };
            let ask = GetOutput { choice, lines: PAST, mode, ansi, ..GetOutput::default() };
            self.daemon.ask(Purpose::Past(pane, then), &ask);
        }
    }

    pub(super) fn looked_back(&mut self, pane: PaneId, then: Then, reply: &RawValue) {
        let Ok(output) = serde_json::from_str::<PaneOutput>(reply.get()) else { return };
        let Some(size) = self.tree.find_pane(pane).map(|pane| pane.place.size()) else { return };
        if then == Then::Edit {
            return self.edit(&output.text);
        }
        let mirror = self.mirrors.get(&pane);
        let mut copy =
            CopyMode::new(pane, &output.text, size, mirror.map(|mirror| copy_mode::used(&mirror.rows)));
        copy.keys = self.config.copy_keys.clone();
        copy.colors = mirror.map(|mirror| mirror.colors.clone()).unwrap_or_default();
        if let Some(cursor) = mirror.map(|mirror| mirror.cursor) {
            copy.go_to(cursor.row, cursor.col);
        }
        match then {
            Then::Back(rows) => drop(copy.scroll(-(rows as isize))),
            Then::Wheel => {
                copy.fleeting = true;
                copy.scroll(-(WHEEL as isize));
            }
            Then::Drag | Then::Word(..) | Then::Line(..) => return self.select_in(copy, then),
            Then::Look | Then::Edit => {}
        }
        self.cover(Overlay::Copy(Box::new(copy)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_about_stays_what_it_was() {
        assert_eq!(joined(&["kill-window", "-w", "two words"]), "kill-window -w 'two words'");
        assert_eq!(joined(&["kill-window -w logs"]), "kill-window -w logs");
    }

    #[test]
    fn who_only_watches_is_not_asked_first() {
        let leads = |words: &[&str]| leads_to_a_change(words, &[("kill-pane", "close-pane")]);
        assert!(leads(&["confirm", "close-pane"]) && leads(&["confirm", "kill-pane"]));
        assert!(leads(&["ask", "name: ", "", "rename-window -- {answer}"]) && leads(&["move-pane"]));
        assert!(!leads(&["ask", "window: ", "", "select-window -w {answer}"]));
        assert!(!leads(&["ask", "find: ", "", "choose-tree {answer}"]) && !leads(&["choose-tree"]));
    }
}
