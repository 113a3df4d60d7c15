//! Operating system commands: titles, links, notifications, clipboard, marks. Unknown ones are dropped.

use crate::events::{ProgressReport, ScreenEvent};
use crate::terminal::Terminal;
use crate::untrusted_text::{base64_decode, clean, percent_decode};

/// Titles and paths are cut to this many bytes.
pub(super) const LONGEST_TITLE: usize = 256;
const LONGEST_PATH: usize = 4096;
/// An address longer than this is not a link.
const LONGEST_LINK: usize = 2048;
/// The most text that a program may put on the clipboard at once.
const LONGEST_CLIPBOARD: usize = 100 * 1024;

impl Terminal {
    pub(super) fn os_command(&mut self, text: &[u8], bell: bool) {
        let (number, rest) = split(text);
        match number {
            b"0" | b"2" => self.set_title(clean(rest, LONGEST_TITLE)),
            b"4" => self.palette_colors("4", rest, bell),
            b"5" => self.palette_colors("5", rest, bell),
            b"7" => self.set_working_directory(rest),
            b"8" => self.set_link(rest),
            b"9" => self.notification_or_progress(rest),
            b"10" | b"11" | b"12" => self.dynamic_colors(number[1], rest, bell),
            b"52" => self.set_clipboard(rest),
            b"99" => self.kitty_notification(rest),
            b"104" | b"105" => self.reset_palette(number == b"105", rest),
            b"110" | b"111" | b"112" => self.reset_dynamic_color(number[2]),
            b"133" => self.prompt_mark(rest),
            b"777" => self.rxvt_notification(rest),
            b"7501" => self.program_status(rest),
            _ => {}
        }
    }

    pub(super) fn set_title(&mut self, title: String) {
        if self.reports.title.set(title.clone(), self.revisions.current) {
            self.event(ScreenEvent::Title(title));
        }
    }

    /// Takes `file://host/path` or a path. The host is ignored.
    fn set_working_directory(&mut self, address: &[u8]) {
        let path = match address.strip_prefix(b"file://") {
            Some(rest) => rest.iter().position(|&byte| byte == b'/').map(|at| &rest[at..]),
            None => address.starts_with(b"/").then_some(address),
        };
        if let Some(path) = path {
            let path = clean(&percent_decode(path), LONGEST_PATH);
            self.reports.cwd = Some(path.clone());
            self.event(ScreenEvent::Cwd(path));
        }
    }

    /// OSC 8. An address with controls, or one that is too long, is not a link.
    fn set_link(&mut self, text: &[u8]) {
        let (_, address) = split(text);
        let safe = address.len() <= LONGEST_LINK && address.iter().all(|byte| (0x20..0x7f).contains(byte));
        let address = if safe { std::str::from_utf8(address).unwrap_or_default() } else { "" };
        self.compact_interner_if_full();
        self.caret.style.link = self.interner.link_number(address);
        self.pen.stale = true;
    }

    /// OSC 9 is a notification, but ConEmu gave some numbers a meaning of their own.
    fn notification_or_progress(&mut self, text: &[u8]) {
        let (number, rest) = split(text);
        match number {
            b"4" => self.set_progress(rest),
            b"9" => self.set_working_directory(rest.strip_prefix(b"\"").unwrap_or(rest)),
            b"1" | b"2" | b"3" | b"5" | b"6" | b"7" | b"8" | b"10" | b"11" | b"12" => {}
            _ => self.notification(b"", text),
        }
    }

    fn set_progress(&mut self, text: &[u8]) {
        let (state, rest) = split(text);
        let percent = decimal(rest).unwrap_or(0).min(100) as u8;
        self.reports.progress = match state {
            b"0" | b"" => ProgressReport::None,
            b"1" => ProgressReport::Percent(percent),
            b"2" => ProgressReport::Error(percent),
            b"3" => ProgressReport::Busy,
            b"4" => ProgressReport::Paused(percent),
            _ => return,
        };
        self.event(ScreenEvent::Progress(self.reports.progress));
    }

    /// OSC 52. Only writing is allowed: a program that reads the clipboard could read passwords. A list of selections
    /// counts as the clipboard only if it contains it, or is empty.
    fn set_clipboard(&mut self, text: &[u8]) {
        let (selections, data) = split(text);
        let first = selections.first().map_or('c', |&byte| char::from(byte));
        let selection = if selections.contains(&b'c') { 'c' } else { first };
        if data == b"?" || !selection.is_ascii_alphanumeric() {
            return;
        }
        let text = base64_decode(data).filter(|text| text.len() <= LONGEST_CLIPBOARD);
        if let Some(text) = text.and_then(|text| String::from_utf8(text).ok()) {
            self.event(ScreenEvent::Clipboard { selection, text });
        }
    }
}

/// Splits at the first semicolon.
pub(super) fn split(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|&byte| byte == b';') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, b""),
    }
}

pub(super) fn decimal(text: &[u8]) -> Option<u16> {
    std::str::from_utf8(text).ok()?.parse().ok()
}
