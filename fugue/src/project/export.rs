//! `fugue export-layout`: a session as a project's file. Splits are recovered from the positions of the panes: a split
//! is a line that no pane crosses.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};

use clap::ArgMatches;
use fugue_client::CallError;
use fugue_protocol::escape::{escape_json, escape_lines};
use fugue_protocol::verbs::{GetTags, LayoutPart, ListSessions};
use fugue_protocol::views::{PaneView, SessionView, WindowView};
use fugue_protocol::{Rect, SessionRef, Side};

use super::{Project, ProjectWindow, missing_programs};
use crate::context::{self, CommandFailure};

/// The start and end of a rectangle in one direction.
type Extent = fn(&Rect) -> (u16, u16);

pub(super) fn run(args: &ArgMatches) -> Result<(), CommandFailure> {
    let named = args.get_one::<String>("session");
    let named: Option<SessionRef> = named.map(|name| name.parse().unwrap_or_else(|never| match never {}));
    let mut connection = context::open_to_read(args)?;
    let id = connection.call(&GetTags { session: named })?.session_id;
    let sessions = connection.call(&ListSessions::default())?.sessions;
    let session = sessions.iter().find(|session| session.session_id == id);
    let project =
        session.map(project).unwrap_or(Project { session: None, worktree: None, windows: Vec::new() });
    let text = toml::to_string(&project).map_err(|why| CallError::Malformed(why.to_string()))?;
    let text = without_unsafe_characters(&text);
    // A terminal must not obey what a file takes as it is.
    let shown = if std::io::stdout().is_terminal() { escape_lines(&text) } else { Cow::Borrowed(&*text) };
    let _ = write!(std::io::stdout(), "{shown}");
    Ok(())
}

/// The same file without characters that a terminal would obey. TOML has JSON's escapes, but not in literal strings:
/// where one of those contains such a character, the file stays as it is.
fn without_unsafe_characters(text: &str) -> Cow<'_, str> {
    let escaped = escape_json(text);
    let parsed = |text: &str| text.parse::<toml::Table>().ok();
    if parsed(&escaped) == parsed(text) { escaped } else { Cow::Borrowed(text) }
}

fn project(session: &SessionView) -> Project {
    let windows = session.windows.iter().map(project_window).collect();
    Project { session: Some(session.name.clone()), worktree: None, windows }
}

fn project_window(window: &WindowView) -> ProjectWindow {
    let panes: Vec<&PaneView> = window.panes.iter().collect();
    // A zoomed window has no positions for its hidden panes, so they are exported side by side.
    let layout = if window.zoomed { row(&panes) } else { part(&panes) };
    ProjectWindow { name: Some(window.name.clone()), layout }
}

fn row(panes: &[&PaneView]) -> LayoutPart {
    match panes {
        [only] => leaf(only),
        panes => {
            let children = panes.iter().map(|pane| leaf(pane)).collect();
            LayoutPart { direction: Some(Side::Right), children, ..LayoutPart::default() }
        }
    }
}

fn leaf(pane: &PaneView) -> LayoutPart {
    let argv = missing_programs::requested(&pane.argv).to_vec();
    let command = Some(pane.command.clone()).filter(|command| argv.is_empty() && command != "shell");
    LayoutPart { name: pane.name.clone(), command, argv, cwd: pane.cwd.clone(), ..LayoutPart::default() }
}

/// The layout of the panes of an area: one pane, or a split into groups of panes.
fn part(panes: &[&PaneView]) -> LayoutPart {
    if let [only] = panes {
        return leaf(only);
    }
    let directions: [(Side, Extent); 2] = [
        (Side::Right, |place| (place.col, place.col + place.cols)),
        (Side::Below, |place| (place.row, place.row + place.rows)),
    ];
    for (side, extent) in directions {
        let groups = groups(panes, extent);
        if groups.len() > 1 {
            let children = groups.iter().map(|group| sized(group, extent)).collect();
            return LayoutPart { direction: Some(side), children, ..LayoutPart::default() };
        }
    }
    row(panes)
}

fn sized(group: &[&PaneView], extent: Extent) -> LayoutPart {
    let begin = group.iter().map(|pane| extent(&pane.place).0).min().unwrap_or(0);
    let end = group.iter().map(|pane| extent(&pane.place).1).max().unwrap_or(0);
    LayoutPart { ratio: Some(u32::from(end.saturating_sub(begin)).max(1)), ..part(group) }
}

/// Divides panes into groups separated by lines that no pane crosses, in order.
fn groups<'a>(panes: &[&'a PaneView], extent: Extent) -> Vec<Vec<&'a PaneView>> {
    let mut sorted = panes.to_vec();
    sorted.sort_by_key(|pane| extent(&pane.place));
    let mut groups: Vec<Vec<&PaneView>> = Vec::new();
    let mut end = 0;
    for pane in sorted {
        let (begin, ends) = extent(&pane.place);
        match groups.last_mut() {
            Some(group) if begin < end => group.push(pane),
            _ => groups.push(vec![pane]),
        }
        end = end.max(ends);
    }
    groups
}
