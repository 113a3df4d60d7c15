//! The bytes that a program gets for pasted text and for a change of focus.

use crate::modes::Modes;

const OPEN: &str = "\x1b[200~";
const CLOSE: &str = "\x1b[201~";

/// Returns the bytes for pasted text, between brackets if the program asked for that. No text can close the bracket
/// itself.
pub fn paste(text: &str, modes: &Modes) -> Vec<u8> {
    paste_bytes(text.as_bytes(), modes)
}

/// The same for input that need not be text: bytes that are not UTF-8 arrive as they are.
pub fn paste_bytes(bytes: &[u8], modes: &Modes) -> Vec<u8> {
    let mut safe = Vec::with_capacity(bytes.len() + OPEN.len() + CLOSE.len());
    if modes.bracketed_paste() {
        safe.extend_from_slice(OPEN.as_bytes());
    }
    let mut after_return = false;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let first = !std::mem::replace(&mut after_return, c == '\r');
            if let Some(c) = pasted_char(c, first) {
                safe.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        after_return &= chunk.invalid().is_empty();
        safe.extend_from_slice(chunk.invalid());
    }
    if modes.bracketed_paste() {
        safe.extend_from_slice(CLOSE.as_bytes());
    }
    safe
}

/// Ends every line as Enter does, and drops controls other than tab, since they would act as commands.
fn pasted_char(c: char, first: bool) -> Option<char> {
    match c {
        '\n' => first.then_some('\r'),
        '\r' | '\t' => Some(c),
        c if c.is_control() => None,
        c => Some(c),
    }
}

/// Returns the bytes for gaining or losing the focus; none if the program did not ask.
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
    fn bytes_that_are_not_text_are_pasted_unchanged() {
        let modes = Modes::default();
        assert_eq!(
            paste_bytes(b"a\xff\xfe\xc3(\x1b\r\n\r\xe2\x82\n", &modes),
            b"a\xff\xfe\xc3(\r\r\xe2\x82\r"
        );
    }

    #[test]
    fn pasted_text_cannot_close_its_bracket() {
        assert_eq!(pasted("\x1b[?2004h", "a\x1b[201~rm\u{9b}201~\x03"), "\x1b[200~a[201~rm201~\x1b[201~");
    }
}
