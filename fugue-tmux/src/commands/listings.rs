//! tmux's commands that print: lists and messages.

use fugue_protocol::targets::TargetKind;

use super::clients;
use super::command_table::{COMMANDS, CommandRow};
use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::format::{FormatContext, FormatPlace, FormatSource, expand, is_true};

/// `display-message`
pub(super) async fn display(cx: &mut LineContext, given: &Flags) -> Outcome {
    let format = given.operands.first().map(String::as_str).or(given.value('F'));
    let format = format.unwrap_or(
        "[#{session_name}] #{window_index}:#{window_name}, current pane #{pane_index} - (%H:%M %d-%b-%y)",
    );
    if given.has('I') {
        return Err("fugue has no `display-message -I`: standard input cannot be forwarded to a pane".into());
    }
    let at = cx.pane_or_part(given)?;
    if let Some(at) = at.filter(|_| given.has('a')) {
        return cx.with_formats(|context| all_variables(context, at.pane)).await;
    }
    let text = match at {
        _ if given.has('l') => format.to_owned(),
        Some(at) => cx.expand_with_time(format, at).await?,
        None => expand(format, &|_: &str| None),
    };
    if given.has('p') {
        return Ok(text + "\n");
    }
    // Without `-p`, the client shows the text in its status line.
    let client = clients::named(cx, given.value('c'))?;
    clients::show(cx, client, &text).await;
    Ok(String::new())
}

/// The names whose values `-a` lists.
const NAMES: &[&str] = &[
    "client_height",
    "client_name",
    "client_session",
    "client_tty",
    "client_width",
    "cursor_flag",
    "cursor_x",
    "cursor_y",
    "history_limit",
    "history_size",
    "host",
    "pane_active",
    "pane_at_bottom",
    "pane_at_left",
    "pane_at_right",
    "pane_at_top",
    "pane_bottom",
    "pane_current_command",
    "pane_current_path",
    "pane_dead",
    "pane_height",
    "pane_id",
    "pane_index",
    "pane_left",
    "pane_pid",
    "pane_right",
    "pane_title",
    "pane_top",
    "pane_tty",
    "pane_width",
    "session_attached",
    "session_created",
    "session_id",
    "session_name",
    "session_path",
    "session_windows",
    "socket_path",
    "version",
    "window_active",
    "window_flags",
    "window_height",
    "window_id",
    "window_index",
    "window_last_flag",
    "window_name",
    "window_panes",
    "window_width",
    "window_zoomed_flag",
];

fn all_variables(context: &FormatContext<'_>, pane: fugue_protocol::PaneId) -> String {
    let Some(place) = context.places().find(|place| place.pane.pane_id == pane) else { return String::new() };
    let line = |name: &&str| Some(format!("{name}={}", place.value(name)?));
    NAMES.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// `list-panes`
pub(super) async fn list_panes(cx: &mut LineContext, given: &Flags) -> Outcome {
    let kind = if given.has('s') { TargetKind::Session } else { TargetKind::Window };
    let at = cx.find(given.target(), kind)?;
    let wanted = |place: &FormatPlace<'_>| match (given.has('a'), given.has('s')) {
        (true, _) => true,
        (false, true) => place.session.session_id == at.session,
        (false, false) => place.window.window_id == at.window,
    };
    let start = match (given.has('a'), given.has('s')) {
        (true, _) => "#{session_name}:#{window_index}.",
        (false, true) => "#{window_index}.",
        (false, false) => "",
    };
    let usual = format!(
        "{start}#{{pane_index}}: [#{{pane_width}}x#{{pane_height}}] #{{pane_id}}#{{?pane_active, (active),}}#{{?pane_dead, (dead),}}"
    );
    cx.lines(given, &usual, wanted).await
}

/// `list-windows`
pub(super) async fn list_windows(cx: &mut LineContext, given: &Flags) -> Outcome {
    let session = cx.session(given)?.session;
    let wanted = |place: &FormatPlace<'_>| {
        place.pane.active && (given.has('a') || place.session.session_id == session)
    };
    let start = if given.has('a') { "#{session_name}:" } else { "" };
    let usual = format!(
        "{start}#{{window_index}}: #{{window_name}}#{{window_raw_flags}} (#{{window_panes}} panes) [#{{window_width}}x#{{window_height}}] [layout #{{window_layout}}] #{{window_id}}#{{?window_active, (active),}}"
    );
    cx.lines(given, &usual, wanted).await
}

/// `list-sessions`
pub(super) async fn list_sessions(cx: &mut LineContext, given: &Flags) -> Outcome {
    let usual = "#{session_name}: #{session_windows} windows (created #{t:session_created})#{?session_attached, (attached),}";
    cx.lines(given, usual, |place| place.is_current()).await
}

/// `list-clients`
pub(super) async fn list_clients(cx: &mut LineContext, given: &Flags) -> Outcome {
    let only = given.target().map(|_| cx.session(given)).transpose()?.map(|at| at.session);
    let usual = "#{client_name}: #{session_name} [#{client_width}x#{client_height}] #{client_flags}";
    let format = given.value('F').unwrap_or(usual);
    cx.with_formats(|context| {
        let clients = context.clients.iter().filter(|client| only.is_none_or(|id| id == client.session_id));
        let lines = clients.filter_map(|client| {
            let of_session = |place: &FormatPlace<'_>| place.session.session_id == client.session_id;
            let mut places = context.places().filter(|place| of_session(place) && place.is_current());
            let place = FormatPlace { client: Some(client), ..places.next()? };
            let passes = given.value('f').is_none_or(|filter| is_true(&expand(filter, &place)));
            passes.then(|| expand(format, &place))
        });
        lines.collect::<Vec<_>>().join("\n")
    })
    .await
}

/// `list-commands`
pub(super) async fn list_commands(_: &mut LineContext, given: &Flags) -> Outcome {
    let wanted = given.operands.first();
    let rows = COMMANDS
        .iter()
        .filter(|row| !row.is_of_client())
        .filter(|row| wanted.is_none_or(|name| row.names.contains(&name.as_str())));
    let line = |row: &CommandRow| {
        let (name, alias) = (row.name(), row.names.get(1).copied().unwrap_or_default());
        let usage = row.usage();
        let value = |variable: &str| match variable {
            "command_list_name" => Some(name.to_owned()),
            "command_list_alias" => Some(alias.to_owned()),
            "command_list_usage" => Some(usage.clone()),
            _ => None,
        };
        let usual =
            "#{command_list_name}#{?command_list_alias, (#{command_list_alias}),} #{command_list_usage}";
        expand(given.value('F').unwrap_or(usual), &value)
    };
    let lines: Vec<_> = rows.map(line).collect();
    match (lines.is_empty(), wanted) {
        (true, Some(name)) => Err(format!("unknown command: {name}")),
        _ => Ok(lines.join("\n")),
    }
}
