//! Operating system commands: titles, colors, links, notifications, marks. What is not known is dropped.

use crate::colors::{BACKGROUND, CURSOR, FOREGROUND, MOST_SPECIAL, SPECIAL, parse};
use crate::notice::{ProgressReport, ScreenEvent};
use crate::terminal::Terminal;
use crate::text::{base64, clean, unescape_percent};

/// Titles and paths are cut to these many bytes.
pub(super) const LONGEST_TITLE: usize = 256;
const LONGEST_PATH: usize = 4096;
/// A link's address; longer ones are no links.
const LONGEST_LINK: usize = 2048;
/// What a program may put on the clipboard at once.
const LONGEST_CLIPBOARD: usize = 100 * 1024;

impl Terminal {
    pub(super) fn command(&mut self, text: &[u8], bell: bool) {
        let (number, rest) = split(text);
        match number {
            b"0" | b"2" => self.set_title(clean(rest, LONGEST_TITLE)),
            b"4" => self.palette("4", rest, bell),
            b"5" => self.palette("5", rest, bell),
            b"7" => self.working_directory(rest),
            b"8" => self.link(rest),
            b"9" => self.growl_or_progress(rest),
            b"10" | b"11" | b"12" => self.own_colors(number[1], rest, bell),
            b"52" => self.clipboard(rest),
            b"99" => self.kitty_notification(rest),
            b"104" | b"105" => self.reset_palette(number == b"105", rest),
            b"110" | b"111" | b"112" => self.reset_own_color(number[2]),
            b"133" => self.mark(rest),
            b"777" => self.rxvt_notification(rest),
            b"7501" => self.program_status(rest),
            _ => {}
        }
    }

    pub(super) fn set_title(&mut self, title: String) {
        if title != self.title {
            self.title = title;
            self.title_revision = self.revision;
            self.notice(ScreenEvent::Title(self.title.clone()));
        }
    }

    /// OSC 4 and 5: any number of pairs of number and color; `?` asks.
    fn palette(&mut self, command: &str, text: &[u8], bell: bool) {
        let mut parts = text.split(|&byte| byte == b';');
        while let (Some(number), Some(color)) = (parts.next(), parts.next()) {
            let Some(number) = decimal(number) else { continue };
            if let Some(place) = palette_place(command == "5", number) {
                self.color(place, &format!("{command};{number}"), color, bell);
            }
        }
    }

    /// OSC 10, 11, 12; further parts are for the next number.
    fn own_colors(&mut self, digit: u8, text: &[u8], bell: bool) {
        for (part, digit) in text.split(|&byte| byte == b';').zip(digit..=b'2') {
            let number = own_color(digit);
            self.color(number, &format!("1{}", char::from(digit)), part, bell);
        }
    }

    fn color(&mut self, number: u16, name: &str, value: &[u8], bell: bool) {
        if value == b"?" {
            let (r, g, b) = self.colors.get(number);
            let end = if bell { "\x07" } else { "\x1b\\" };
            self.reply(&format!("\x1b]{name};rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}{end}"));
        } else if let Some(color) = std::str::from_utf8(value).ok().and_then(parse) {
            self.colors.changed.insert(number, color);
            self.colors_revision = self.revision;
        }
    }

    fn reset_palette(&mut self, special: bool, text: &[u8]) {
        self.colors_revision = self.revision;
        if text.is_empty() {
            let all = if special { SPECIAL..u16::MAX } else { 0..256 };
            self.colors.changed.retain(|number, _| !all.contains(number));
        }
        for number in text.split(|&byte| byte == b';').filter_map(decimal) {
            if let Some(place) = palette_place(special, number) {
                self.colors.changed.remove(&place);
            }
        }
    }

    fn reset_own_color(&mut self, digit: u8) {
        self.colors.changed.remove(&own_color(digit));
        self.colors_revision = self.revision;
    }

    /// `file://host/path`; the host is not ours to judge.
    fn working_directory(&mut self, address: &[u8]) {
        let path = match address.strip_prefix(b"file://") {
            Some(rest) => rest.iter().position(|&byte| byte == b'/').map(|at| &rest[at..]),
            None => address.starts_with(b"/").then_some(address),
        };
        if let Some(path) = path {
            let path = clean(&unescape_percent(path), LONGEST_PATH);
            self.said.cwd = Some(path.clone());
            self.notice(ScreenEvent::Cwd(path));
        }
    }

    /// OSC 8. An address with controls or of an odd length is no link.
    fn link(&mut self, text: &[u8]) {
        let (_, address) = split(text);
        let safe = address.len() <= LONGEST_LINK && address.iter().all(|byte| (0x20..0x7f).contains(byte));
        let address = if safe { std::str::from_utf8(address).unwrap_or_default() } else { "" };
        if self.tables.want_tidying() {
            self.tidy();
        }
        self.caret.style.link = self.tables.link_number(address);
        self.pen_is_old = true;
    }

    /// OSC 9 is a notification, but ConEmu has made numbers of some of them.
    fn growl_or_progress(&mut self, text: &[u8]) {
        let (number, rest) = split(text);
        match number {
            b"4" => self.progress(rest),
            b"9" => self.working_directory(rest.strip_prefix(b"\"").unwrap_or(rest)),
            b"1" | b"2" | b"3" | b"5" | b"6" | b"7" | b"8" | b"10" | b"11" | b"12" => {}
            _ => self.notification(b"", text),
        }
    }

    fn progress(&mut self, text: &[u8]) {
        let (state, rest) = split(text);
        let percent = decimal(rest).unwrap_or(0).min(100) as u8;
        self.said.progress = match state {
            b"0" | b"" => ProgressReport::None,
            b"1" => ProgressReport::Percent(percent),
            b"2" => ProgressReport::Error(percent),
            b"3" => ProgressReport::Busy,
            b"4" => ProgressReport::Paused(percent),
            _ => return,
        };
        self.notice(ScreenEvent::Progress(self.said.progress));
    }

    /// OSC 52: writing only. A program that could read the clipboard could read passwords.
    fn clipboard(&mut self, text: &[u8]) {
        let (selection, data) = split(text);
        let selection = selection.first().map_or('c', |&byte| char::from(byte));
        if data == b"?" || !selection.is_ascii_alphanumeric() {
            return;
        }
        let text = base64(data).filter(|text| text.len() <= LONGEST_CLIPBOARD);
        if let Some(text) = text.and_then(|text| String::from_utf8(text).ok()) {
            self.notice(ScreenEvent::Clipboard { selection, text });
        }
    }
}

/// What stands before the first semicolon, and after it.
pub(super) fn split(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|&byte| byte == b';') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, b""),
    }
}

pub(super) fn decimal(text: &[u8]) -> Option<u16> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Where a color of OSC 4 or 5 is kept: OSC 4 counts the special ones after its 256.
fn palette_place(special: bool, number: u16) -> Option<u16> {
    match number {
        n if special => (n < MOST_SPECIAL).then_some(SPECIAL + n),
        0..256 => Some(number),
        n => (n - 256 < MOST_SPECIAL).then_some(SPECIAL + n - 256),
    }
}

fn own_color(digit: u8) -> u16 {
    match digit {
        b'0' => FOREGROUND,
        b'1' => BACKGROUND,
        _ => CURSOR,
    }
}
