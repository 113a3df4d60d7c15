//! tmux's commands for panes.

use fugue_protocol::targets::{TargetKind, TargetPlace};
use fugue_protocol::verbs::{
    BreakPane, ClosePane, CreatePane, FocusPane, JoinPane, MarkPane, PaneChoice, RenamePane, RenameWindow,
    ResizePane, RespawnPane, SelectWindow, SwapPanes, ZoomPane,
};
use fugue_protocol::{PaneId, PaneRef, Rect, Side};

use crate::context::{LineContext, Outcome, pane_choice, window_choice};
use crate::flags::{Flags, parsed};

use super::program::program;
use super::team;
use super::window_place::WindowPlace;

/// `split-window`
pub(super) async fn split(cx: &mut LineContext, given: &Flags) -> Outcome {
    let pane = if cx.setting.leads_team {
        team::open_teammate(cx, given).await?
    } else {
        split_pane(cx, given).await?
    };
    let printed = cx.report(given, pane, "#{session_name}:#{window_index}.#{pane_index}").await?;
    if given.has('Z') {
        cx.call(&ZoomPane { choice: PaneChoice::of(pane), zoomed: Some(true) }).await?;
    }
    Ok(printed)
}

async fn split_pane(cx: &mut LineContext, given: &Flags) -> Result<PaneId, String> {
    let at = cx.pane(given)?;
    let (percent, cells) = size(given)?;
    let (_, window, pane) = cx.views(at);
    let split = if given.has('f') { window.dimensions } else { pane.place.size() };
    let room = if given.has('h') { split.cols.saturating_sub(3) } else { split.rows.saturating_sub(2) };
    // As in tmux, a size that does not fit is brought into the limits.
    let cells = cells.map(|cells| cells.min(room).max(1));
    let create = CreatePane {
        pane: Some(at.pane.into()),
        direction: Some(side(given)),
        percent,
        cells,
        full: given.has('f'),
        background: given.has('d'),
        program: program(cx, given, false).await?,
        ..CreatePane::default()
    };
    Ok(cx.call(&create).await?.pane_id)
}

/// The side that `-h`, `-v` and `-b` mean.
fn side(given: &Flags) -> Side {
    match (given.has('h'), given.has('b')) {
        (true, false) => Side::Right,
        (true, true) => Side::Left,
        (false, false) => Side::Below,
        (false, true) => Side::Above,
    }
}

/// The size that `-l` and `-p` give, in percent or in cells.
fn size(given: &Flags) -> Result<(Option<u8>, Option<u16>), String> {
    let percent = |size: &str| {
        let number = size.parse::<u32>().map_err(|_| format!("invalid size: {size}"))?;
        Ok::<_, String>(u8::try_from(number.clamp(1, 99)).ok())
    };
    match (given.value('l'), given.value('p')) {
        (Some(size), _) => match size.strip_suffix('%') {
            Some(number) => Ok((percent(number)?, None)),
            None => Ok((None, Some(size.parse().map_err(|_| format!("invalid size: {size}"))?))),
        },
        (None, Some(size)) => Ok((percent(size)?, None)),
        (None, None) => Ok((None, None)),
    }
}

/// `respawn-pane` and `respawn-window`
pub(super) async fn respawn(cx: &mut LineContext, given: &Flags) -> Outcome {
    let choice = pane_choice(cx.pane(given)?);
    let program = program(cx, given, false).await?.into();
    cx.call(&RespawnPane { choice, kill: given.has('k'), program }).await?;
    Ok(String::new())
}

/// `kill-pane`
pub(super) async fn kill(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.pane(given)?;
    unzoom(cx, at).await?;
    let panes = cx.views(at).1.panes.iter().map(|pane| pane.pane_id);
    let panes: Vec<_> = match given.has('a') {
        true => panes.filter(|pane| *pane != at.pane).collect(),
        false => vec![at.pane],
    };
    for pane in panes {
        cx.call(&ClosePane { choice: pane_choice(TargetPlace { pane, ..at }) }).await?;
    }
    Ok(String::new())
}

/// The side that `-L`, `-R`, `-U` or `-D` names.
fn direction(given: &Flags) -> Option<Side> {
    let sides = [('L', Side::Left), ('R', Side::Right), ('U', Side::Above), ('D', Side::Below)];
    sides.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, side)| side)
}

