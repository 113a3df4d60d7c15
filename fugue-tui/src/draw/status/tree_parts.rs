//! The parts of the status line that show what is in the tree: counts, the active pane, the branch.

use fugue_config::StatusPart;
use fugue_protocol::views::{Life, PaneView, SessionView};
use unicode_width::UnicodeWidthStr;

use super::content::{BarStyle, BarText, PartContent, StatusText};
use super::window_list::cut;
use crate::agents::{self, AgentCounts};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The content of a part that depends on the tree alone.
pub(crate) fn content_of(part: &StatusPart, tree: &Tree) -> PartContent {
    let Some(session) = tree.session() else { return text(part, String::new()) };
    match part {
        StatusPart::Session => PartContent::Session,
        StatusPart::Windows => PartContent::Windows,
        StatusPart::Agents => agents_part(part, tree),
        StatusPart::Title => text(part, pane_title(tree)),
        StatusPart::Warnings => text(part, counted(tree.warnings, "warning")),
        StatusPart::Messages => {
            let unread = AgentCounts { unread: AgentCounts::of(tree).unread, ..AgentCounts::default() };
            PartContent::Text(StatusText::new(part, counts(unread)))
        }
        StatusPart::Exited => text(part, exited(session)),
        StatusPart::Panes => {
            text(part, counted_always(tree.window().map_or(0, |window| window.panes.len()), "pane"))
        }
        StatusPart::Zoom => zoomed(part, tree),
        StatusPart::Branch => {
            let branch = session.place.as_ref().and_then(|place| place.branch.clone());
            text(part, branch.unwrap_or_default())
        }
        _ => text(part, String::new()),
    }
}

fn text(part: &StatusPart, text: String) -> PartContent {
    PartContent::Text(StatusText::new(part, vec![BarText::plain(text)]))
}

fn counted(count: usize, what: &str) -> String {
    if count == 0 { String::new() } else { counted_always(count, what) }
}

fn counted_always(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn counts(counts: AgentCounts) -> Vec<BarText> {
    counts.texts().into_iter().map(|(text, part)| BarText::themed(text, part)).collect()
}

/// How many programs of the session have exited, and how many were lost.
fn exited(session: &SessionView) -> String {
    let panes = || session.windows.iter().flat_map(|window| &window.panes);
    let count = |life: Life, word: &str| {
        let count = panes().filter(|pane| pane.state == life).count();
        (count > 0).then(|| format!("{count} {word}"))
    };
    let counts = [count(Life::Exited, "exited"), count(Life::Lost, "lost")];
    counts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

/// Shows that a pane is zoomed and how many panes it hides, since these are easily forgotten.
fn zoomed(part: &StatusPart, tree: &Tree) -> PartContent {
    let Some(window) = tree.window().filter(|window| window.zoomed) else { return text(part, String::new()) };
    let hidden = format!("+{}", window.panes.len().saturating_sub(1));
    let colored = |text: String| vec![BarText::of(vec![(text, BarStyle::Part(ThemePart::BarSession))])];
    let long = colored(format!("zoomed {hidden}"));
    PartContent::Text(StatusText::with_short(part, long, colored(hidden)).giving_way_to_windows())
}

/// How many agents are in each state; in short form, those that need a person and those that failed.
fn agents_part(part: &StatusPart, tree: &Tree) -> PartContent {
    let counts = AgentCounts::of(tree);
    let long = self::counts(AgentCounts { unread: 0, ..counts });
    let marks = [(counts.waiting, "!", ThemePart::BarWaiting), (counts.failed, "✗", ThemePart::BarFailed)];
    let marks = marks.into_iter().filter(|(count, ..)| *count > 0);
    let short = marks.map(|(count, mark, part)| BarText::themed(format!("{count}{mark}"), part)).collect();
    PartContent::Text(StatusText::with_short(part, long, short))
}

/// The label of the active pane, where no border above it shows it.
fn pane_title(tree: &Tree) -> String {
    /// Enough to recognize it; the rest of the line is for all panes.
    const MOST: usize = 30;
    let bare = |pane: &&PaneView| pane.place.row == 0 || tree.window().is_some_and(|window| window.zoomed);
    let Some(pane) = tree.pane().filter(bare) else { return String::new() };
    let text = match &pane.agent {
        Some(agent) => format!("{} {}", agents::state_symbol(agent.state).0, agents::name_of(agent, pane)),
        None if pane.name.is_some() || !pane.title.is_empty() => crate::draw::label(pane),
        None => String::new(),
    };
    match text.width() {
        0..=MOST => text,
        _ => format!("{}…", cut(&text, 0, MOST - 1)),
    }
}
