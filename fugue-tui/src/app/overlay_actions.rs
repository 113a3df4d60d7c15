//! Overlays: opening them, giving them keys and the mouse, and doing what they lead to.

use std::time::Instant;

use fugue_protocol::verbs::{ListClients, NAMES};
use fugue_screen::keys::Key;
use fugue_screen::mouse::MouseEvent;

use super::App;
use super::key_input::EncodeKey;
use super::questions::{pane_menu_title, window_title};
use super::state::daemon::Purpose;
use crate::command::CommandOrigin;
use crate::command::client_commands::OWN;
use crate::command::verb_traits;
use crate::overlays::outcome::OverlayOutcome;
use crate::overlays::{self, Overlay, PANE_NUMBERS_SHOWN, Prompt};
use crate::tree::TreeSnapshot;

/// Whether an overlay that is opened like this can only end in a change.
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
    NAMES.contains(&name) && !verb_traits::only_goes(name) && !verb_traits::only_reads(name)
}

/// Joins words into one line, with quotes where they are needed. A single word is a line already.
fn join(words: &[&str]) -> String {
    let quote = |word: &&str| match words.len() > 1 && word.contains([' ', '\'', '"', '\\']) {
        true => overlays::quote(word),
        false => (*word).to_owned(),
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

impl App {
    /// Opens what a command of the client itself names, as seen from where that command comes from.
    pub(super) fn open_named(&mut self, words: &[&str], from: TreeSnapshot) {
        if self.options.read_only && leads_to_a_change(words, self.options.aliases) {
            return self.say_read_only();
        }
        let mut closes_after = None;
        let overlay = match words {
            ["command-prompt"] => self.command_prompt(""),
            ["command-prompt", text, ..] => self.command_prompt(text),
            ["ask", question, text, command] => {
                Overlay::Prompt(Prompt::new(&format!(" {question}"), text, command))
            }
            ["confirm", rest @ ..] => Overlay::Confirm(self.question(&join(rest), &from), join(rest)),
            ["choose-tree", "--sessions"] => Overlay::List(overlays::sessions(&self.tree)),
            ["choose-tree", rest @ ..] => {
                self.hosts.hurry();
                Overlay::List(overlays::tree(&self.tree).filtered(rest.first().unwrap_or(&"")))
            }
            ["move-pane", ..] => Overlay::List(overlays::destinations(&from)),
            ["choose-client", ..] => return self.daemon.request(Purpose::Clients, &ListClients::default()),
            ["choose-buffer", ..] => return self.request_buffers(),
            ["show-messages", ..] => {
                let cols = self.display.size.cols.saturating_sub(8);
                Overlay::List(overlays::past_messages(&self.messages.history, cols))
            }
            ["pane-menu", ..] => {
                Overlay::List(overlays::pane_menu(pane_menu_title(&from), &self.config.keys))
            }
            ["window-menu", ..] => {
                Overlay::List(overlays::window_menu(window_title(&from), &self.config.keys))
            }
            ["display-menu", rest @ ..] => {
                let menu = overlays::person_menu(rest, self.display.size, |text| self.expanded(text));
                match menu {
                    Ok(menu) => Overlay::List(menu),
                    Err(why) => return self.say_error(format!("display-menu: {why}")),
                }
            }
            ["describe-key", ..] => Overlay::DescribeKey,
            ["palette", ..] => Overlay::List(overlays::palette(&self.tree, &self.config.keys)),
            ["help", ..] => Overlay::List(overlays::help(&self.config.keys)),
            ["display-panes", ..] => {
                closes_after = Some(PANE_NUMBERS_SHOWN);
                Overlay::PaneNumbers
            }
            ["paste-buffer", rest @ ..] => return self.paste_buffer(rest),
            ["delete-buffer", ..] => return self.delete_buffer(),
            ["allow-copy", ..] => return self.allow_copy(),
            ["edit-history", ..] => return self.request_history_edit(),
            ["copy-mode", rest @ ..] => return self.enter_copy_mode(rest.contains(&"--up")),
            [word, ..] => return self.say_usage(word),
            [] => return,
        };
        self.open_overlay_from(overlay, from);
        self.overlays.closes_at = closes_after.map(|time| Instant::now() + time);
        self.watch_visible();
    }

    fn command_prompt(&self, text: &str) -> Overlay {
        let own = OWN.iter().map(|(name, _)| *name);
        let tmux = crate::tmux::known();
        let mut names: Vec<String> = NAMES.iter().copied().chain(own).chain(tmux).map(String::from).collect();
        names.sort();
        names.dedup();
        Overlay::Prompt(Prompt::for_commands(names, &self.overlays.prompt_lines, text))
    }

    /// Says how a command of the client itself is used.
    fn say_usage(&mut self, word: &str) {
        let about = OWN.iter().find(|(name, _)| *name == word).map_or("", |(_, about)| about);
        self.say_error(format!("Invalid arguments for `{word}` ({about})"));
    }

    pub(super) fn open_overlay(&mut self, overlay: Overlay) {
        self.open_overlay_from(overlay, TreeSnapshot::of(&self.tree));
    }

    fn open_overlay_from(&mut self, overlay: Overlay, from: TreeSnapshot) {
        self.overlays.open(overlay, from);
        self.overlays.line_origin = self.line_origin.clone();
        self.display.redraw();
    }

    pub(super) fn overlay_key(&mut self, key: Key, encode: EncodeKey) {
        let Some(overlay) = &mut self.overlays.current else { return };
        self.overlays.closes_at = None;
        let outcome = match overlay {
            Overlay::DescribeKey => OverlayOutcome::Say(self.config.keys.describe(key)),
            overlay => overlay.key(key, &self.tree),
        };
        let passes = outcome == OverlayOutcome::Pass;
        self.finish_overlay(outcome);
        if passes {
            self.handle_key(key, encode);
        }
    }

    /// Handles the mouse over an overlay that covers the panes.
    pub(super) fn overlay_mouse(&mut self, event: MouseEvent) {
        let Some(overlay) = &mut self.overlays.current else { return };
        let outcome = overlay.mouse(event);
        self.finish_overlay(outcome);
    }

    /// Does what a key or click in the overlay leads to.
    pub(super) fn finish_overlay(&mut self, outcome: OverlayOutcome) {
        self.display.redraw();
        // The line of a question is that of whoever asked it; what is chosen from a list or typed is the person's.
        let origin = match &self.overlays.current {
            Some(Overlay::Prompt(prompt)) if !prompt.is_for_commands() => self.overlays.line_origin.clone(),
            Some(Overlay::Confirm(..)) => self.overlays.line_origin.clone(),
            _ => CommandOrigin::Person,
        };
        // Lines of bindings and menus were not typed.
        let is_typed =
            matches!(&self.overlays.current, Some(Overlay::Prompt(prompt)) if prompt.is_for_commands());
        let mut from = None;
        if !matches!(outcome, OverlayOutcome::Stay | OverlayOutcome::StayAndRun(_)) {
            from = self.overlays.opened_from.take();
            let closed = self.overlays.current.take();
            if matches!(outcome, OverlayOutcome::Act(..) | OverlayOutcome::Kill(_)) {
                self.overlays.behind = closed;
            }
        }
        // A question that was not answered is about nothing any more.
        if !matches!(outcome, OverlayOutcome::Stay | OverlayOutcome::Run(_)) {
            self.overlays.act_on.clear();
        }
        match outcome {
            OverlayOutcome::Stay | OverlayOutcome::Close | OverlayOutcome::Pass => {}
            OverlayOutcome::Run(line) => {
                if is_typed {
                    self.overlays.remember_line(&line);
                }
                self.run_line_of(&line, origin, from);
            }
            OverlayOutcome::StayAndRun(line) => self.run_over_list(&line),
            OverlayOutcome::Act(act, panes) => self.begin_act(act, panes),
            OverlayOutcome::Kill(target) => self.ask_to_kill(target),
            OverlayOutcome::Open(target, pane) => self.open_target(&target, pane),
            OverlayOutcome::Say(text) => self.say(text),
            OverlayOutcome::Copy(text) => self.store_copied(text),
            OverlayOutcome::Append(text) => self.append_copied(text),
        }
        // After a question about its rows, a list is shown again: the next keys are meant for it.
        if self.overlays.current.is_none() {
            self.overlays.current = self.overlays.behind.take();
            // It may have changed meanwhile.
            self.renew_tree_list();
        }
        self.follow_keyboard();
        self.watch_visible();
    }

    /// Runs a line of a list that stays. If it asks something first, the list is shown again after that.
    fn run_over_list(&mut self, line: &str) {
        let is_list = matches!(&self.overlays.current, Some(Overlay::List(_)));
        let list = if is_list { self.overlays.current.take() } else { None };
        self.run_line(line);
        match &self.overlays.current {
            Some(Overlay::Prompt(_)) => self.overlays.behind = list,
            None => self.overlays.current = list,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confirmed_line_keeps_its_words() {
        assert_eq!(join(&["kill-window", "-w", "two words"]), "kill-window -w 'two words'");
        assert_eq!(join(&["kill-window -w logs"]), "kill-window -w logs");
    }

    #[test]
    fn a_read_only_client_is_not_asked_about_changes() {
        let leads = |words: &[&str]| leads_to_a_change(words, &[("kill-pane", "close-pane")]);
        assert!(leads(&["confirm", "close-pane"]) && leads(&["confirm", "kill-pane"]));
        assert!(leads(&["ask", "name: ", "", "rename-window -- {answer}"]) && leads(&["move-pane"]));
        assert!(!leads(&["ask", "window: ", "", "select-window -w {answer}"]));
        assert!(!leads(&["ask", "find: ", "", "choose-tree {answer}"]) && !leads(&["choose-tree"]));
    }
}
