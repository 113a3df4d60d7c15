//! The search for the parts of a target, in tmux's order: ids, exact names, prefixes, patterns.

use super::neighbors::positioned;
use super::parts::{TargetKind, TargetMissing, TargetOrigin, TargetParts, TargetPlace};
use super::pattern::matches_pattern;
use super::tree::{TargetPane, TargetSession, TargetTree, TargetWindow};

/// The fewest trailing digits of an id that stand for it: fewer would match by chance.
const DIGITS: usize = 4;

pub(super) struct Search<'t, 'a> {
    pub(super) tree: &'t TargetTree<'a>,
    pub(super) origin: TargetOrigin,
}

type Found<T> = Result<T, TargetMissing>;

fn missing<T>(kind: TargetKind, part: &str) -> Found<T> {
    Err(TargetMissing { kind, part: part.to_owned() })
}

/// The only item, if there is exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

/// The number after a sign: `%3`.
fn numbered(part: &str, sign: char) -> Option<u64> {
    part.strip_prefix(sign)?.parse().ok()
}

/// Whether a word is an id, or the last digits of one.
fn is_id(id: &impl ToString, word: &str) -> bool {
    word.len() >= DIGITS && id.to_string().ends_with(&word.to_ascii_lowercase())
}

/// How far `+`, `-2` and the like move.
fn offset(part: &str) -> Option<isize> {
    let (sign, count) = match part.split_at_checked(1)? {
        ("+", count) => (1, count),
        ("-", count) => (-1, count),
        _ => return None,
    };
    if count.is_empty() { Some(sign) } else { count.parse::<isize>().ok().map(|count| sign * count) }
}

/// A pane's index; with leading zeros it would be the last digits of an id.
fn index(part: &str) -> Option<usize> {
    part.parse::<usize>().ok().filter(|index| index.to_string() == part)
}

/// The item `by` positions after one, wrapping around.
fn moved<T>(items: &[T], at: Option<usize>, by: isize) -> Option<&T> {
    let count = isize::try_from(items.len()).ok().filter(|count| *count > 0)?;
    let at = isize::try_from(at?).ok()?;
    items.get(usize::try_from(at.checked_add(by)?.rem_euclid(count)).ok()?)
}

impl<'t, 'a> Search<'t, 'a> {
    pub(super) fn find(&self, parts: &TargetParts<'_>, kind: TargetKind) -> Found<TargetPlace> {
        match *parts {
            TargetParts { session: Some(session), window, pane, .. } => {
                self.in_session(self.session(session)?, window, pane)
            }
            TargetParts { session: None, window: Some(window), pane: Some(pane), lone } => {
                let (session, window) = self.window(window, lone)?;
                Self::place(session, window, self.pane_in(window, pane)?)
            }
            TargetParts { window: Some(window), lone, .. } => {
                let (session, window) = self.window(window, lone)?;
                Self::current(session, window)
            }
            TargetParts { pane: Some(pane), lone, .. } => self.pane(pane, lone),
            TargetParts { session: None, window: None, pane: None, .. } => {
                self.origin.place.ok_or_else(|| TargetMissing { kind, part: String::new() })
            }
        }
    }

    fn in_session(
        &self,
        session: &'t TargetSession<'a>,
        window: Option<&str>,
        pane: Option<&str>,
    ) -> Found<TargetPlace> {
        let window = match window {
            Some(window) => self.window_in(session, window)?,
            None => session.current().map_or_else(|| missing(TargetKind::Window, session.name), Ok)?,
        };
        match pane {
            Some(pane) => Self::place(session, window, self.pane_in(window, pane)?),
            None => Self::current(session, window),
        }
    }

    fn place(
        session: &TargetSession<'_>,
        window: &TargetWindow<'_>,
        pane: &TargetPane<'_>,
    ) -> Found<TargetPlace> {
        Ok(TargetPlace { session: session.id, window: window.id, pane: pane.id })
    }

    fn current(session: &TargetSession<'_>, window: &TargetWindow<'_>) -> Found<TargetPlace> {
        match window.current() {
            Some(pane) => Self::place(session, window, pane),
            None => missing(TargetKind::Pane, window.name),
        }
    }

    fn here(&self) -> Option<(&'t TargetSession<'a>, &'t TargetWindow<'a>)> {
        let place = self.origin.place?;
        let session = self.tree.sessions.iter().find(|session| session.id == place.session)?;
        let window = session.windows.iter().find(|window| window.id == place.window)?;
        Some((session, window))
    }

    fn session(&self, part: &str) -> Found<&'t TargetSession<'a>> {
        let sessions = &self.tree.sessions;
        let (exact, name) = part.strip_prefix('=').map_or((false, part), |name| (true, name));
        if let Some(number) = numbered(name, '$') {
            let found = sessions.iter().find(|session| session.number == number);
            return found.map_or_else(|| missing(TargetKind::Session, part), Ok);
        }
        let here = self.origin.place.and_then(|here| sessions.iter().position(|at| at.id == here.session));
        let by_id = |session: &&TargetSession<'_>| is_id(&session.id, name);
        let found = sessions.iter().find(|session| session.name == name);
        let found = found.or_else(|| only(sessions.iter().filter(by_id)));
        let found = found.or_else(|| offset(name).and_then(|by| moved(sessions, here, by)));
        let found = found.or_else(|| self.inexact(exact, sessions, name, |session| session.name));
        found.map_or_else(|| missing(TargetKind::Session, name), Ok)
    }

