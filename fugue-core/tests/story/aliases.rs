//! Readable aliases for ids: a letter for a pane, the name of a window or session.

use std::collections::BTreeMap;

use fugue_protocol::{Event, MessageId, PaneId, SessionId, WindowId};

#[derive(Default)]
pub(crate) struct Aliases {
    panes: BTreeMap<PaneId, String>,
    windows: BTreeMap<WindowId, String>,
    sessions: BTreeMap<SessionId, String>,
    messages: BTreeMap<MessageId, String>,
}

impl Aliases {
    /// Records what was created or renamed.
    pub(crate) fn learn(&mut self, events: &[Event]) {
        for event in events {
            match event {
                Event::SessionCreated(e) => drop(self.sessions.insert(e.session, e.name.to_string())),
                Event::SessionRenamed { session, name } => {
                    drop(self.sessions.insert(*session, name.to_string()));
                }
                Event::WindowOpened(e) => drop(self.windows.insert(e.window, e.name.to_string())),
                Event::WindowRenamed { window, name } => {
                    drop(self.windows.insert(*window, name.to_string()));
                }
                Event::PaneOpened(e) => drop(self.panes.insert(e.pane, letter(self.panes.len()))),
                Event::MessageSent(e) => {
                    let name = format!("m{}", self.messages.len() + 1);
                    self.messages.insert(e.message, name);
                }
                _ => {}
            }
        }
    }

    pub(crate) fn pane(&self, letter: &str) -> PaneId {
        *key(&self.panes, letter).unwrap_or_else(|| panic!("no pane {letter}"))
    }

    /// Every pane that exists or existed.
    pub(crate) fn panes(&self) -> impl Iterator<Item = PaneId> {
        self.panes.keys().copied()
    }

    /// A pane's letter, or `new` if it is not known yet.
    pub(crate) fn pane_name(&self, pane: PaneId) -> &str {
        self.panes.get(&pane).map_or("new", String::as_str)
    }

    pub(crate) fn window_name(&self, window: WindowId) -> &str {
        self.windows.get(&window).map_or("new", String::as_str)
    }

    pub(crate) fn session_name(&self, session: SessionId) -> &str {
        self.sessions.get(&session).map_or("new", String::as_str)
    }

    /// A message's name: m1, m2, in the order in which they were sent.
    pub(crate) fn message_name(&self, message: MessageId) -> &str {
        self.messages.get(&message).map_or("new", String::as_str)
    }

    pub(crate) fn message(&self, name: &str) -> MessageId {
        *key(&self.messages, name).unwrap_or_else(|| panic!("no message {name}"))
    }

    /// The text with ids replaced by aliases. It can have megabytes.
    pub(crate) fn with_names(&self, text: &str) -> String {
        let (mut named, mut rest) = (String::new(), text);
        while let Some((before, id, after)) = split_at_id(rest) {
            named += before;
            named += self.name(id).as_deref().unwrap_or(id);
            rest = after;
        }
        named + rest
    }

    fn name(&self, id: &str) -> Option<String> {
        let pane = || Some(format!("%{}", self.panes.get(&id.parse().ok()?)?));
        let window = || Some(format!("@{}", self.windows.get(&id.parse().ok()?)?));
        let session = || Some(format!("${}", self.sessions.get(&id.parse().ok()?)?));
        let message = || Some(format!("!{}", self.messages.get(&id.parse().ok()?)?));
        pane().or_else(window).or_else(session).or_else(message)
    }

    /// The line with aliases replaced by ids.
    pub(crate) fn with_ids(&self, line: &str) -> String {
        let word = |word: &str| match word.split_once(':') {
            // The scope of an option.
            Some((kind @ ("session" | "window" | "pane"), alias)) => {
                format!("{kind}:{}", self.with_id(alias))
            }
            _ => self.with_id(word),
        };
        line.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }

    fn with_id(&self, word: &str) -> String {
        let found = if let Some(pane) = word.strip_prefix('%') {
            let (letter, short) = pane.strip_suffix('~').map_or((pane, false), |letter| (letter, true));
            key(&self.panes, letter).map(|id| if short { id.short() } else { id.to_string() })
        } else if let Some(message) = word.strip_prefix('!') {
            key(&self.messages, message).map(ToString::to_string)
        } else if let Some(window) = word.strip_prefix('@') {
            key(&self.windows, window).map(ToString::to_string)
        } else {
            word.strip_prefix('$').and_then(|session| key(&self.sessions, session).map(ToString::to_string))
        };
        found.unwrap_or_else(|| word.to_owned())
    }
}

fn key<'a, Id: Ord>(names: &'a BTreeMap<Id, String>, wanted: &str) -> Option<&'a Id> {
    names.iter().rev().find(|(_, name)| *name == wanted).map(|(id, _)| id)
}

/// The length of an id and the positions of its hyphens.
const ID_LENGTH: usize = 36;
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// What is before the first id in a text, the id, and what follows it.
fn split_at_id(text: &str) -> Option<(&str, &str, &str)> {
    let bytes = text.as_bytes();
    let is_id = |at: usize| {
        let candidate = bytes.get(at..at + ID_LENGTH);
        candidate.is_some_and(|id| {
            id.iter().enumerate().all(|(at, byte)| match HYPHENS.contains(&at) {
                true => *byte == b'-',
                false => byte.is_ascii_hexdigit(),
            })
        })
    };
    let starts = memchr::memchr_iter(b'-', bytes).filter_map(|hyphen| hyphen.checked_sub(HYPHENS[0]));
    let at = starts.into_iter().find(|at| is_id(*at))?;
    Some((&text[..at], &text[at..at + ID_LENGTH], &text[at + ID_LENGTH..]))
}

fn letter(at: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(at % 26).unwrap_or_default());
    if at < 26 { letter.to_string() } else { format!("{letter}{}", at / 26) }
}
