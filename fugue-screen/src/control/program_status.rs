//! OSC 7501, the Program Status Protocol: a program reports whether it works, waits or is done.

use crate::events::{BlockedBy, ProgramState, ProgramStatus, ScreenEvent};
use crate::terminal::Terminal;
use crate::untrusted_text::base64_decode;

/// Limits of the protocol, in bytes.
const LONGEST_REPORT: usize = 4096;
const LONGEST_ID: usize = 128;
const LONGEST_SEGMENT: usize = 32;
const MOST_SEGMENTS: usize = 8;
const LONGEST_TITLE: usize = 192;
const LONGEST_MESSAGE: usize = 2048;

impl Terminal {
    pub(super) fn program_status(&mut self, text: &[u8]) {
        if text == b"?" {
            self.reply("\x1b]7501;?\x1b\\");
        } else if let Some(status) = std::str::from_utf8(text).ok().and_then(parse) {
            self.reports.status(&status);
            self.event(ScreenEvent::ProgramStatus(status));
        }
    }
}

/// Parses a report. One invalid part makes all of it invalid.
fn parse(text: &str) -> Option<ProgramStatus> {
    if text.len() > LONGEST_REPORT {
        return None;
    }
    let pairs: Vec<(&str, &str)> = text.split(':').filter_map(|pair| pair.split_once('=')).collect();
    let value = |key: &str| pairs.iter().find(|(known, _)| *known == key).map(|&(_, value)| value);
    let state = state(value("state")?)?;
    Some(ProgramStatus {
        state,
        id: id(value("id").unwrap_or(""))?.to_owned(),
        kind: value("kind").filter(|_| state == ProgramState::Blocked).and_then(kind),
        progress: value("progress").and_then(|n| n.parse().ok()).filter(|&n| n <= 100),
        app: value("app").map(|name| segment(name).map(str::to_owned)).transpose()?,
        title: value("title").map(|text| decoded(text, LONGEST_TITLE)).transpose()?,
        message: value("msg").map(|text| decoded(text, LONGEST_MESSAGE)).transpose()?,
    })
}

trait Transpose<T> {
    fn transpose(self) -> Option<Option<T>>;
}

impl<T> Transpose<T> for Option<Option<T>> {
    /// Returns `None` only for a value that is present and invalid.
    fn transpose(self) -> Self {
        match self {
            None => Some(None),
            Some(None) => None,
            Some(some) => Some(some),
        }
    }
}

fn state(name: &str) -> Option<ProgramState> {
    Some(match name {
        "idle" => ProgramState::Idle,
        "working" => ProgramState::Working,
        "done" => ProgramState::Done,
        "blocked" => ProgramState::Blocked,
        "error" => ProgramState::Error,
        "clear" => ProgramState::Clear,
        _ => return None,
    })
}

fn kind(name: &str) -> Option<BlockedBy> {
    Some(match name {
        "permission" => BlockedBy::Permission,
        "question" => BlockedBy::Question,
        "auth" => BlockedBy::Auth,
        _ => return None,
    })
}

fn id(path: &str) -> Option<&str> {
    let good = path.len() <= LONGEST_ID && path.split('/').count() <= MOST_SEGMENTS;
    (path.is_empty() || good && path.split('/').all(|part| segment(part).is_some())).then_some(path)
}

fn segment(text: &str) -> Option<&str> {
    let good = (1..=LONGEST_SEGMENT).contains(&text.len());
    let letters = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte));
    (good && letters).then_some(text)
}

fn decoded(text: &str, longest: usize) -> Option<String> {
    let text = String::from_utf8(base64_decode(text.as_bytes())?).ok()?;
    (text.len() <= longest && !text.chars().any(char::is_control)).then_some(text)
}
