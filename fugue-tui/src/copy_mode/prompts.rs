//! The prompts of copy mode: text to search for, a line, a character to jump to.

use fugue_screen::keys::{Code, Key};

use super::CopyMode;
use super::action_table::CopyPrompt;
use crate::overlays::outcome::Outcome;

/// The longest answer, in bytes: longer than anything people search for.
const LONGEST: usize = 1_000;

impl CopyMode {
    pub(super) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    pub(super) fn ask(&mut self, question: CopyPrompt) {
        if matches!(question, CopyPrompt::Down | CopyPrompt::Up) {
            self.search.begin(question == CopyPrompt::Down);
        }
        self.asked = Some((question, String::new()));
    }

    /// The prompt with what is typed so far, or else the message.
    pub(super) fn foot_line(&self) -> Option<String> {
        let asked = self.asked.as_ref().map(|(question, text)| format!("{}{text}", question.label()));
        asked.or_else(|| self.message.clone())
    }

    pub(super) fn type_answer(&mut self, key: Key) -> Outcome {
        let Some((question, mut text)) = self.asked.take() else { return Outcome::Stay };
        match (key.mods.ctrl, key.code) {
            (_, Code::Enter) => self.answer(question, &text),
            (_, Code::Escape) | (true, Code::Char('c' | 'g')) => self.search.look_for(""),
            (_, Code::Backspace) => {
                if text.pop().is_some() {
                    self.typed(question, text);
                }
            }
            (false, Code::Char(c)) => match question.jump(c) {
                Some(jump) => self.jump(jump),
                None => {
                    text.extend(Some(c).filter(|_| text.len() < LONGEST));
                    self.typed(question, text);
                }
            },
            _ => self.asked = Some((question, text)),
        }
        Outcome::Stay
    }

    /// Keeps what is typed, and searches for it while it is typed.
    fn typed(&mut self, question: CopyPrompt, text: String) {
        if matches!(question, CopyPrompt::Down | CopyPrompt::Up) {
            self.search.look_for(&text);
        }
        self.asked = Some((question, text));
    }

    fn answer(&mut self, question: CopyPrompt, text: &str) {
        match question {
            CopyPrompt::Down | CopyPrompt::Up => self.search_again(true),
            // Lines count from the end, as in the upper right corner.
            CopyPrompt::Line => {
                let back: usize = text.trim().parse().unwrap_or(0);
                let past = self.rows.len().saturating_sub(self.height());
                self.go(past.saturating_sub(back), 0);
                self.top = past.saturating_sub(back);
            }
            _ => {}
        }
    }
}
