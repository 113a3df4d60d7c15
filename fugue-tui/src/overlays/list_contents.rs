//! The rows of the lists of buffers and panes, and of the tree.

use fugue_protocol::PaneId;
use fugue_protocol::views::{PaneView, PasteBufferView, SessionView, WindowView};
use unicode_width::UnicodeWidthStr;

use super::host_rows::state_rows;
use super::list::List;
use super::list_row::{ListRow, RowTarget};
use crate::agents::{self, AgentRow};
use crate::draw;
use crate::theme::ThemePart;
use crate::tree::{PlacedSession, Tree, full_name};
use crate::tty::clipboard;

/// The titles of the tree and of the list of sessions.
pub(crate) const TREE: &str = "Windows";
pub(crate) const SESSIONS: &str = "Sessions";

/// The paste buffers, the newest first; Enter pastes one. A text that the daemon lacks is the newest.
pub(crate) fn buffers(lacking: Option<&str>, buffers: &[PasteBufferView], copy_key: &str) -> List {
    let row = |name: &str, text: &str, characters: usize, command: String| {
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
        let detail = clipboard::characters(characters);
        ListRow { text: format!("{name}: {line}"), detail, command, ..ListRow::default() }
    };
    let own = lacking.map(|text| row("copied", text, text.chars().count(), "paste-buffer".to_owned()));
    let rows = buffers.iter().map(|buffer| {
        let command = format!("paste-buffer -b '{}'", buffer.name.replace('\'', r"'\''"));
        row(&buffer.name, &buffer.sample, buffer.characters, command)
    });
    List::new("Paste", own.into_iter().chain(rows).collect(), 0)
        .doing("paste")
        .when_empty(format!("Nothing copied yet; {copy_key} starts copy mode"))
}

/// The panes of all sessions, beside which the active pane can go.
pub(crate) fn destinations(tree: &Tree) -> List {
    let Some(here) = tree.pane() else { return List::new("Move pane beside", Vec::new(), 0) };
    let others = tree.panes().filter(|pane| pane.pane_id != here.pane_id);
    let row = |pane: &PaneView| ListRow {
        text: draw::label(pane),
        detail: location(tree, pane),
        command: format!("join-pane -t {} --beside {}", here.pane_id, pane.pane_id),
        pane: Some(pane.pane_id),
        ..ListRow::default()
    };
    List::new("Move pane beside", others.map(row).collect(), 0)
        .doing("move pane there")
        .when_empty("No other pane; split this one first")
}

/// The panes of the host that is shown for which `line` returns something: the line on the screen that was found, if it
/// is not the pane itself that was. Returns `None` if there are none.
pub(crate) fn found<'a>(
    tree: &Tree,
    text: &str,
    line: impl Fn(PaneId) -> Option<Option<&'a str>>,
) -> Option<List> {
    let row = |pane: &PaneView| {
        let line = line(pane.pane_id)?;
        Some(ListRow {
            text: location(tree, pane),
            detail: line.map_or_else(|| draw::label(pane), str::to_owned),
            command: go_to_line(pane),
            pane: Some(pane.pane_id),
            ..ListRow::default()
        })
    };
    let rows: Vec<ListRow> = tree.panes().filter_map(row).collect();
    (!rows.is_empty()).then(|| List::new(format!("Find “{text}”"), rows, 0).in_order().doing("go there"))
}

/// Sessions alone, those of the host that is shown first.
pub(crate) fn sessions(tree: &Tree) -> List {
    let here = tree.sessions.iter().position(|session| session.session_id == tree.here).unwrap_or(0);
    let row = |(host, session): (Option<&str>, &SessionView)| {
        let row = session_row((host, session));
        if host == tree.host.as_deref() { row } else { elsewhere(row) }
    };
    let hosts = state_rows(tree);
    List::new(SESSIONS, tree.all_sessions().map(row).chain(hosts).collect(), here)
        .in_order()
        .doing("go there")
}

/// Sessions, their windows and their panes, those of the host that is shown first; and hosts without sessions.
pub(crate) fn tree(tree: &Tree) -> List {
    let mut rows = Vec::new();
    let mut here = 0;
    for (host, session) in tree.all_sessions() {
        let name = full_name(host, &session.name);
        let is_shown = host == tree.host.as_deref();
        let first = rows.len();
        if let Some(row) = only_pane_row(tree, session, &name) {
            here = if session.session_id == tree.here { rows.len() } else { here };
            rows.push(if is_shown { row } else { elsewhere(row) });
            continue;
        }
        rows.push(session_row((host, session)));
        for window in &session.windows {
            if session.session_id == tree.here && window.active {
                here = rows.len();
            }
            rows.push(window_row(tree, window, &name));
            if window.panes.len() > 1 {
                rows.extend(window.panes.iter().map(|pane| pane_row(tree, pane)));
            }
        }
        if !is_shown {
            let there = rows.split_off(first);
            rows.extend(there.into_iter().map(elsewhere));
        }
    }
    rows.extend(state_rows(tree));
    List::new(TREE, rows, here).in_order().doing("go there")
}

/// A row of another host: its screens are not here, and nothing there is killed from here.
fn elsewhere(row: ListRow) -> ListRow {
    ListRow { pane: None, kills: None, ..row }
}

