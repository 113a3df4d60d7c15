//! The prompts of copy mode: text to search for, a line, a character to jump to.

use fugue_screen::keys::{Code, Key};
use unicode_width::UnicodeWidthStr;

use super::CopyMode;
use super::action_table::CopyPrompt;
use crate::overlays::outcome::OverlayOutcome;

/// The longest answer, in bytes: longer than anything people search for.
const LONGEST: usize = 1_000;

impl CopyMode {
    pub(super) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    pub(super) fn ask(&mut self, question: CopyPrompt) {
        if question.is_search() {
            self.begin_search(question == CopyPrompt::Down);
        }
        self.asked = Some((question, String::new()));
    }

    /// The prompt with what is typed so far and what is to be known about it, or else the message.
    pub(super) fn foot_text(&self) -> Option<String> {
        let asked = self.asked.as_ref().map(|(question, text)| {
            let note = if question.is_search() { self.pattern_note() } else { String::new() };
            format!("{}{text}{note}", question.label())
        });
        asked.or_else(|| self.message.clone())
    }

    /// The columns of the prompt with what is typed so far, if one is open.
    pub(super) fn prompt_cols(&self) -> Option<usize> {
        self.asked.as_ref().map(|(question, text)| question.label().width() + text.width())
    }

    pub(super) fn type_answer(&mut self, key: Key) -> OverlayOutcome {
        let Some((question, mut text)) = self.asked.take() else { return OverlayOutcome::Stay };
        match (key.mods.ctrl, key.code) {
            (_, Code::Enter) => self.answer(question, &text),
            (_, Code::Escape) | (true, Code::Char('c' | 'g')) => self.cancel(question),
            (_, Code::Backspace) => match text.pop() {
                Some(_) => self.typed(question, text),
                None => self.cancel(question),
            },
            (true, Code::Char('u')) => self.typed(question, String::new()),
            (false, Code::Char(c)) => match question.jump(c) {
                Some(jump) => self.jump(jump),
                None => {
                    text.extend(Some(c).filter(|_| text.len() < LONGEST));
                    self.typed(question, text);
                }
            },
            _ => self.asked = Some((question, text)),
        }
        OverlayOutcome::Stay
    }

    /// Types text at the prompt for a search.
    pub(crate) fn paste(&mut self, text: impl Iterator<Item = char>) {
        if let Some((question, mut typed)) = self.asked.take_if(|(question, _)| question.is_search()) {
            typed.extend(text.take(LONGEST.saturating_sub(typed.len())));
            self.typed(question, typed);
        }
    }

    /// Keeps what is typed, and searches for it while it is typed.
    fn typed(&mut self, question: CopyPrompt, text: String) {
        self.asked = Some((question, text.clone()));
        if question.is_search() {
            self.type_pattern(&text);
        }
    }

    fn cancel(&mut self, question: CopyPrompt) {
        if question.is_search() {
            self.cancel_search();
        }
    }

    fn answer(&mut self, question: CopyPrompt, text: &str) {
        match question {
            CopyPrompt::Down | CopyPrompt::Up => self.confirm_search(text),
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
