//! Decodes what the outer terminal sends: keys, the mouse, pastes, replies. Bytes come in any pieces, and an unknown
//! sequence is skipped without affecting what follows.
//!
//! It is our own and not a library's (termina, crossterm), because the client must wait for the terminal, the daemon
//! and signals in one poll, needs the kitty keyboard's shifted forms, and pastes bytes that need not be text.

use std::time::{Duration, Instant};

use fugue_screen::keys::{Code, Key};
use fugue_screen::mouse::MouseEvent;

use super::input_parser::{ParsedInput, parse};
use super::terminal_replies::TerminalReply;
use crate::command::CommandOrigin;
use crate::tree::TreeSnapshot;

/// How long an escape alone waits for the rest of a sequence: long enough for ssh.
const ALONE: Duration = Duration::from_millis(25);

/// How long a sequence that has begun is waited for: over a slow line it comes in pieces, and nobody types one by hand.
const BEGUN: Duration = Duration::from_secs(1);

const PASTE_END: &[u8] = b"\x1b[201~";

/// The longest paste: as much as may wait while the daemon is away.
pub(crate) const MAX_PASTE: usize = 16 << 20;

/// How long a paste that has begun may be silent. Its end may have been lost, and until it comes every key is part of the
/// paste.
const PASTE_SILENCE: Duration = Duration::from_secs(5);

/// After a paste was silent for too long, this many bytes at once are the rest of it, delayed by a slow line: nobody types
/// them.
const REST_OF_PASTE: usize = 64;

/// One input from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TerminalInput {
    Key(Key),
    /// A key with Meta that came as an escape and a character. It may have been the escape key and then the character.
    EscapedKey(Key),
    Mouse(MouseEvent),
    /// Pasted bytes, which need not be text.
    Paste(Vec<u8>),
    /// What went wrong with a paste, after as much of it as there is.
    PasteProblem(PasteProblem),
    Focus(bool),
    /// The rest of a command line, which waits as keys do.
    Line(DeferredLine),
    /// A reply of the terminal.
    Reply(TerminalReply),
}

/// What went wrong with a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasteProblem {
    /// Its end did not come. What came of it is pasted.
    NoEnd,
    /// It was longer than [`MAX_PASTE`]. Nothing of it is pasted.
    TooLong,
}

/// The rest of a command line, where the line comes from, and what the person saw when the overlay that led to it opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeferredLine {
    pub(crate) text: String,
    pub(crate) origin: CommandOrigin,
    pub(crate) from: Option<TreeSnapshot>,
}

impl TerminalInput {
    /// The key, if it is one.
    pub(crate) fn key(&self) -> Option<Key> {
        match self {
            Self::Key(key) | Self::EscapedKey(key) => Some(*key),
            _ => None,
        }
    }
}

/// A paste that has not ended.
#[derive(Debug, Default)]
struct OpenPaste {
    bytes: Vec<u8>,
    is_too_long: bool,
    /// When bytes came last.
    heard_at: Option<Instant>,
}

impl OpenPaste {
    fn extend(&mut self, bytes: impl ExactSizeIterator<Item = u8>) {
        self.is_too_long |= self.bytes.len() + bytes.len() > MAX_PASTE;
        match self.is_too_long {
            true => self.bytes = Vec::new(),
            false => self.bytes.extend(bytes),
        }
    }

    fn into_input(self) -> TerminalInput {
        match self.is_too_long {
            true => TerminalInput::PasteProblem(PasteProblem::TooLong),
            false => TerminalInput::Paste(self.bytes),
        }
    }
}

/// Decodes bytes from the terminal.
#[derive(Debug, Default)]
pub(crate) struct InputDecoder {
    held: Vec<u8>,
    /// A paste that has not ended.
    paste: Option<OpenPaste>,
    /// The last paste ended without its end, which may still come.
    lacks_end: bool,
    /// Since when a sequence is unfinished.
    unfinished: Option<Instant>,
}