    /// The only item whose name begins with a word, or else the only one that matches it as a pattern.
    fn inexact<T>(
        &self,
        exact: bool,
        items: &'t [T],
        word: &str,
        name: impl Fn(&'t T) -> &'t str,
    ) -> Option<&'t T> {
        if exact || !self.origin.inexact || word.is_empty() {
            return None;
        }
        let mut begin = items.iter().filter(|item| name(item).starts_with(word));
        match (begin.next(), begin.next()) {
            (Some(item), None) => Some(item),
            (Some(_), Some(_)) => None,
            (None, _) => only(items.iter().filter(|item| matches_pattern(word, name(item)))),
        }
    }

    fn window(&self, part: &str, lone: bool) -> Found<(&'t TargetSession<'a>, &'t TargetWindow<'a>)> {
        let all = || {
            self.tree
                .sessions
                .iter()
                .flat_map(|session| session.windows.iter().map(move |window| (session, window)))
        };
        if let Some(number) = numbered(part, '@') {
            let found = all().find(|(_, window)| window.number == number);
            return found.map_or_else(|| missing(TargetKind::Window, part), Ok);
        }
        if let Some((session, _)) = self.here()
            && let Ok(window) = self.window_in(session, part)
        {
            return Ok((session, window));
        }
        if let Some(found) = all().find(|(_, window)| window.id.to_string() == part) {
            return Ok(found);
        }
        let session = if lone { self.session(part).ok() } else { None };
        let found = session.and_then(|session| Some((session, session.current()?)));
        found.map_or_else(|| missing(TargetKind::Window, part), Ok)
    }

    fn window_in(&self, session: &'t TargetSession<'a>, part: &str) -> Found<&'t TargetWindow<'a>> {
        let windows = &session.windows;
        let (exact, name) = part.strip_prefix('=').map_or((false, part), |name| (true, name));
        let at = match self.here() {
            Some((here, window)) if here.id == session.id => {
                windows.iter().position(|other| other.id == window.id)
            }
            _ => windows.iter().position(|window| window.active),
        };
        let by_number = |number: u64| windows.iter().find(|window| window.number == number);
        let special = match name {
            _ if exact => None,
            "!" | "{last}" => windows.iter().find(|window| Some(window.id) == session.last),
            "^" | "{start}" => windows.first(),
            "$" | "{end}" => windows.last(),
            "{next}" => moved(windows, at, 1),
            "{previous}" => moved(windows, at, -1),
            _ => offset(name).and_then(|by| moved(windows, at, by)),
        };
        let found = special.or_else(|| numbered(name, '@').and_then(by_number));
        let by_index = || {
            let index = name.parse::<usize>().ok()?;
            windows.iter().find(|window| window.index == index)
        };
        let by_name = || only(windows.iter().filter(|window| window.name == name));
        // As in tmux, an index comes before a name; `=` asks for the name.
        let found =
            found.or_else(|| if exact { by_name().or_else(by_index) } else { by_index().or_else(by_name) });
        let found = found.or_else(|| only(windows.iter().filter(|window| is_id(&window.id, name))));
        let found = found.or_else(|| self.inexact(exact, windows, name, |window| window.name));
        found.map_or_else(|| missing(TargetKind::Window, name), Ok)
    }

    fn pane(&self, part: &str, lone: bool) -> Found<TargetPlace> {
        let all = || self.tree.sessions.iter().flat_map(|session| &session.windows);
        let anywhere = |fits: &dyn Fn(&TargetPane<'_>) -> bool| {
            all().flat_map(|window| &window.panes).find(|pane| fits(pane)).map(|pane| pane.id)
        };
        let by_id = match numbered(part, '%') {
            Some(number) => anywhere(&|pane| pane.number == number),
            None => anywhere(&|pane| pane.id.to_string() == part),
        };
        if let Some(place) = by_id.and_then(|pane| self.tree.place_of_pane(pane)) {
            return Ok(place);
        }
        if let Some((session, window)) = self.here()
            && let Ok(pane) = self.pane_in(window, part)
        {
            return Self::place(session, window, pane);
        }
        match self.window(part, true).ok().filter(|_| lone && !part.starts_with('%')) {
            Some((session, window)) => Self::current(session, window),
            None => missing(TargetKind::Pane, part),
        }
    }

    fn pane_in(&self, window: &'t TargetWindow<'a>, part: &str) -> Found<&'t TargetPane<'a>> {
        let panes = &window.panes;
        let own = self.origin.place.and_then(|here| panes.iter().position(|pane| pane.id == here.pane));
        let at = own.or_else(|| panes.iter().position(|pane| pane.active));
        let special = match part {
            "!" | "{last}" => panes.iter().find(|pane| Some(pane.id) == window.last),
            "{next}" => moved(panes, at, 1),
            "{previous}" => moved(panes, at, -1),
            "@" | "{active}" | "{current}" => window.current(),
            _ => offset(part).and_then(|by| moved(panes, at, by)),
        };
        let found = special.or_else(|| positioned(window, part, at.and_then(|at| panes.get(at))));
        let found = found.or_else(|| {
            numbered(part, '%').and_then(|number| panes.iter().find(|pane| pane.number == number))
        });
        let found = found.or_else(|| {
            let index = index(part)?;
            panes.iter().find(|pane| pane.index == index)
        });
        let found = found.or_else(|| only(panes.iter().filter(|pane| pane.name == Some(part))));
        let found = found.or_else(|| only(panes.iter().filter(|pane| is_id(&pane.id, part))));
        found.map_or_else(|| missing(TargetKind::Pane, part), Ok)
    }
}
