//! The person's settings and the terminal's own colors, and what follows when they change.

use std::rc::Rc;

use fugue_protocol::views::ServerStatus;
use serde_json::value::RawValue;

use super::App;
use crate::config::Config;
use crate::paint::ColorDepth;
use crate::tty::raw_mode;
use crate::tty::terminal_replies::{self, TerminalReply, is_dark};

impl App {
    /// Reads the settings; when something changed, or a person asked, it is told.
    pub(super) fn reload(&mut self, asked: bool) {
        let (config, mistakes) = Config::read(&self.options.places.config, self.options.aliases);
        let changed = config != self.config;
        let refit = config.status != self.config.status
            || config.sidebar != self.config.sidebar
            || config.titles != self.config.titles;
        self.tree.set_top(u16::from(config.titles));
        if config.mouse != self.config.mouse {
            self.use_mouse(config.mouse);
        }
        self.config = config;
        self.dress();
        let before = std::mem::replace(&mut self.mistakes, mistakes.clone());
        match mistakes.as_slice() {
            [] if asked => self.say(" config.toml is read again"),
            [] if !before.is_empty() => self.say(" config.toml has no mistake any more"),
            same if same == before && !asked => {}
            mistakes => self.say_all(mistakes),
        }
        self.dirty |= changed;
        if refit {
            self.settle();
        }
    }

    /// What the daemon has to complain about, each thing once. A mistake that this client told is not told again.
    pub(super) fn warned(&mut self, reply: &RawValue) {
        let Ok(status) = serde_json::from_str::<ServerStatus>(reply.get()) else { return };
        let known = |warning: &String| self.warnings.contains(warning) || self.mistakes.contains(warning);
        let news: Vec<String> = status.warnings.into_iter().filter(|warning| !known(warning)).collect();
        let told: Vec<String> =
            news.iter().map(|news| format!("the daemon, when it began: {news}")).collect();
        self.say_all(&told);
        self.warnings.extend(news);
    }

    /// Says the first of several things, and where the others are.
    fn say_all(&mut self, all: &[String]) {
        let Some((first, rest)) = all.split_first() else { return };
        if rest.is_empty() {
            return self.say(format!(" {first}"));
        }
        // The newest is read first.
        rest.iter().rev().for_each(|words| self.note(words));
        let key = self.config.keys.of("show-messages").unwrap_or_else(|| "show-messages".into());
        self.say(format!(" {key} shows {} more like this: {first}", rest.len()));
    }

    fn use_mouse(&mut self, on: bool) {
        let _ = self.output.put(if on { raw_mode::MOUSE.0 } else { raw_mode::MOUSE.1 }.as_bytes());
    }

    /// Takes the theme for the terminal's ground; dark where that is not known.
    fn dress(&mut self) {
        self.theme = Rc::new(self.config.looks.theme(self.background.is_none_or(is_dark)));
        self.dirty = true;
    }

    /// Asks the terminal what it is like; it answers when it likes, or never.
    pub(super) fn ask_terminal(&mut self) {
        self.use_mouse(self.config.mouse);
        let _ = self.output.put((terminal_replies::colors() + terminal_replies::DEPTH).as_bytes());
    }

    pub(super) fn replied(&mut self, reply: TerminalReply) {
        match reply {
            // The ground is told last: then the daemon hears of all of them.
            TerminalReply::Palette(number, color) => drop(self.palette.insert(number, color)),
            TerminalReply::Foreground(color) => self.foreground = Some(color),
            TerminalReply::Background(color) => {
                self.background = Some(color);
                self.attach();
                self.dress();
            }
            TerminalReply::TrueColor => {
                self.painter.set_depth(ColorDepth::True);
                self.dirty = true;
            }
            TerminalReply::SchemeChanged => drop(self.output.put(terminal_replies::colors().as_bytes())),
        }
    }
}
