//! The place in a session that a command gives a window: what its target means, and the moves that lead there.

use fugue_protocol::targets::{TargetKind, TargetParts, TargetPlace};
use fugue_protocol::verbs::{KillWindow, MoveWindow, SelectWindow, SwapWindows};
use fugue_protocol::{SessionId, SessionRef, WindowId, WindowRef};

use crate::context::{LineContext, window_choice};
use crate::flags::Flags;

/// A place for a window.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowPlace {
    /// The session, as its current place.
    pub(super) at: TargetPlace,
    /// The index; none for the first free one.
    pub(super) index: Option<usize>,
    /// Whether the windows from there on make room (`-a` and `-b`).
    makes_room: bool,
}

impl WindowPlace {
    /// The place that `-t`, `-a` and `-b` give: `work:` is the first free index, `work:3` that one, `+` the one after the
    /// current window, and a window that exists the index that it has.
    pub(super) fn of(cx: &LineContext, given: &Flags) -> Result<Self, String> {
        let (at, index) = named(cx, given.target().unwrap_or_default())?;
        let makes_room = given.has('a') || given.has('b');
        if !makes_room {
            return Ok(Self { at, index, makes_room });
        }
        let windows = windows(cx, at.session);
        let taken = windows.iter().find(|(other, _)| Some(*other) == index).map(|(index, _)| *index);
        // Where no window has that index, the current one is meant.
        let base = match (taken, given.target()) {
            (Some(taken), _) => taken,
            (None, Some(_)) => current_index(cx, at.session),
            (None, None) => cx.views(cx.find(None, TargetKind::Window)?).1.index,
        };
        let index = Some(if given.has('b') { base } else { base + 1 });
        Ok(Self { at, index, makes_room })
    }

    /// The same for a new window: an index that no window has is taken as it is.
    pub(super) fn of_new(cx: &LineContext, given: &Flags) -> Result<Self, String> {
        let place = Self::of(cx, given)?;
        let part = TargetParts::of(given.target().unwrap_or_default(), TargetKind::Window).window;
        let Some(index) = part.and_then(|part| part.parse().ok()).filter(|_| place.makes_room) else {
            return Ok(place);
        };
        let is_taken = windows(cx, place.at.session).iter().any(|(other, _)| *other == index);
        Ok(if is_taken { place } else { Self { index: Some(index), makes_room: false, ..place } })
    }

    /// The window that has the index.
    pub(super) fn taken(&self, cx: &LineContext) -> Option<WindowId> {
        let found = |(index, _): &&(usize, WindowId)| Some(*index) == self.index && !self.makes_room;
        windows(cx, self.at.session).iter().find(found).map(|(_, window)| *window)
    }

    /// Refuses an index that a window has.
    pub(super) fn free(&self, cx: &LineContext) -> Result<(), String> {
        self.taken(cx).map_or(Ok(()), |_| Err(format!("index in use: {}", self.index.unwrap_or_default())))
    }

    /// Moves a window here. `kills` says that the window that is here is killed, and `stays` that the focus does not follow
    /// the moved one.
    pub(super) async fn take(
        &self,
        cx: &mut LineContext,
        window: TargetPlace,
        kills: bool,
        stays: bool,
    ) -> Result<(), String> {
        let taken = self.taken(cx);
        if taken == Some(window.window) {
            return Err(format!("same index: {}", self.index.unwrap_or_default()));
        }
        if !kills {
            self.free(cx)?;
        }
        let (was_current, next) = (is_current(cx, window), after(cx, window));
        match taken {
            Some(other) => self.replace(cx, window, other, stays).await?,
            None => self.move_to(cx, window).await?,
        }
        let selected =
            if stays { next.filter(|_| was_current && taken.is_none()) } else { Some(window.window) };
        // One that goes to another session leaves the focus of the first one to the daemon.
        let selected = selected.filter(|_| !stays || self.at.session == window.session);
        if let Some(window) = selected {
            cx.call(&SelectWindow { choice: window_choice(TargetPlace { window, ..self.at }) }).await?;
        }
        Ok(())
    }

    async fn move_to(&self, cx: &mut LineContext, window: TargetPlace) -> Result<(), String> {
        let to_session = Some(SessionRef::from(self.at.session));
        let Some(index) = self.index else {
            cx.call(&MoveWindow { choice: window_choice(window), to_session, index: None }).await?;
            return Ok(());
        };
        // The windows without a gap between them and the index move up, the last one first.
        let all = windows(cx, self.at.session);
        let taken = |index: usize| all.iter().find(|(other, _)| *other == index).map(|(_, window)| *window);
        let up: Vec<_> = (index..).map_while(|index| Some((index, taken(index)?))).collect();
        if up.iter().any(|(_, other)| *other == window.window) {
            let free = all.last().map_or(index, |(last, _)| *last) + 1;
            let away = MoveWindow { choice: window_choice(window), to_session: None, index: Some(free) };
            cx.call(&away).await?;
        }
        for (index, other) in up.into_iter().rev().filter(|(_, other)| *other != window.window) {
            let choice = window_choice(TargetPlace { window: other, ..self.at });
            cx.call(&MoveWindow { choice, to_session: None, index: Some(index + 1) }).await?;
        }
        cx.call(&MoveWindow { choice: window_choice(window), to_session, index: Some(index) }).await?;
        Ok(())
    }