impl InputDecoder {
    /// Decodes bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8], now: Instant) -> Vec<TerminalInput> {
        if std::mem::take(&mut self.lacks_end) && bytes.len() >= REST_OF_PASTE {
            self.paste = Some(OpenPaste::default());
        }
        self.held.extend_from_slice(bytes);
        let mut typed = Vec::new();
        while let Some(next) = self.next() {
            typed.extend(next);
        }
        self.paste.iter_mut().for_each(|paste| paste.heard_at = Some(now));
        // A character of several bytes waits for its rest, however slow the line is.
        let sequence = self.held.first() == Some(&0x1b) && self.paste.is_none();
        self.unfinished = sequence.then_some(now);
        typed
    }

    /// When an unfinished sequence expires.
    pub(crate) fn due(&self) -> Option<Instant> {
        if let Some(paste) = &self.paste {
            return paste.heard_at.map(|at| at + PASTE_SILENCE);
        }
        // An escape and one character may be a key with Meta.
        let patience = if self.held.len() > 2 { BEGUN } else { ALONE };
        self.unfinished.map(|since| since + patience)
    }

    /// Gives up on a paste without its end, or on an unfinished sequence: an escape is the key, and a character after it is typed. Nothing of a longer
    /// sequence is typed.
    pub(crate) fn expire(&mut self, now: Instant) -> Vec<TerminalInput> {
        self.unfinished = None;
        if let Some(mut paste) = self.paste.take() {
            paste.extend(self.held.drain(..));
            self.lacks_end = true;
            return vec![paste.into_input(), TerminalInput::PasteProblem(PasteProblem::NoEnd)];
        }
        match self.held.first() {
            Some(0x1b) if self.held.len() <= 2 => {
                let rest = std::mem::take(&mut self.held);
                let mut typed = vec![TerminalInput::Key(Key::plain(Code::Escape))];
                typed.extend(self.feed(&rest[1..], now));
                typed
            }
            _ => {
                self.held.clear();
                Vec::new()
            }
        }
    }

    /// The next input, or that there is none in some bytes; `None` when more bytes are needed.
    fn next(&mut self) -> Option<Option<TerminalInput>> {
        if self.paste.is_some() {
            return self.pasted().map(Some);
        }
        match parse(&self.held) {
            ParsedInput::More => None,
            ParsedInput::Paste(count) => {
                self.held.drain(..count);
                self.paste = Some(OpenPaste::default());
                Some(None)
            }
            ParsedInput::Input(count, typed) => {
                self.held.drain(..count);
                Some(typed)
            }
        }
    }

    /// The paste, once its end is there.
    fn pasted(&mut self) -> Option<TerminalInput> {
        let paste = self.paste.as_mut()?;
        let Some(end) = memchr::memmem::find(&self.held, PASTE_END) else {
            // The end may be split between two reads.
            let sure = self.held.len().saturating_sub(PASTE_END.len() - 1);
            paste.extend(self.held.drain(..sure));
            return None;
        };
        paste.extend(self.held.drain(..end));
        self.held.drain(..PASTE_END.len());
        self.paste.take().map(OpenPaste::into_input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inputs in words; the bytes are decoded whole and one by one.
    fn seen(bytes: &[u8]) -> String {
        let now = Instant::now();
        let whole = InputDecoder::default().feed(bytes, now);
        let mut input = InputDecoder::default();
        let pieces: Vec<_> = bytes.chunks(1).flat_map(|byte| input.feed(byte, now)).collect();
        assert_eq!(whole, pieces, "{}", String::from_utf8_lossy(bytes).escape_debug());
        whole.iter().map(words).collect::<Vec<_>>().join(" ")
    }

    fn words(typed: &TerminalInput) -> String {
        match typed {
            TerminalInput::Key(key) | TerminalInput::EscapedKey(key) => key.to_string(),
            TerminalInput::Mouse(mouse) => format!("{:?}@{},{}", mouse.action, mouse.col, mouse.row),
            TerminalInput::Paste(bytes) => format!("paste:{}", bytes.escape_ascii()),
            TerminalInput::PasteProblem(problem) => format!("{problem:?}"),
            TerminalInput::Focus(gained) => format!("focus:{gained}"),
            TerminalInput::Line(line) => format!("line:{}", line.text),
            TerminalInput::Reply(reply) => format!("{reply:?}"),
        }
    }

    #[test]
    fn keys_are_decoded_in_legacy_and_kitty_encodings() {
        for (bytes, keys) in [
            ("aé\r\t\x7f", "a é Enter Tab Backspace"),
            ("\x01\x02\0\x1c\x1f", "C-a C-b C-Space C-\\ C-_"),
            ("\x1bx\x1b\x01\x1b\r", "M-x C-M-a M-Enter"),
            ("\x1b[A\x1bOA\x1b[1;5C\x1b[1;3D", "Up Up C-Right M-Left"),
            ("\x1b[3~\x1b[5;2~\x1b[H\x1bOF\x1b[Z", "Delete S-PageUp Home End S-Tab"),
            ("\x1bOP\x1b[15~\x1b[24;5~", "F1 F5 C-F12"),
            ("\x1b[13;2u\x1b[27u\x1b[98;5u\x1b[53:37;4u", "S-Enter Escape C-b M-%"),
            ("\x1b[97:65;6u\x1b[27;2;13~", "C-A S-Enter"),
            ("\x1b[57399u\x1b[57414u", "0 Enter"),
        ] {
            assert_eq!(seen(bytes.as_bytes()), keys);
        }
    }

    #[test]
    fn mouse_focus_and_paste_are_decoded() {
        assert_eq!(seen(b"\x1b[<0;5;2M\x1b[<0;5;2m"), "Press(Left)@4,1 Release(Left)@4,1");
        assert_eq!(seen(b"\x1b[<64;1;1M\x1b[<32;9;9M"), "Press(WheelUp)@0,0 Move(Some(Left))@8,8");
        assert_eq!(seen(b"\x1b[Ix\x1b[O"), "focus:true x focus:false");
        assert_eq!(seen(b"\x1b[200~one\r\x1b[A\x1b[201~x"), "paste:one\\r\\x1b[A x");
        assert_eq!(seen(b"\x1b[200~\xff\xfe\x1b[201~"), "paste:\\xff\\xfe");
    }

    #[test]
    fn unknown_sequences_are_skipped() {
        assert_eq!(
            seen(b"\x1b[?62;4c\x1b[?1;2ca"),
            "Attributes { sixel: true } Attributes { sixel: false } a"
        );
        assert_eq!(seen(b"\x1b[6;20;10t\x1b[4;1;1ta"), "CellSize(10, 20) a");
        assert_eq!(seen(b"\x1b[>1;2;3ca\x1b]4;rgb:0/0/0\x1b\\b\x1bP1+r\x1b\\c\x1b[?998;1nd"), "a b c d");
        assert_eq!(seen(b"\xff\xfeq\x1b[1;1;1;1;1;1Xq"), "q q");
    }

    #[test]
    fn a_lone_escape_is_a_key_after_a_moment() {
        let now = Instant::now();
        let mut input = InputDecoder::default();
        assert_eq!(input.feed(b"\x1b", now), []);
        assert_eq!(input.due(), Some(now + ALONE));
        assert_eq!(input.expire(now), [TerminalInput::Key(Key::plain(Code::Escape))]);
        assert_eq!(input.due(), None);
    }

    #[test]
    fn a_paste_without_its_end_is_pasted_after_a_silence_and_keys_work_again() {
        let now = Instant::now();
        let mut input = InputDecoder::default();
        assert_eq!(input.feed(b"\x1b[200~one\x1b[20", now), []);
        let later = now + PASTE_SILENCE / 2;
        assert_eq!(input.feed(b"x", later), [], "part of the paste, as far as anybody knows");
        assert_eq!(input.due(), Some(later + PASTE_SILENCE));
        let seen: Vec<String> = input.expire(later + PASTE_SILENCE).iter().map(words).collect();
        assert_eq!(seen, ["paste:one\\x1b[20x", "NoEnd"]);
        assert_eq!(
            (input.due(), input.feed(b"q", later).iter().map(words).collect()),
            (None, "q".to_owned())
        );
    }

    #[test]
    fn the_rest_of_a_paste_over_a_line_that_stood_still_is_not_typed() {
        let now = Instant::now();
        let mut input = InputDecoder::default();
        input.feed(b"\x1b[200~one", now);
        input.expire(now + PASTE_SILENCE);
        let rest = [&[b'a'; REST_OF_PASTE][..], b"\r\x1b[201~q"].concat();
        let seen: Vec<String> = input.feed(&rest, now).iter().map(words).collect();
        assert_eq!(seen, [format!("paste:{}\\r", "a".repeat(REST_OF_PASTE)), "q".to_owned()]);
    }

    #[test]
    fn a_paste_that_is_too_long_is_not_kept_and_not_pasted_in_part() {
        let now = Instant::now();
        let mut input = InputDecoder::default();
        input.feed(b"\x1b[200~", now);
        for _ in 0..3 {
            assert_eq!(input.feed(&vec![b'a'; MAX_PASTE / 2], now), []);
        }
        assert!(input.paste.as_ref().is_some_and(|paste| paste.bytes.is_empty()));
        assert_eq!(input.feed(b"\x1b[201~", now), [TerminalInput::PasteProblem(PasteProblem::TooLong)]);
        input.feed(b"\x1b[200~", now);
        let longest: Vec<_> = [input.feed(&vec![b'a'; MAX_PASTE], now), input.feed(PASTE_END, now)].concat();
        assert!(matches!(longest.as_slice(), [TerminalInput::Paste(bytes)] if bytes.len() == MAX_PASTE));
    }

    #[test]
    fn a_partial_character_is_completed_by_later_input() {
        let now = Instant::now();
        let mut input = InputDecoder::default();
        let typed: Vec<TerminalInput> = "é😀"
            .bytes()
            .flat_map(|byte| {
                let typed = input.feed(&[byte], now);
                assert_eq!(input.due(), None, "no time ends it");
                typed
            })
            .collect();
        assert_eq!(typed, ['é', '😀'].map(|c| TerminalInput::Key(Key::plain(Code::Char(c)))));
        assert_eq!(input.feed(b"\xc3", now), []);
        assert_eq!(input.feed(b"a", now), [TerminalInput::Key(Key::plain(Code::Char('a')))]);
    }

    #[test]
    fn a_partial_sequence_is_completed_by_later_input_and_never_typed() {
        let now = Instant::now();
        let mut input = InputDecoder::default();
        assert_eq!(input.feed(b"\x1b[<0;5", now), []);
        assert_eq!(input.due(), Some(now + BEGUN));
        assert_eq!(input.feed(b";2Mx", now).iter().map(words).collect::<Vec<_>>(), ["Press(Left)@4,1", "x"]);
        assert_eq!(input.feed(b"\x1b[<0;5", now), []);
        assert_eq!(input.expire(now), []);
        assert_eq!(input.feed(b"y", now).iter().map(words).collect::<Vec<_>>(), ["y"]);
    }
}
