//! The keys of the view back: vi's and emacs's at once, since hardly a key means two things.

use fugue_screen::keys::{Code, Key};

use super::select::Shape;
use super::{CopyMode, Spot};
use crate::layers::Outcome;

/// Far below the last row.
const END: usize = usize::MAX / 2;

impl CopyMode {
    pub(crate) fn key(&mut self, key: Key) -> Outcome {
        if self.search.is_typed() {
            self.type_search(key);
            return Outcome::Stay;
        }
        if self.pending.take() == Some('g') && key == Key::plain(Code::Char('g')) {
            self.go(0, 0);
            return Outcome::Stay;
        }
        match (key.mods.ctrl, key.mods.alt) {
            (false, false) => self.plain(key.code),
            (true, false) => self.control(key.code),
            (false, true) => self.meta(key.code),
            _ => Outcome::Stay,
        }
    }

    fn plain(&mut self, code: Code) -> Outcome {
        let (Spot { row, col }, height) = (self.spot, self.height());
        match code {
            Code::Escape if self.selection.is_some() => self.selection = None,
            Code::Char('q') | Code::Escape => return Outcome::Close,
            Code::Char('h') | Code::Left | Code::Backspace => self.left(),
            Code::Char('l') | Code::Right => self.right(),
            Code::Char('k') | Code::Up => self.go(row.saturating_sub(1), col),
            Code::Char('j') | Code::Down => self.go(row + 1, col),
            Code::PageUp => return self.scroll(-(height as isize)),
            Code::PageDown => return self.scroll(height as isize),
            Code::Char('w') => self.word_on(),
            Code::Char('b') => self.word_back(),
            Code::Char('e') => self.word_end(),
            Code::Char('0') | Code::Home => self.go(row, 0),
            Code::Char('$') | Code::End => self.go(row, self.last_col(row)),
            Code::Char('^') => self.go(row, self.first_word(row)),
            Code::Char('g') => self.pending = Some('g'),
            Code::Char('G') => self.go(END, 0),
            Code::Char('H') => self.go(self.top, col),
            Code::Char('M') => self.go(self.top + height / 2, col),
            Code::Char('L') => self.go(self.top + height - 1, col),
            Code::Char('{') => self.paragraph(false),
            Code::Char('}') => self.paragraph(true),
            Code::Char('/') => self.search.begin(true),
            Code::Char('?') => self.search.begin(false),
            Code::Char('n') => self.search_again(true),
            Code::Char('N') => self.search_again(false),
            Code::Char('v' | ' ') => self.select(Shape::Text),
            Code::Char('V') => self.select(Shape::Lines),
            Code::Char('y') | Code::Enter => return self.copy(),
            _ => {}
        }
        Outcome::Stay
    }

    fn control(&mut self, code: Code) -> Outcome {
        let (Spot { row, col }, half) = (self.spot, (self.height() / 2).max(1) as isize);
        match code {
            Code::Char('c' | 'g') => return Outcome::Close,
            Code::Char('u') => return self.scroll(-half),
            Code::Char('d') => return self.scroll(half),
            Code::Char('b') => self.left(),
            Code::Char('f') => self.right(),
            Code::Char('p') => self.go(row.saturating_sub(1), col),
            Code::Char('n') => self.go(row + 1, col),
            Code::Char('a') => self.go(row, 0),
            Code::Char('e') => self.go(row, self.last_col(row)),
            Code::Char('y') | Code::Up => return self.scroll(-1),
            Code::Down => return self.scroll(1),
            Code::Char('v') => self.select(Shape::Block),
            Code::Char(' ') => self.select(Shape::Text),
            Code::Char('w') => return self.copy(),
            Code::Char('s') => self.search.begin(true),
            Code::Char('r') => self.search.begin(false),
            _ => {}
        }
        Outcome::Stay
    }

    fn meta(&mut self, code: Code) -> Outcome {
        match code {
            Code::Char('v') => return self.scroll(-(self.height() as isize)),
            Code::Char('f') => self.word_on(),
            Code::Char('b') => self.word_back(),
            Code::Char('<') => self.go(0, 0),
            Code::Char('>') => self.go(END, 0),
            Code::Char('w') => return self.copy(),
            _ => {}
        }
        Outcome::Stay
    }
}
