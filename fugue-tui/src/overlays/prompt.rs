//! A prompt: a line to type on the status line, with a question before it and completion after it.

use fugue_screen::CursorShape;
use fugue_screen::keys::{Code, Key};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::outcome::OverlayOutcome;
use crate::draw::{self, MessageKind};
use crate::paint::{Canvas, TerminalCursor};
use crate::theme::ThemePart;

/// The longest line, in characters: longer ones belong in a file.
const LONGEST: usize = 4_096;

/// A prompt with a line of text.
pub(crate) struct Prompt {
    question: String,
    text: Vec<char>,
    at: usize,
    /// The command to run, in which `{answer}` becomes the line.
    command: String,
    /// Words that complete the line.
    words: Vec<String>,
    /// Former lines, the newest last, and how far back the person went.
    history: Vec<String>,
    back: usize,
}

impl Prompt {
    pub(crate) fn new(question: &str, text: &str, command: &str) -> Self {
        let text: Vec<char> = text.chars().collect();
        let (words, history) = (Vec::new(), Vec::new());
        Self {
            question: question.into(),
            at: text.len(),
            text,
            command: command.into(),
            words,
            history,
            back: 0,
        }
    }

    /// The command prompt.
    pub(crate) fn for_commands(words: Vec<String>, history: &[String], text: &str) -> Self {
        Self { words, history: history.to_vec(), ..Self::new(" :", text, "{answer}") }
    }

    /// Whether this is the command prompt, whose lines can be recalled.
    pub(crate) fn is_for_commands(&self) -> bool {
        self.command == "{answer}"
    }

    fn line(&self) -> String {
        self.text.iter().collect()
    }

    pub(super) fn key(&mut self, key: Key) -> OverlayOutcome {
        match (key.mods.ctrl, key.code) {
            (_, Code::Escape) | (true, Code::Char('c' | 'g')) => return OverlayOutcome::Close,
            (_, Code::Enter) | (true, Code::Char('m' | 'j')) => return self.done(),
            (_, Code::Backspace) if self.text.is_empty() => return OverlayOutcome::Close,
            (_, Code::Backspace) | (true, Code::Char('h')) => self.erase(self.at.saturating_sub(1)),
            (true, Code::Char('u')) => self.erase(0),
            (true, Code::Char('w')) => self.erase(self.word_before()),
            (true, Code::Char('k')) => self.text.truncate(self.at),
            (_, Code::Delete) | (true, Code::Char('d')) if self.at < self.text.len() => {
                self.text.remove(self.at);
            }
            (_, Code::Left) | (true, Code::Char('b')) => self.at = self.at.saturating_sub(1),
            (_, Code::Right) | (true, Code::Char('f')) => self.at = (self.at + 1).min(self.text.len()),
            (_, Code::Home) | (true, Code::Char('a')) => self.at = 0,
            (_, Code::End) | (true, Code::Char('e')) => self.at = self.text.len(),
            (_, Code::Up) | (true, Code::Char('p')) => self.recall(self.back + 1),
            (_, Code::Down) | (true, Code::Char('n')) => self.recall(self.back.saturating_sub(1)),
            (_, Code::Tab) => self.complete(),
            (false, Code::Char(c)) => self.insert(std::iter::once(c)),
            _ => {}
        }
        OverlayOutcome::Stay
    }

    /// Inserts characters, as many as there is room for.
    pub(super) fn insert(&mut self, text: impl Iterator<Item = char>) {
        let before = self.text.len();
        let text: Vec<char> = text.take(LONGEST.saturating_sub(before)).collect();
        self.text.splice(self.at..self.at, text);
        self.at += self.text.len() - before;
    }

    fn done(&self) -> OverlayOutcome {
        let line = self.line();
        match (line.trim().is_empty(), self.command == "{answer}") {
            (true, true) => OverlayOutcome::Close,
            (true, false) => OverlayOutcome::Say("Nothing was typed, so nothing was changed".into()),
            (false, true) => OverlayOutcome::Run(line),
            (false, false) => OverlayOutcome::Run(self.command.replace("{answer}", &quote(&line))),
        }
    }

    fn erase(&mut self, from: usize) {
        self.text.drain(from..self.at);
        self.at = from;
    }

    fn word_before(&self) -> usize {
        let end = self.text[..self.at].iter().rposition(|c| *c != ' ').map_or(0, |at| at + 1);
        self.text[..end].iter().rposition(|c| *c == ' ').map_or(0, |at| at + 1)
    }

    fn recall(&mut self, back: usize) {
        self.back = back.min(self.history.len());
        let line = self.history.len().checked_sub(self.back).and_then(|at| self.history.get(at));
        self.text = line.map(|line| line.chars().collect()).unwrap_or_default();
        self.at = self.text.len();
    }

    /// Completes the line as far as all matching words agree, with a blank behind the only match.
    fn complete(&mut self) {
        let begun = self.line();
        let fitting: Vec<&String> = self.words.iter().filter(|word| word.starts_with(&begun)).collect();
        let Some(first) = fitting.first() else { return };
        let agreed = |count: &usize| fitting.iter().all(|word| word.get(..*count) == first.get(..*count));
        let common = (begun.len()..=first.len()).rev().find(agreed).unwrap_or(begun.len());
        let blank = if fitting.len() == 1 { " " } else { "" };
        self.text = format!("{}{blank}", first.get(..common).unwrap_or(&begun)).chars().collect();
        self.at = self.text.len();
    }