/// `select-pane`
pub(super) async fn select(cx: &mut LineContext, given: &Flags) -> Outcome {
    if given.has('l') {
        return last(cx, given).await;
    }
    refuse_input_locks(given, "select-pane")?;
    if given.has('g') {
        return Ok("default".into());
    }
    if given.has('M') {
        cx.call(&MarkPane { clear: true, ..MarkPane::default() }).await?;
        return Ok(String::new());
    }
    let at = cx.pane(given)?;
    if given.has('m') {
        cx.call(&MarkPane { choice: pane_choice(at), clear: false }).await?;
        return Ok(String::new());
    }
    if let Some(title) = given.value('T') {
        let name = Some(title).filter(|title| !title.is_empty());
        let name = name.map(|title| parsed(title, "title")).transpose()?;
        cx.call(&RenamePane { choice: pane_choice(at), name }).await?;
        team::name_session(cx, at, title).await?;
        return Ok(String::new());
    }
    // Colors are not a selection.
    if !given.has('P') {
        let direction = direction(given);
        if direction.is_some_and(|side| !has_neighbor(cx, at, side)) {
            return Ok(String::new());
        }
        cx.call(&FocusPane { choice: pane_choice(at), wrap: direction.is_some(), direction }).await?;
    }
    if given.has('Z') {
        let zoomed = cx.views(at).1.zoomed;
        cx.call(&ZoomPane { choice: pane_choice(at), zoomed: Some(zoomed) }).await?;
    }
    Ok(String::new())
}

/// Whether another pane is on that side of a pane, or is reached around the window's edge. If not, nothing happens in tmux.
fn has_neighbor(cx: &LineContext, at: TargetPlace, side: Side) -> bool {
    let (_, window, own) = cx.views(at);
    let span = |place: Rect| match side {
        Side::Left | Side::Right => (place.row, place.row + place.rows),
        Side::Above | Side::Below => (place.col, place.col + place.cols),
    };
    let (start, end) = span(own.place);
    let mut others = window.panes.iter().filter(|pane| pane.pane_id != own.pane_id);
    window.zoomed || others.any(|pane| span(pane.place).0 < end && start < span(pane.place).1)
}

/// `-d` would turn the input to a pane off, and `-e` on.
fn refuse_input_locks(given: &Flags, command: &str) -> Result<(), String> {
    let flag = ['d', 'e'].into_iter().find(|flag| given.has(*flag));
    let refusal = |flag| format!("fugue has no `{command} -{flag}`: input to a pane cannot be turned off");
    flag.map_or(Ok(()), |flag| Err(refusal(flag)))
}

/// `last-pane`
pub(super) async fn last(cx: &mut LineContext, given: &Flags) -> Outcome {
    refuse_input_locks(given, "last-pane")?;
    let window = cx.window(given)?;
    let (number, count) = (cx.views(window).1.number, cx.views(window).1.panes.len());
    let last = cx.find(Some(&format!("@{number}.!")), TargetKind::Pane);
    // Of two panes, the other one.
    let other = || cx.views(window).1.panes.iter().find(|pane| !pane.active).filter(|_| count == 2);
    let other = other().map(|pane| TargetPlace { pane: pane.pane_id, ..window });
    let at = last.ok().or(other).ok_or("no last pane")?;
    cx.call(&FocusPane { choice: pane_choice(at), ..FocusPane::default() }).await?;
    Ok(String::new())
}

/// `resize-pane`
pub(super) async fn resize(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.pane(given)?;
    if given.has('Z') {
        cx.call(&ZoomPane { choice: pane_choice(at), zoomed: None }).await?;
        return Ok(String::new());
    }
    let (_, window, _) = cx.views(at);
    let whole = window.dimensions;
    let sized = |letter: char, whole: u16| given.value(letter).map(|size| cells(size, whole)).transpose();
    let (cols, rows) = (sized('x', whole.cols)?, sized('y', whole.rows)?);
    let by = given.operands.first().map(|by| by.parse().map_err(|_| format!("invalid adjustment: {by}")));
    let (by, direction) = (by.transpose()?, direction(given));
    // What does not fit is brought into the limits, and a pane without a border to move is no error in tmux.
    let resize = ResizePane { choice: pane_choice(at), towards: true, ..ResizePane::default() };
    if cols.is_some() || rows.is_some() {
        cx.call(&ResizePane { cols, rows, ..resize.clone() }).await?;
    }
    if direction.is_some() {
        cx.call(&ResizePane { direction, by, ..resize }).await?;
    }
    Ok(String::new())
}

/// A number of cells, or a percentage of the whole.
pub(super) fn cells(size: &str, whole: u16) -> Result<u16, String> {
    let invalid = || format!("invalid size: {size}");
    let number: u32 = size.trim_end_matches('%').parse().map_err(|_| invalid())?;
    let number = if size.ends_with('%') { u32::from(whole) * number / 100 } else { number };
    u16::try_from(number).map_err(|_| invalid())
}

