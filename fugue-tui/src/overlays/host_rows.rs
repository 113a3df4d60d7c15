//! Rows of other hosts that have no sessions to list: why, and since when.

use fugue_protocol::Timestamp;

use super::list_row::ListRow;
use super::prompt::quote;
use crate::agents;
use crate::theme::ThemePart;
use crate::tree::{HostState, MAX_OTHER_HOSTS, OtherHost, Tree};

/// The state of a host that cannot be reached.
pub(super) const UNREACHABLE: &str = "unreachable";

/// The symbol of a host that cannot be reached.
const SIGN: (char, ThemePart) = ('⊘', ThemePart::Failed);

/// The hosts that cannot be reached, for how long, and why.
pub(super) fn unreachable(tree: &Tree, now: Timestamp) -> Vec<(&OtherHost, String, &str)> {
    let failed = |host| {
        let (since, reason) = OtherHost::failure(host)?;
        Some((host, agents::ago(now, since), reason))
    };
    tree.others.iter().filter_map(failed).collect()
}

/// A host that cannot be reached, among agents.
pub(super) fn unreachable_row(host: &OtherHost, detail: String) -> ListRow {
    host_row(host, Some(SIGN), detail)
}

/// The hosts in the tree that have no sessions to list, and how many there is no line to.
pub(super) fn state_rows(tree: &Tree) -> impl Iterator<Item = ListRow> {
    let hosts = tree.others.iter().filter(|host| host.sessions.is_empty()).map(state_row);
    let unlisted = (tree.unlisted_hosts > 0).then(|| {
        let text = format!("{} more hosts in config.toml", tree.unlisted_hosts);
        let detail = format!("not shown: a client connects to {MAX_OTHER_HOSTS} hosts");
        let command = format!("say {}", quote(&format!("{text}: {detail}")));
        ListRow { text, detail, command, ..ListRow::default() }
    });
    hosts.chain(unlisted)
}

/// A host in the tree that has no sessions to list.
fn state_row(host: &OtherHost) -> ListRow {
    match &host.state {
        HostState::Unreachable { since, reason } => {
            let detail = format!("{UNREACHABLE} since {}: {reason}", clock_time(*since));
            host_row(host, Some(SIGN), detail)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::tests::tree;

    #[test]
    fn hosts_to_which_there_is_no_line_are_counted_in_the_tree() {
        let mut tree = tree(Vec::new());
        tree.set_others([Some("gpu")].into_iter());
        assert_eq!(state_rows(&tree).count(), 1);
        tree.unlisted_hosts = 7;
        let last = state_rows(&tree).last().expect("a row");
        assert_eq!(last.text, "7 more hosts in config.toml");
        assert_eq!(last.detail, "not shown: a client connects to 100 hosts");
    }
}