    /// The words that complete the line, as many as fit into the room, and how many more there are.
    fn hints(&self, room: usize) -> String {
        let begun = self.line();
        let is_hint = |word: &&String| !begun.is_empty() && word.starts_with(&begun) && **word != begun;
        let words: Vec<&String> = self.words.iter().filter(is_hint).collect();
        let mut text = String::new();
        for (at, word) in words.iter().enumerate() {
            let longer = format!("{text}  {word}");
            if longer.width() + more_words(words.len() - at - 1).width() > room {
                return text + &more_words(words.len() - at);
            }
            text = longer;
        }
        text
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, row: u16) -> TerminalCursor {
        let cols = canvas.size().cols;
        let row = row.min(canvas.size().rows.saturating_sub(1));
        let mut begin = draw::question(canvas, row, &self.question, MessageKind::Info);
        let (mut first, mut width) = self.seen_from(usize::from(cols.saturating_sub(begin + 1)));
        if first > 0 {
            begin = canvas.text(row, begin, cols, "‹", canvas.style(ThemePart::Message));
            (first, width) = self.seen_from(usize::from(cols.saturating_sub(begin + 1)));
        }
        let line: String = self.text[first..].iter().collect();
        let after = canvas.text(row, begin, cols, &line, canvas.style(ThemePart::Message));
        let hints = self.hints(usize::from(cols.saturating_sub(after)));
        canvas.text(row, after, cols, &hints, canvas.style(ThemePart::MessageFaint));
        let col = (begin + width as u16).min(cols.saturating_sub(1));
        TerminalCursor { row, col, shape: CursorShape::Bar, blinking: true, color: None }
    }

    /// The first visible character, such that the cursor is in sight, and the cells before the cursor.
    fn seen_from(&self, room: usize) -> (usize, usize) {
        let mut width = 0;
        for (at, c) in self.text[..self.at].iter().enumerate().rev() {
            let wider = width + c.width().unwrap_or(0);
            if wider > room {
                return (at + 1, width);
            }
            width = wider;
        }
        (0, width)
    }
}

/// The note on words for which there is no room.
fn more_words(count: usize) -> String {
    if count == 0 { String::new() } else { format!(" +{count}") }
}

/// Quotes text, so that a command line takes it for one word.
pub(crate) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(prompt: &mut Prompt, keys: &str) {
        keys.split(' ').for_each(|key| drop(prompt.key(key.parse().unwrap())));
    }

    #[test]
    fn a_word_is_completed_as_far_as_it_is_unambiguous() {
        let words = ["create-pane", "create-window", "detach"].map(String::from).to_vec();
        let mut prompt = Prompt::for_commands(words, &[], "");
        typed(&mut prompt, "c Tab");
        assert_eq!(prompt.line(), "create-");
        typed(&mut prompt, "w Tab");
        assert_eq!(prompt.line(), "create-window ");
        typed(&mut prompt, "C-w C-w d e");
        assert_eq!((prompt.line(), prompt.hints(40)), ("de".into(), "  detach".into()));
    }

    #[test]
    fn words_without_room_are_counted() {
        let words = ["move-pane", "move-window", "mute"].map(String::from).to_vec();
        let prompt = Prompt::for_commands(words, &[], "m");
        let hints = [30, 29, 14, 3].map(|room| prompt.hints(room));
        assert_eq!(
            hints,
            ["  move-pane  move-window  mute", "  move-pane  move-window +1", "  move-pane +2", " +3"]
        );
    }

    #[test]
    fn words_that_complete_a_line_do_not_look_like_typed_ones() {
        let theme = crate::theme::Theme::named("dusk").expect("a theme");
        let mut canvas = Canvas::new(fugue_protocol::Size::new(40, 1));
        canvas.open(crate::paint::DirtyRows::All, std::rc::Rc::new(theme));
        Prompt::for_commands(vec!["mute".into()], &[], "m").draw(&mut canvas, 0);
        let [typed, hint] = [2, 5].map(|col| canvas.row(0)[col].style);
        assert!(typed.fg != hint.fg && typed.bg == hint.bg);
    }

    #[test]
    fn a_line_has_a_limit() {
        let mut prompt = Prompt::new(":", "ab", "x");
        typed(&mut prompt, "Left");
        prompt.insert("c".repeat(LONGEST).chars());
        assert_eq!((prompt.text.len(), prompt.at), (LONGEST, LONGEST - 1));
        assert!(prompt.line().ends_with("cb"));
    }

    #[test]
    fn a_long_line_shows_the_part_with_the_cursor() {
        let mut prompt = Prompt::new(":", "abcdefgh", "x");
        assert_eq!(prompt.seen_from(20), (0, 8));
        assert_eq!(prompt.seen_from(5), (3, 5));
        typed(&mut prompt, "Left Left Left Left Left");
        assert_eq!(prompt.seen_from(5), (0, 3), "its beginning");
        let prompt = Prompt::new(":", "漢字漢字", "x");
        assert_eq!(prompt.seen_from(5), (2, 4), "wide ones are whole");
    }

    #[test]
    fn a_prompt_answer_is_one_argument_of_the_command() {
        let mut prompt = Prompt::new("name: ", "it's", "rename-window {answer}");
        typed(&mut prompt, "Space x");
        let OverlayOutcome::Run(line) = prompt.key("Enter".parse().unwrap()) else { panic!("not run") };
        assert_eq!(line, r"rename-window 'it'\''s x'");
    }
}
