//! `[theme]`: a theme by name, another one for light and for dark, and parts that differ.

use fugue_screen::Style;
use toml::de::DeTable;

use super::{Entry, Mistakes};
use crate::theme::{self, THEMES, Theme};
use fugue_protocol::refusal::nearest;

/// How a person wants it to look.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Looks {
    name: Option<String>,
    light: Option<String>,
    dark: Option<String>,
    parts: Vec<(String, Style)>,
}

impl Looks {
    /// The theme for a terminal whose ground is dark, or light.
    pub(crate) fn theme(&self, dark: bool) -> Theme {
        let chosen = if dark { &self.dark } else { &self.light };
        let name = chosen.as_deref().or(self.name.as_deref()).unwrap_or("terminal");
        let mut theme = match (name, dark) {
            ("terminal", false) => Theme::on_light(),
            (name, _) => Theme::named(name).unwrap_or_default(),
        };
        for (part, style) in &self.parts {
            theme.set(part, *style);
        }
        theme
    }
}

pub(super) fn read(looks: &mut Looks, rows: &DeTable<'_>, mistakes: &mut Mistakes<'_>) {
    for entry in mistakes.entries(rows) {
        match entry.name {
            "name" => looks.name = named(&entry, mistakes),
            "light" => looks.light = named(&entry, mistakes),
            "dark" => looks.dark = named(&entry, mistakes),
            part if theme::part_names().any(|name| name == part) => {
                looks.parts.extend(styled(&entry, mistakes));
            }
            _ => {
                let names = ["name", "light", "dark"].into_iter().chain(theme::part_names());
                mistakes.unknown(&entry, "[theme]", names);
            }
        }
    }
}

fn named(entry: &Entry<'_>, mistakes: &mut Mistakes<'_>) -> Option<String> {
    let name = mistakes.word(entry)?;
    if THEMES.iter().any(|(known, _)| *known == name) {
        return Some(name.to_owned());
    }
    let near = nearest(name, THEMES.iter().map(|(known, _)| *known));
    let all = || format!("there are {}", THEMES.map(|(known, _)| known).join(", "));
    let hint = near.map_or_else(all, |near| format!("did you mean `{near}`?"));
    mistakes.add(entry.line, format!("there is no theme `{name}`; {hint}"));
    None
}

fn styled(entry: &Entry<'_>, mistakes: &mut Mistakes<'_>) -> Option<(String, Style)> {
    match theme::style(mistakes.word(entry)?) {
        Ok(style) => Some((entry.name.to_owned(), style)),
        Err(why) => {
            mistakes.add(entry.line, format!("`{}`: {why}", entry.name));
            None
        }
    }
}