/// A session with a single pane, in one row.
fn only_pane_row(tree: &Tree, session: &SessionView, name: &str) -> Option<ListRow> {
    let [window] = session.windows.as_slice() else { return None };
    let row = (window.panes.len() == 1).then(|| window_row(tree, window, name))?;
    let tags: String = session.tags.iter().map(|tag| format!(" #{tag}")).collect();
    let kills = Some(RowTarget::Session(session.session_id));
    Some(ListRow { bold: name.width(), text: format!("{name}{tags}{}", row.text), kills, ..row })
}

/// A session: its agents by need, how many windows it has, and its tags.
fn session_row((host, session): PlacedSession<'_>) -> ListRow {
    let (agents, mut colors) = agent_states(&agents::session_rows((host, session)));
    let windows = Some(session.windows.len()).filter(|count| *count > 1);
    let windows = windows.map(|count| format!("{count} windows"));
    let tags = session.tags.iter().map(|tag| format!("#{tag}"));
    let rest = windows.into_iter().chain(tags).collect::<Vec<_>>().join("  ");
    let gap = if agents.is_empty() || rest.is_empty() { "" } else { "  " };
    if !agents.is_empty() {
        colors.push((gap.width() + rest.width(), ThemePart::Faint));
    }
    ListRow {
        text: full_name(host, &session.name),
        bold: usize::MAX,
        detail: format!("{agents}{gap}{rest}"),
        colors,
        command: format!("attach {}", session.session_id),
        pane: active_pane(session.windows.iter().find(|window| window.active)),
        kills: Some(RowTarget::Session(session.session_id)),
        ..ListRow::default()
    }
}

fn window_row(tree: &Tree, window: &WindowView, session: &str) -> ListRow {
    let active = window.panes.iter().find(|pane| pane.active);
    let mark = if window.active { "*" } else { "" };
    let (detail, colors) = active.map(|pane| pane_state(tree, pane)).unwrap_or_default();
    let label = active.filter(|pane| pane.agent.is_none()).map(draw::label);
    let label = label.filter(|label| *label != window.name.to_string()).map(|label| format!("{label}  "));
    let detail = format!("{}{detail}", label.unwrap_or_default());
    ListRow {
        text: format!("  {}: {}{mark}{}", window.index, window.name, tree.activity_mark(window)),
        detail,
        colors,
        command: active.map(go_to_line).unwrap_or_default(),
        pane: active_pane(Some(window)),
        kills: Some(RowTarget::Window(window.window_id)),
        also: session.to_owned(),
        ..ListRow::default()
    }
}

fn pane_row(tree: &Tree, pane: &PaneView) -> ListRow {
    let (detail, colors) = pane_state(tree, pane);
    ListRow {
        text: format!("     {} {}{}", pane.index, draw::label(pane), if pane.active { "*" } else { "" }),
        detail,
        colors,
        command: go_to_line(pane),
        pane: Some(pane.pane_id),
        kills: Some(RowTarget::Pane(pane.pane_id)),
        ..ListRow::default()
    }
}

/// The states of a session's agents, and the colors of the text: one agent with its reason, several counted by state.
fn agent_states(agents: &[AgentRow<'_>]) -> (String, Vec<(usize, ThemePart)>) {
    if let [agent] = agents {
        return agent_state(agent);
    }
    let mut groups: Vec<(&AgentRow<'_>, usize)> = Vec::new();
    for agent in agents {
        match groups.iter_mut().find(|(first, _)| first.state() == agent.state()) {
            Some((_, count)) => *count += 1,
            None => groups.push((agent, 1)),
        }
    }
    let (mut text, mut colors) = (String::new(), Vec::new());
    for (agent, count) in groups {
        let (sign, part) = agent.sign();
        let gap = if text.is_empty() { "" } else { "  " };
        let group = format!("{gap}{sign} {count} {}", agent.state());
        colors.push((group.width(), part));
        text.push_str(&group);
    }
    (text, colors)
}

/// The state of an agent with its reason, and the colors of the text.
fn agent_state(agent: &AgentRow<'_>) -> (String, Vec<(usize, ThemePart)>) {
    let (sign, part) = agent.sign();
    let state = format!("{sign} {} {}", agent.name(), agent.state());
    let reason = agent.colon_reason();
    (format!("{state}{reason}"), vec![(state.width(), part), (reason.width(), ThemePart::Panel)])
}

/// The state of a pane's agent with its reason, or else the pane's directory, and the colors of the text.
fn pane_state(tree: &Tree, pane: &PaneView) -> (String, Vec<(usize, ThemePart)>) {
    let session = tree.all_sessions().find(|(_, session)| session.session_id == pane.session_id);
    match session.and_then(|session| agents::pane_row(session, pane)) {
        Some(agent) => agent_state(&agent),
        None => (tree.directory(pane).unwrap_or_default(), Vec::new()),
    }
}

fn active_pane(window: Option<&WindowView>) -> Option<PaneId> {
    window?.panes.iter().find(|pane| pane.active).map(|pane| pane.pane_id)
}

/// The command that goes to a pane.
pub(crate) fn go_to_line(pane: &PaneView) -> String {
    format!("attach {} {}", pane.session_id, pane.pane_id)
}

pub(super) fn location(tree: &Tree, pane: &PaneView) -> String {
    let session = tree.name_of_session(pane.session_id).unwrap_or_default();
    let windows = tree.all_sessions().flat_map(|(_, session)| &session.windows);
    let mut windows = windows.filter(|window| window.window_id == pane.window_id);
    let window = windows.next().map(|window| format!("{}:{}", window.index, window.name));
    format!("{session}  {}", window.unwrap_or_default())
}
