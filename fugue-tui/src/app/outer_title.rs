//! The title of the person's terminal, if fugue is to set it. The terminal's own is kept on its stack of titles.

use super::App;

/// The longest title: terminals show less.
const MOST: usize = 256;

impl App {
    /// The sequence that gives the terminal another title; nothing if it has the right one.
    pub(super) fn title_change(&mut self) -> String {
        let settings = &self.config.settings;
        let wanted = settings.set_titles.then(|| plain(&self.expanded(&settings.titles_format)));
        if wanted == self.display.title {
            return String::new();
        }
        let sequence = match &wanted {
            Some(title) => format!("\x1b]2;{title}\x1b\\"),
            // Back to the terminal's own, which stays on the stack for the end.
            None => "\x1b[23;2t\x1b[22;2t".to_owned(),
        };
        self.display.title = wanted;
        sequence
    }
}

fn plain(title: &str) -> String {
    title.chars().filter(|c| !c.is_control()).take(MOST).collect()
}
