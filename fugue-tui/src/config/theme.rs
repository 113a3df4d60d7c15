//! `[theme]`: a theme by name, others for light and dark terminals, and parts that differ.

use fugue_config::ConfigEntry;
use fugue_protocol::refusal::nearest;
use fugue_screen::Style;

use crate::paint::ColorDepth;
use crate::theme::{self, THEMES, Theme};

/// The chosen themes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ThemeSettings {
    name: Option<String>,
    light: Option<String>,
    dark: Option<String>,
    parts: Vec<(String, Style)>,
}

impl ThemeSettings {
    /// Returns the theme for a terminal with a dark background, or a light one. By default it is `dusk` or `dawn`; where
    /// the terminal has only its named colors, those.
    pub(crate) fn theme(&self, dark: bool, depth: ColorDepth) -> Theme {
        let chosen = if dark { &self.dark } else { &self.light };
        let usual = match (depth, dark) {
            (ColorDepth::Named, _) => "terminal",
            (_, true) => "dusk",
            (_, false) => "dawn",
        };
        let name = chosen.as_deref().or(self.name.as_deref()).unwrap_or(usual);
        let mut theme = match (name, dark) {
            ("terminal", false) => Theme::on_light(),
            (name, _) => Theme::named(name).unwrap_or_default(),
        };
        for (part, style) in &self.parts {
            theme.set(part, *style);
        }
        // On a background that a person chose, the theme's own faint color may not be legible.
        let chosen = |name: &str| self.parts.iter().find(|(part, _)| *part == name);
        if let (Some((_, message)), None) = (chosen("message"), chosen("message_faint")) {
            theme.set("message_faint", *message);
        }
        theme
    }

    /// Applies an entry of the section.
    pub(super) fn set(&mut self, entry: &ConfigEntry<String>) -> Result<(), String> {
        match entry.name.as_str() {
            "name" => self.name = Some(theme_name(entry)?),
            "light" => self.light = Some(theme_name(entry)?),
            "dark" => self.dark = Some(theme_name(entry)?),
            part if theme::part_names().any(|name| name == part) => {
                let style = theme::style(&entry.value).map_err(|why| format!("\"{part}\": {why}"))?;
                self.parts.push((part.to_owned(), style));
            }
            wrong => return Err(unknown_part(wrong)),
        }
        Ok(())
    }
}

fn unknown_part(name: &str) -> String {
    let names = ["name", "light", "dark"].into_iter().chain(theme::part_names());
    let near = nearest(name, names).map(|near| format!("; did you mean \"{near}\"?"));
    format!("unknown setting \"{name}\" in [theme]{}", near.unwrap_or_default())
}

/// Returns the name of a theme that exists.
fn theme_name(entry: &ConfigEntry<String>) -> Result<String, String> {
    let name = entry.value.as_str();
    if THEMES.iter().any(|(known, _)| *known == name) {
        return Ok(name.to_owned());
    }
    let near = nearest(name, THEMES.iter().map(|(known, _)| *known));
    let all = || format!("available themes: {}", THEMES.map(|(known, _)| known).join(", "));
    let hint = near.map_or_else(all, |near| format!("did you mean \"{near}\"?"));
    Err(format!("\"{}\": unknown theme \"{name}\"; {hint}", entry.name))
}
