//! The person's settings and the terminal's own colours, and what follows when they change.

use std::rc::Rc;

use super::App;
use crate::config::Config;
use crate::outer::raw;
use crate::outer::replies::{COLOURS, QUESTIONS, Reply, is_dark};
use crate::picture::Depth;

impl App {
    /// Reads the settings; when something changed, or a person asked, it is told.
    pub(super) fn reload(&mut self, asked: bool) {
        let (config, mistakes) = Config::read(&self.options.places.config, self.options.aliases);
        let changed = config != self.config;
        if config.mouse != self.config.mouse {
            self.use_mouse(config.mouse);
        }
        self.config = config;
        self.dress();
        match mistakes.as_slice() {
            [] if asked => self.say(" config.toml is read again"),
            [] => {}
            [only] => self.say(format!(" {only}")),
            [first, rest @ ..] => self.say(format!(" {first} (and {} more)", rest.len())),
        }
        self.dirty |= changed;
    }

    fn use_mouse(&mut self, on: bool) {
        let _ = self.output.put(if on { raw::MOUSE.0 } else { raw::MOUSE.1 }.as_bytes());
    }

    /// Takes the theme for the terminal's ground; dark where that is not known.
    fn dress(&mut self) {
        self.theme = Rc::new(self.config.looks.theme(self.background.is_none_or(is_dark)));
        self.dirty = true;
    }

    /// Asks the terminal what it is like; it answers when it likes, or never.
    pub(super) fn ask_terminal(&mut self) {
        self.use_mouse(self.config.mouse);
        let _ = self.output.put(QUESTIONS.as_bytes());
    }

    pub(super) fn replied(&mut self, reply: Reply) {
        match reply {
            Reply::Foreground(colour) => self.foreground = Some(colour),
            Reply::Background(colour) => {
                self.background = Some(colour);
                self.dress();
            }
            Reply::TrueColour => {
                self.painter.set_depth(Depth::True);
                self.dirty = true;
            }
            Reply::SchemeChanged => drop(self.output.put(COLOURS.as_bytes())),
        }
    }
}