    /// Gives a window the index of another one, and kills that one. This may be the window of the caller, who is gone then,
    /// so it comes last.
    pub(super) async fn replace(
        &self,
        cx: &mut LineContext,
        window: TargetPlace,
        other: WindowId,
        stays: bool,
    ) -> Result<(), String> {
        let other = TargetPlace { window: other, ..self.at };
        let is_current = is_current(cx, other);
        if window.session != self.at.session {
            let to_session = Some(SessionRef::from(self.at.session));
            cx.call(&MoveWindow { choice: window_choice(window), to_session, index: None }).await?;
        }
        cx.call(&SwapWindows { choice: window_choice(window), with: WindowRef::from(other.window) }).await?;
        if is_current || !stays {
            cx.call(&SelectWindow { choice: window_choice(window) }).await?;
        }
        cx.call(&KillWindow { choice: window_choice(other) }).await?;
        Ok(())
    }
}

/// The session and the index that a target names.
fn named(cx: &LineContext, target: &str) -> Result<(TargetPlace, Option<usize>), String> {
    if target.is_empty() {
        return Ok((cx.find(None, TargetKind::Session)?, None));
    }
    let parts = TargetParts::of(target, TargetKind::Window);
    if parts.pane.is_some() {
        return Err("can't specify pane here".into());
    }
    let session = match (parts.session, target.contains(':')) {
        (Some(session), _) => cx.find(Some(&format!("{session}:")), TargetKind::Session)?,
        (None, _) => cx.find(None, TargetKind::Session)?,
    };
    let Some(window) = parts.window else { return Ok((session, None)) };
    match index_of(cx, session.session, window) {
        Ok(index) => Ok((session, Some(index))),
        // A name alone may be a session's.
        Err(why) if parts.session.is_none() && !target.contains(':') => {
            cx.find(Some(target), TargetKind::Session).map(|at| (at, None)).map_err(|_| why)
        }
        Err(why) => Err(why),
    }
}

/// The index that the part of a target for a window means in a session.
fn index_of(cx: &LineContext, session: SessionId, part: &str) -> Result<usize, String> {
    let missing = || format!("can't find window: {part}");
    let part = match part {
        "{next}" => "+",
        "{previous}" => "-",
        part => part,
    };
    if let Some((sign, count)) = part.split_at_checked(1).filter(|(sign, _)| ["+", "-"].contains(sign)) {
        let count = if count.is_empty() { 1 } else { count.parse::<usize>().unwrap_or(1) };
        let current = current_index(cx, session);
        let index = if sign == "+" { current.checked_add(count) } else { current.checked_sub(count) };
        return index.ok_or_else(missing);
    }
    let found = cx.find(Some(&format!("{session}:{part}")), TargetKind::Window);
    match (found, part.parse()) {
        (Ok(at), _) => Ok(cx.views(at).1.index),
        (Err(_), Ok(index)) => Ok(index),
        (Err(why), Err(_)) => Err(why),
    }
}

/// The windows of a session with their indexes.
fn windows(cx: &LineContext, session: SessionId) -> Vec<(usize, WindowId)> {
    let session = cx.sessions.iter().find(|of| of.session_id == session);
    let windows = session.map(|session| session.windows.as_slice()).unwrap_or_default();
    windows.iter().map(|window| (window.index, window.window_id)).collect()
}

fn current_index(cx: &LineContext, session: SessionId) -> usize {
    let session = cx.sessions.iter().find(|of| of.session_id == session);
    let current = session.and_then(|session| session.windows.iter().find(|window| window.active));
    current.map(|window| window.index).unwrap_or_default()
}

fn is_current(cx: &LineContext, at: TargetPlace) -> bool {
    let windows = cx.sessions.iter().flat_map(|session| &session.windows);
    windows.into_iter().any(|window| window.window_id == at.window && window.active)
}

/// The window that becomes current when this one leaves its session: the last one, or the previous one in order.
fn after(cx: &LineContext, at: TargetPlace) -> Option<WindowId> {
    let session = cx.sessions.iter().find(|session| session.session_id == at.session)?;
    let others: Vec<_> = session.windows.iter().filter(|window| window.window_id != at.window).collect();
    let own = session.windows.iter().position(|window| window.window_id == at.window)?;
    let last = others.iter().find(|window| window.last);
    let before = || if own > 0 { others.get(own - 1) } else { others.last() };
    last.or_else(before).map(|window| window.window_id)
}
