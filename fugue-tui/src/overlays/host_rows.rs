//! Rows of other hosts that have no sessions to list: why, and since when.

use fugue_protocol::Timestamp;

use super::list::ListRow;
use super::prompt::quote;
use crate::agents;
use crate::theme::ThemePart;
use crate::tree::{HostState, OtherHost, Tree};

/// The hosts that cannot be reached, in the columns of the list of agents.
pub(super) fn unreachable_rows(tree: &Tree, now: Timestamp) -> Vec<ListRow> {
    let row = |host: &OtherHost| {
        let (since, reason) = host.failure()?;
        let detail = format!("{:<15} {:>3}  {reason}", "unreachable", agents::ago(now, since));
        Some(host_row(host, Some(('⊘', ThemePart::Failed)), detail))
    };
    tree.others.iter().filter_map(row).collect()
}

/// A host in the tree that has no sessions to list.
pub(super) fn state_row(host: &OtherHost) -> ListRow {
    match &host.state {
        HostState::Unreachable { since, reason } => {
            let detail = format!("unreachable since {}: {reason}", clock_time(*since));
            host_row(host, Some(('⊘', ThemePart::Failed)), detail)
        }
        HostState::Connecting => host_row(host, None, "connecting…".into()),
        HostState::NoDaemon => host_row(host, None, "no fugue daemon is running".into()),
        HostState::Reachable => host_row(host, None, "no sessions".into()),
    }
}

fn host_row(host: &OtherHost, sign: Option<(char, ThemePart)>, detail: String) -> ListRow {
    let command = format!("say {}", quote(&format!("{}: {}", host.label(), detail.trim())));
    ListRow { sign, text: host.label().to_owned(), detail, command, ..ListRow::default() }
}

/// The time of day at this place, with the date if it was not today.
fn clock_time(at: Timestamp) -> String {
    let at = i64::try_from(at.millis()).ok().and_then(chrono::DateTime::from_timestamp_millis);
    let Some(at) = at.map(|at| at.with_timezone(&chrono::Local)) else { return String::new() };
    let is_today = at.date_naive() == chrono::Local::now().date_naive();
    at.format(if is_today { "%H:%M" } else { "%d %b %H:%M" }).to_string()
}
