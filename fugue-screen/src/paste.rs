//! Text for a program in one piece, and the news that it has the focus.

use crate::modes::Modes;

const OPEN: &str = "\x1b[200~";
const CLOSE: &str = "\x1b[201~";

/// What the program gets for pasted text: between brackets if it asked for that. No text can close the bracket itself.
pub fn paste(text: &str, modes: &Modes) -> Vec<u8> {
    let safe: String = text.chars().filter_map(typed).collect();
    let safe = safe.replace("\r\n", "\r").replace('\n', "\r");
    match modes.bracketed_paste() {
        true => [OPEN, &safe, CLOSE].concat().into_bytes(),
        false => safe.into_bytes(),
    }
}

/// Controls other than tab and line ends are left out: in a paste they are commands to whoever reads it.
fn typed(c: char) -> Option<char> {
    match c {
        '\n' | '\r' | '\t' => Some(c),
        c if c.is_control() => None,
        c => Some(c),
    }
}

/// What the program gets when its pane gains or loses the focus; nothing if it did not ask.
pub fn focus(gained: bool, modes: &Modes) -> Vec<u8> {
    match (modes.focus_events(), gained) {
        (false, _) => Vec::new(),
        (true, true) => b"\x1b[I".to_vec(),
        (true, false) => b"\x1b[O".to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Screen, Size};

    fn pasted(setup: &str, text: &str) -> String {
        let mut screen = Screen::new(Size { cols: 80, rows: 24 }, Limits::default());
        screen.feed(setup.as_bytes());
        String::from_utf8_lossy(&paste(text, screen.modes())).into_owned()
    }

    #[test]
    fn pasted_text_is_bracketed_when_the_program_asked_for_it() {
        assert_eq!(pasted("", "one\ntwo"), "one\rtwo");
        assert_eq!(pasted("\x1b[?2004h", "one\r\ntwo"), "\x1b[200~one\rtwo\x1b[201~");
    }

    #[test]
    fn pasted_text_cannot_leave_its_bracket() {
        assert_eq!(pasted("\x1b[?2004h", "a\x1b[201~rm\u{9b}201~\x03"), "\x1b[200~a[201~rm201~\x1b[201~");
    }
}