/// `swap-pane`
pub(super) async fn swap(cx: &mut LineContext, given: &Flags) -> Outcome {
    let target = cx.pane(given)?;
    let source = match (given.has('U'), given.has('D'), given.value('s')) {
        (true, ..) => neighbor(cx, target, ".-"),
        (_, true, _) => neighbor(cx, target, ".+"),
        (.., Some(source)) => cx.find(Some(source), TargetKind::Pane)?,
        _ => cx.find(Some("~"), TargetKind::Pane).or_else(|_| cx.find(None, TargetKind::Pane))?,
    };
    let is_active = |at: TargetPlace| cx.views(at).2.active;
    let (from_active, to_active) = (is_active(source), is_active(target));
    cx.call(&SwapPanes { choice: pane_choice(source), with: PaneRef::from(target.pane) }).await?;
    let focused = match (given.has('d'), source.window == target.window) {
        (false, true) => vec![target],
        (false, false) => vec![target, source],
        // tmux looks at each of both panes in turn.
        (true, true) if from_active => vec![target, source],
        (true, true) if to_active => vec![source],
        (true, _) => Vec::new(),
    };
    for at in focused.into_iter().filter(|_| source.pane != target.pane) {
        cx.call(&FocusPane { choice: pane_choice(at), ..FocusPane::default() }).await?;
    }
    Ok(String::new())
}

/// The pane before or after another one, in its window.
fn neighbor(cx: &LineContext, at: TargetPlace, sign: &str) -> TargetPlace {
    let panes = &cx.views(at).1.panes;
    let own = panes.iter().position(|pane| pane.pane_id == at.pane).unwrap_or_default();
    let by = if sign == ".-" { panes.len() - 1 } else { 1 };
    TargetPlace { pane: panes[(own + by) % panes.len()].pane_id, ..at }
}

/// `join-pane` and `move-pane`
pub(super) async fn join(cx: &mut LineContext, given: &Flags) -> Outcome {
    let source = match given.value('s') {
        Some(source) => cx.find(Some(source), TargetKind::Pane)?,
        None => cx.find(Some("~"), TargetKind::Pane).or_else(|_| cx.find(None, TargetKind::Pane))?,
    };
    let beside = cx.pane(given)?;
    if source.pane == beside.pane {
        return Err("source and target panes must be different".into());
    }
    if given.has('f') {
        let why = "a pane can only be placed next to another pane, not along the window's edge";
        return Err(format!("fugue has no `join-pane -f`: {why}"));
    }
    unzoom(cx, source).await?;
    unzoom(cx, beside).await?;
    let side = side(given);
    let cells = joined_cells(cx, given, beside, side)?;
    let background = given.has('d');
    let (choice, at) = (pane_choice(source), PaneRef::from(beside.pane));
    cx.call(&JoinPane { choice, beside: at, direction: Some(side), cells, background }).await?;
    if !background {
        cx.call(&SelectWindow { choice: window_choice(beside) }).await?;
    }
    Ok(String::new())
}

/// Unzooms the window of a pane.
pub(super) async fn unzoom(cx: &mut LineContext, at: TargetPlace) -> Result<(), String> {
    let zoomed = cx.views(at).1.panes.iter().find(|pane| pane.active).filter(|_| cx.views(at).1.zoomed);
    if let Some(pane) = zoomed.map(|pane| pane.pane_id) {
        cx.call(&ZoomPane { choice: PaneChoice::of(pane), zoomed: Some(false) }).await?;
        cx.refresh().await?;
    }
    Ok(())
}

/// The size that `-l` and `-p` give: cells, or a percentage of the pane that is split.
fn joined_cells(
    cx: &LineContext,
    given: &Flags,
    beside: TargetPlace,
    side: Side,
) -> Result<Option<u16>, String> {
    let size = given.value('l').map(str::to_owned).or(given.value('p').map(|size| format!("{size}%")));
    let Some(size) = size else { return Ok(None) };
    let split = cx.views(beside).2.place;
    let across = matches!(side, Side::Left | Side::Right);
    let (whole, room) = match across {
        true => (split.cols, split.cols.saturating_sub(3)),
        false => (split.rows, split.rows.saturating_sub(2)),
    };
    Ok(Some(cells(&size, whole)?.min(room).max(1)))
}

/// `break-pane`
pub(super) async fn break_out(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.find(given.value('s'), TargetKind::Pane)?;
    let place = WindowPlace::of(cx, given)?;
    unzoom(cx, at).await?;
    let name = given.value('n').map(|name| parsed(name, "window")).transpose()?;
    if cx.views(at).1.panes.len() == 1 {
        place.take(cx, at, false, given.has('d')).await?;
        if let Some(name) = name {
            cx.call(&RenameWindow { choice: window_choice(at), name }).await?;
        }
        return cx.report(given, at.pane, "#{session_name}:#{window_index}.#{pane_index}").await;
    }
    place.free(cx)?;
    let window = cx.call(&BreakPane { choice: pane_choice(at), name, background: true }).await?.window_id;
    cx.refresh().await?;
    if place.index.is_some() || place.at.session != at.session {
        place.take(cx, TargetPlace { window, ..at }, false, true).await?;
    }
    if !given.has('d') {
        let choice = window_choice(TargetPlace { window, ..at });
        cx.call(&SelectWindow { choice }).await?;
    }
    cx.report(given, at.pane, "#{session_name}:#{window_index}.#{pane_index}").await
}
