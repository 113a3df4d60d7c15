//! tmux's commands for panes.

use fugue_protocol::verbs::{
    ClosePane, CreatePane, CreateSession, FocusPane, KeyValue, PaneChoice, Program, RenamePane,
    RenameSession, ResizePane, RespawnPane, SelectLayout, WindowChoice,
};
use fugue_protocol::{PaneId, PaneRef, SessionName, Side, WindowRef};

use super::flags::ParsedFlags;
use super::sessions::parsed;
use super::{Outcome, Shim, link_directory};

/// How often another name is tried for a teammate's session, if somebody else took the first.
const ATTEMPTS: usize = 20;

/// Returns the program of a command: one operand is a line for the shell, several are a program and its arguments.
pub(super) fn program(given: &ParsedFlags) -> Result<Program, String> {
    let variable = |entry: &str| {
        let (name, value) = entry.split_once('=').ok_or_else(|| format!("invalid environment: {entry}"))?;
        Ok(KeyValue(name.to_owned(), value.to_owned()))
    };
    let mut program = Program {
        cwd: given.value('c').map(str::to_owned),
        env: given.values('e').map(variable).collect::<Result<_, String>>()?,
        ..Program::default()
    };
    match given.operands.as_slice() {
        [line] => program.command = Some(line.clone()),
        words => program.argv = words.to_vec(),
    }
    Ok(program)
}

/// `split-window`
pub(super) fn split(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let pane = if shim.team { open_teammate(shim, given)? } else { split_pane(shim, given)? };
    shim.report(given, pane, "#{session_name}:#{window_index}.#{pane_index}")
}

fn split_pane(shim: &mut Shim, given: &ParsedFlags) -> Result<PaneId, String> {
    let place = shim.place(given.target())?;
    let direction = match (given.has('h'), given.has('b')) {
        (true, false) => Side::Right,
        (true, true) => Side::Left,
        (false, false) => Side::Below,
        (false, true) => Side::Above,
    };
    let whole = if given.has('h') { place.pane.dimensions.cols } else { place.pane.dimensions.rows };
    let size = given.value('l').map(str::to_owned).or_else(|| Some(format!("{}%", given.value('p')?)));
    let create = CreatePane {
        pane: Some(place.pane.pane_id.into()),
        direction: Some(direction),
        percent: size.map(|size| percent(&size, whole)).transpose()?,
        background: given.has('d'),
        program: program(given)?,
        ..CreatePane::default()
    };
    Ok(shim.call(&create)?.pane_id)
}

/// Returns a size in cells or percent as a percentage.
fn percent(size: &str, whole: u16) -> Result<u8, String> {
    let invalid = || format!("invalid size: {size}");
    let percent = match size.strip_suffix('%') {
        Some(percent) => percent.parse::<u32>().map_err(|_| invalid())?,
        None => size.parse::<u32>().map_err(|_| invalid())? * 100 / u32::from(whole.max(1)),
    };
    Ok(u8::try_from(percent.clamp(1, 99)).unwrap_or(99))
}

/// What a teammate's programs get from the lead's environment rather than from the daemon's, which may be of another
/// login. Not everything: the environment of a session is stored, and others of its variables may be secrets.
const SHARED_VARIABLES: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "CLAUDE_CONFIG_DIR", "VIRTUAL_ENV"];

/// Returns the variables of the caller that a teammate shares. `tmux` means fugue only to the lead.
fn shared_variables(shim: &Shim) -> Vec<KeyValue> {
    let own_link = link_directory(&shim.socket);
    let without_link = |path: String| {
        let kept = std::env::split_paths(&path).filter(|directory| *directory != own_link);
        std::env::join_paths(kept).ok().and_then(|kept| kept.into_string().ok()).unwrap_or_default()
    };
    let value = |name: &str| {
        let value = std::env::var(name).ok()?;
        let value = if name == "PATH" { without_link(value) } else { value };
        Some(KeyValue(name.to_owned(), value))
    };
    SHARED_VARIABLES.into_iter().filter_map(value).collect()
}

