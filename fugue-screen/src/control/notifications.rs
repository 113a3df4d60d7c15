//! Desktop notifications (OSC 9, 99, 777).

use super::osc::{LONGEST_TITLE, split};
use crate::events::ScreenEvent;
use crate::program_reports::PartialNotification;
use crate::terminal::Terminal;
use crate::untrusted_text::{base64_decode, clean};

/// A notification's text is cut to this many bytes.
const LONGEST_BODY: usize = 2048;
/// The id of a notification that arrives in pieces is cut to this many bytes, which are enough to distinguish two.
const LONGEST_ID: usize = 64;

impl Terminal {
    pub(super) fn rxvt_notification(&mut self, text: &[u8]) {
        if let Some(rest) = text.strip_prefix(b"notify;") {
            let (title, body) = split(rest);
            self.notification(title, body);
        }
    }

    /// OSC 99: title and body, each in one piece or several (`d=0` until the last). Other parts are dropped.
    pub(super) fn kitty_notification(&mut self, text: &[u8]) {
        let (keys, payload) = split(text);
        let value = |wanted: u8| {
            let keys = keys.split(|&byte| byte == b':');
            keys.filter_map(|key| key.split_first())
                .find_map(|(&name, rest)| rest.strip_prefix(b"=").filter(|_| name == wanted))
        };
        let payload = match value(b'e') {
            Some(b"1") => base64_decode(payload),
            _ => Some(payload.to_vec()),
        };
        let Some(payload) = payload else { return };
        let id = clean(value(b'i').unwrap_or_default(), LONGEST_ID);
        let before = self.reports.unfinished.take().filter(|unfinished| unfinished.id == id);
        let mut whole =
            before.unwrap_or_else(|| Box::new(PartialNotification { id, ..PartialNotification::default() }));
        match value(b'p').unwrap_or(b"title") {
            b"title" => append(&mut whole.title, &payload, LONGEST_TITLE),
            b"body" => append(&mut whole.body, &payload, LONGEST_BODY),
            _ => {}
        }
        match value(b'd') {
            Some(b"0") => self.reports.unfinished = Some(whole),
            _ => self.notification(&whole.title, &whole.body),
        }
    }

    pub(super) fn notification(&mut self, title: &[u8], body: &[u8]) {
        let (title, body) = (clean(title, LONGEST_TITLE), clean(body, LONGEST_BODY));
        if !(title.is_empty() && body.is_empty()) {
            self.event(ScreenEvent::Notification { title, body });
        }
    }
}

/// Appends a piece. Pieces may split a character, so they are joined as bytes.
fn append(text: &mut Vec<u8>, piece: &[u8], longest: usize) {
    let room = longest.saturating_sub(text.len());
    text.extend_from_slice(&piece[..piece.len().min(room)]);
}
