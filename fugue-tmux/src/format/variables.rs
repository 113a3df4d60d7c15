//! The values of tmux's names. A name that is not listed here is empty.

use fugue_protocol::views::{ExitStatus, Life, WindowView};

use super::place::FormatPlace;

fn flag(truth: bool) -> Option<String> {
    Some(if truth { "1" } else { "0" }.to_owned())
}

fn text(value: impl ToString) -> Option<String> {
    Some(value.to_string())
}

/// The value of a name.
pub(super) fn value(place: FormatPlace<'_>, name: &str) -> Option<String> {
    match name.split_once('_') {
        Some(("pane", name)) => pane(place, name),
        Some(("window", name)) => window(place, name),
        Some(("session", name)) => session(place, name),
        Some(("client", name)) => client(place, name),
        Some(("cursor" | "history", _)) => screen(place, name),
        _ => other(place, name),
    }
}

fn pane(place: FormatPlace<'_>, name: &str) -> Option<String> {
    let FormatPlace { window, pane, .. } = place;
    let (at, whole) = (pane.place, window.dimensions);
    let (right, bottom) = (at.col + at.cols, at.row + at.rows);
    match name {
        "id" => text(format!("%{}", pane.number)),
        "index" => text(pane.index),
        "title" => Some(pane.name.as_ref().map_or_else(|| pane.title.clone(), ToString::to_string)),
        "active" => flag(pane.active),
        "last" => flag(pane.last),
        "dead" => flag(pane.state != Life::Running),
        "dead_status" => match pane.exit? {
            ExitStatus::Code(code) => text(code),
            _ => None,
        },
        "dead_signal" => match pane.exit? {
            ExitStatus::Signal(signal) => text(signal),
            _ => None,
        },
        "pid" => text(pane.pid?),
        "tty" => place.context.machine.terminal(pane.pid?),
        "current_path" | "path" | "start_path" => pane.cwd.clone(),
        "current_command" => {
            let running = pane.pid.and_then(|pid| place.context.machine.foreground_name(pid));
            Some(running.unwrap_or_else(|| program_name(&pane.command).to_owned()))
        }
        "start_command" => text(&pane.command),
        "width" => text(pane.dimensions.cols),
        "height" => text(pane.dimensions.rows),
        "left" => text(at.col),
        "top" => text(at.row),
        "right" => text(right.saturating_sub(1)),
        "bottom" => text(bottom.saturating_sub(1)),
        "at_left" => flag(at.col == 0),
        "at_top" => flag(at.row == 0),
        "at_right" => flag(right >= whole.cols),
        "at_bottom" => flag(bottom >= whole.rows),
        "marked" => flag(pane.marked),
        "marked_set" => flag(place.context.places().any(|place| place.pane.marked)),
        "format" => flag(true),
        "synchronized" => flag((place.context.synchronized)(pane.pane_id)),
        "pipe" => flag(pane.piped),
        "in_mode" | "input_off" => {
            (place.context.other)(&place, &format!("pane_{name}")).or_else(|| flag(false))
        }
        _ => None,
    }
}

fn window(place: FormatPlace<'_>, name: &str) -> Option<String> {
    let FormatPlace { session, window, .. } = place;
    let clients = || place.context.clients.iter().filter(|client| client.session_id == session.session_id);
    match name {
        "id" => text(format!("@{}", window.number)),
        "index" => text(window.index),
        "name" => text(&window.name),
        "active" => flag(window.active),
        "last_flag" => flag(window.last),
        "panes" => text(window.panes.len()),
        "width" => text(window.dimensions.cols),
        "height" => text(window.dimensions.rows),
        "zoomed_flag" => flag(window.zoomed),
        "layout" | "visible_layout" => crate::layout::text(window),
        "flags" | "raw_flags" => Some(flags(place)),
        "start_flag" => flag(session.windows.first().is_some_and(|first| first.index == window.index)),
        "end_flag" => flag(session.windows.last().is_some_and(|last| last.index == window.index)),
        "marked_flag" => flag(has_mark(window)),
        "active_clients" => text(if window.active { clients().count() } else { 0 }),
        "active_sessions" => text(u8::from(window.active)),
        "linked_sessions" => text(1),
        "activity_flag" | "bell_flag" | "silence_flag" | "bigger" | "linked" => flag(false),
        "format" => flag(true),
        _ => None,
    }
}