/// Opens a session for a teammate, which has an inbox of its own and is closed with the pane of its lead.
fn open_teammate(shim: &mut Shim, given: &ParsedFlags) -> Result<PaneId, String> {
    let lead = shim.place(None)?;
    let (name, pane) = (lead.session.name.to_string(), lead.pane.pane_id);
    let taken: Vec<_> = shim.sessions.iter().map(|session| session.name.to_string()).collect();
    let names = (1..).map(|number| format!("{name}-{number}")).filter(|name| !taken.contains(name));
    let mut program = program(given)?;
    program.env.splice(0..0, shared_variables(shim));
    let mut failed = String::new();
    for name in names.take(ATTEMPTS) {
        let create = CreateSession {
            name: Some(parsed(&name, "session")?),
            program: program.clone(),
            close_with: Some(PaneRef::from(pane)),
            ..CreateSession::default()
        };
        match shim.call(&create) {
            Ok(created) => return Ok(created.pane_id),
            Err(why) => failed = why,
        }
    }
    Err(failed)
}

/// `respawn-pane`
pub(super) fn respawn(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let choice = choice(shim, given)?;
    shim.call(&RespawnPane { choice, kill: given.has('k'), program: program(given)? })?;
    Ok(String::new())
}

/// `kill-pane`
pub(super) fn kill(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let place = shim.place(given.target())?;
    let own = place.pane.pane_id;
    let others = place.window.panes.iter().map(|pane| pane.pane_id).filter(|pane| *pane != own);
    let panes: Vec<_> = if given.has('a') { others.collect() } else { vec![own] };
    for pane in panes {
        shim.call(&ClosePane { choice: PaneChoice::of(pane) })?;
    }
    Ok(String::new())
}

/// `select-pane`
pub(super) fn select(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let choice = choice(shim, given)?;
    if let Some(title) = given.value('T') {
        return name(shim, given, choice, title);
    }
    let sides = [('L', Side::Left), ('R', Side::Right), ('U', Side::Above), ('D', Side::Below)];
    let direction = sides.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, side)| side);
    // Colors and input locks are not selections.
    if !given.has('P') && !given.has('d') && !given.has('e') {
        shim.call(&FocusPane { choice, wrap: direction.is_some(), direction })?;
    }
    Ok(String::new())
}

/// Names a pane and, if it is a teammate's, its session.
fn name(shim: &mut Shim, given: &ParsedFlags, choice: PaneChoice, title: &str) -> Outcome {
    let session = shim.place(given.target())?.session;
    let (id, parent) = (session.session_id, session.parent_id);
    let name = parsed(title, "title")?;
    shim.call(&RenamePane { choice, name: Some(name) })?;
    let lead = shim.place(None)?.session;
    if shim.team && parent == Some(lead.session_id) {
        let name: SessionName = parsed(&format!("{}-{title}", lead.name), "title")?;
        // The name may be taken; the number that the session has will do.
        let _ = shim.call(&RenameSession { session: Some(id.into()), name });
    }
    Ok(String::new())
}

/// `resize-pane`
pub(super) fn resize(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let place = shim.place(given.target())?;
    let (pane, alone, whole) = (place.pane.pane_id, place.window.panes.len() == 1, place.window.dimensions);
    if alone {
        return Ok(String::new());
    }
    let cells = |letter: char, whole: u16| -> Result<Option<u16>, String> {
        let Some(size) = given.value(letter) else { return Ok(None) };
        let invalid = |_| format!("invalid size: {size}");
        match size.strip_suffix('%') {
            Some(percent) => {
                let percent: u32 = percent.parse().map_err(invalid)?;
                Ok(u16::try_from(u32::from(whole) * percent / 100).ok())
            }
            None => size.parse().map(Some).map_err(invalid),
        }
    };
    let (cols, rows) = (cells('x', whole.cols)?, cells('y', whole.rows)?);
    let sides = [('L', Side::Left), ('R', Side::Right), ('U', Side::Above), ('D', Side::Below)];
    let direction = sides.into_iter().find(|(letter, _)| given.has(*letter)).map(|(_, side)| side);
    let by = given.operands.first().and_then(|amount| amount.parse().ok());
    shim.call(&ResizePane { choice: PaneChoice::of(pane), direction, by, cols, rows })?;
    Ok(String::new())
}

/// `select-layout`
pub(super) fn layout(shim: &mut Shim, given: &ParsedFlags) -> Outcome {
    let window = shim.place(given.target())?.window;
    let (id, alone) = (window.window_id, window.panes.len() == 1);
    let Some(preset) = given.operands.first().filter(|_| !alone) else { return Ok(String::new()) };
    let choice = WindowChoice { session: None, window: Some(WindowRef::from(id)) };
    shim.call(&SelectLayout { choice, preset: parsed(preset, "layout")? })?;
    Ok(String::new())
}

fn choice(shim: &Shim, given: &ParsedFlags) -> Result<PaneChoice, String> {
    Ok(PaneChoice::of(shim.place(given.target())?.pane.pane_id))
}
