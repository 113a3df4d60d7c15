//! The person's settings and the terminal's own colors, and what follows when they change.

use std::rc::Rc;

use fugue_protocol::views::ServerStatus;
use serde_json::value::RawValue;

use super::App;
use super::state::display::StatusPlace;
use super::state::status_clock::ShownTime;
use crate::config::ClientConfig;
use crate::paint::ColorDepth;
use crate::tty::raw_mode;
use crate::tty::terminal_replies::{self, TerminalReply};

impl App {
    /// Reads the settings, and reports what is wrong with them; a person who asked gets a message in any case.
    pub(super) fn reload_config(&mut self, asked: bool) {
        let (config, mistakes) =
            ClientConfig::read(&self.options.paths.config, self.options.aliases, &self.config);
        let changed = config != self.config;
        let (new, old) = (&config.settings, &self.config.settings);
        let status = StatusPlace::of(&config);
        let lines = status.lines;
        let resizes =
            lines != self.display.status.lines || new.sidebar != old.sidebar || new.titles != old.titles;
        let time = if lines > 0 { ShownTime::of(&config.status, new.clock) } else { ShownTime::default() };
        self.display.set_status(status);
        self.display.clock.show(time);
        self.tree.set_title_rows(u16::from(new.titles));
        if new.mouse != old.mouse {
            self.set_mouse(new.mouse);
        }
        let has_other_hosts = config.hosts != self.config.hosts;
        self.config = config;
        if has_other_hosts {
            self.update_hosts();
        }
        self.choose_image_output();
        self.display.painter.set_link_schemes(&self.config.settings.link_schemes);
        self.apply_theme();
        let before = self.messages.set_config_mistakes(mistakes.clone());
        match mistakes.as_slice() {
            [] if asked => self.say("config.toml reloaded"),
            [] if !before.is_empty() => self.say("config.toml is valid again"),
            same if same == before && !asked => {}
            mistakes => self.say_first(mistakes),
        }
        self.display.redraw_if(changed);
        if resizes {
            self.sync_views();
        }
    }

    /// Reports the daemon's warnings, each once.
    pub(super) fn report_warnings(&mut self, reply: &RawValue) {
        let Ok(status) = serde_json::from_str::<ServerStatus>(reply.get()) else { return };
        let warnings = self.messages.new_warnings(status.warnings);
        let texts: Vec<String> =
            warnings.iter().map(|warning| format!("Daemon warning: {warning}")).collect();
        self.say_first(&texts);
    }

    /// Says the first of several texts, and where the others are.
    fn say_first(&mut self, texts: &[String]) {
        let Some((first, rest)) = texts.split_first() else { return };
        if rest.is_empty() {
            return self.say(first);
        }
        // The first is noted last, so that the list of messages begins with it.
        rest.iter().rev().for_each(|text| self.messages.note(text));
        let key = self.key_for("show-messages");
        self.say(format!("{} problems ({key} lists them): {first}", texts.len()));
    }

    fn set_mouse(&mut self, on: bool) {
        self.display.send(if on { raw_mode::MOUSE.0 } else { raw_mode::MOUSE.1 });
    }

    /// Chooses the theme for the terminal's background.
    fn apply_theme(&mut self) {
        self.display.theme =
            Rc::new(self.config.theme.theme(self.display.colors.is_dark(), self.display.painter.depth()));
        self.display.redraw();
    }

    /// Asks the terminal for its colors. It answers when it likes, or never.
    pub(super) fn query_terminal(&mut self) {
        self.set_mouse(self.config.settings.mouse);
        self.query_images();
        self.display.send(&(terminal_replies::color_query() + terminal_replies::DEPTH_QUERY));
    }

    pub(super) fn terminal_replied(&mut self, reply: TerminalReply) {
        let colors = &mut self.display.colors;
        match reply {
            TerminalReply::Palette(number, color) => drop(colors.palette.insert(number, color)),
            TerminalReply::Foreground(color) => colors.foreground = Some(color),
            // The background comes last: with it the daemon gets all colors.
            TerminalReply::Background(color) => {
                colors.background = Some(color);
                self.attach();
                self.apply_theme();
            }
            TerminalReply::TrueColor => {
                self.display.painter.set_depth(ColorDepth::True);
                self.apply_theme();
            }
            TerminalReply::KittyImages => self.display.images.has_kitty = true,
            TerminalReply::CellSize(width, height) => self.cell_size_reported(width, height),
            TerminalReply::Attributes { sixel } => self.attributes_reported(sixel),
            TerminalReply::SchemeChanged => self.display.send(&terminal_replies::color_query()),
        }
    }
}