fn screen(place: FormatPlace<'_>, name: &str) -> Option<String> {
    let screen = || (place.context.screen)(place.pane.pane_id);
    match name {
        "cursor_x" => text(screen()?.cursor_col),
        "cursor_y" => text(screen()?.cursor_row),
        "cursor_flag" => flag(screen()?.cursor_visible),
        "history_size" => text(screen()?.history_lines?),
        "history_limit" => text(screen()?.history_limit?),
        _ => None,
    }
}

/// Whether the marked pane is in a window.
fn has_mark(window: &WindowView) -> bool {
    window.panes.iter().any(|pane| pane.marked)
}

/// The signs behind a window's name.
fn flags(place: FormatPlace<'_>) -> String {
    let FormatPlace { window, .. } = place;
    let signs = [('*', window.active), ('-', window.last), ('M', has_mark(window)), ('Z', window.zoomed)];
    signs.into_iter().filter(|(_, shown)| *shown).map(|(sign, _)| sign).collect()
}

fn session(place: FormatPlace<'_>, name: &str) -> Option<String> {
    let FormatPlace { session, context, .. } = place;
    let clients = || context.clients.iter().filter(|client| client.session_id == session.session_id);
    match name {
        "id" => text(format!("${}", session.number)),
        "name" => text(&session.name),
        "windows" => text(session.windows.len()),
        "attached" => text(session.clients),
        "many_attached" => flag(session.clients > 1),
        "attached_list" => {
            Some(clients().map(|client| format!("client-{}", client.client)).collect::<Vec<_>>().join(","))
        }
        "created" => text(session.created_at.millis() / 1_000),
        "last_attached" => text(clients().map(|client| client.since.millis() / 1_000).max()?),
        "path" => session.windows.first()?.panes.first()?.cwd.clone(),
        "stack" => {
            let order = |window: &&WindowView| (!window.active, !window.last);
            let mut windows: Vec<_> = session.windows.iter().collect();
            windows.sort_by_key(order);
            Some(windows.iter().map(|window| window.index.to_string()).collect::<Vec<_>>().join(","))
        }
        "grouped" | "group_size" => flag(false),
        "alerts" | "group" => Some(String::new()),
        "format" => flag(true),
        _ => None,
    }
}

fn client(place: FormatPlace<'_>, name: &str) -> Option<String> {
    if name == "control_mode" || name == "prefix" {
        return flag(false);
    }
    let client = place.client?;
    match name {
        "name" => text(format!("client-{}", client.client)),
        "tty" => client.tty.clone(),
        "width" => text(client.dimensions.cols),
        "height" => text(client.dimensions.rows),
        "session" => text(&client.session_name),
        "created" | "activity" => text(client.since.millis() / 1_000),
        "readonly" => flag(client.read_only),
        "utf8" => flag(true),
        "flags" => text(if client.read_only { "attached,read-only" } else { "attached" }),
        "key_table" => text("root"),
        _ => None,
    }
}

fn other(place: FormatPlace<'_>, name: &str) -> Option<String> {
    let FormatPlace { session, context, .. } = place;
    match name {
        "version" => text(context.version),
        "socket_path" => text(context.socket.display()),
        "active_window_index" => text(session.windows.iter().find(|window| window.active)?.index),
        "last_window_index" => text(session.windows.last()?.index),
        "next_session_id" => {
            let last = context.sessions.iter().map(|session| session.number).max();
            text(format!("${}", last.map_or(0, |last| last + 1)))
        }
        name => context.machine.value(name),
    }
}

/// The name of the program in a command line.
fn program_name(command: &str) -> &str {
    let program = command.split_whitespace().next().unwrap_or_default();
    program.rsplit('/').next().unwrap_or(program)
}
