//! The panes that must be there from the beginning to the end, with the same processes.

use std::collections::BTreeMap;

use fugue_testkit::TestServer;
use serde_json::Value;

use super::tally::Tally;

/// The warning after two kills in the first seconds of an upgrade, which the kills at random instants may be.
const ROLLED_BACK: &str = "The upgrade was rolled back: it was killed by signal 9";

/// The end of the warning after a stop of the keeper.
const KEEPER_STOPPED: &str = "was stopped by a signal and was replaced";

/// The beginning of the warning about the relay, which has no server to connect to.
const RELAY_ALONE: &str = "The relay is not connected to NATS";

/// Whether a warning is about one of the faults.
fn is_expected(warning: &str) -> bool {
    warning.starts_with(ROLLED_BACK) || warning.ends_with(KEEPER_STOPPED) || warning.starts_with(RELAY_ALONE)
}

/// The process and the state of each pane, by the pane's id.
pub(super) struct PaneList(BTreeMap<String, (Value, Value)>);

impl PaneList {
    pub(super) fn read(server: &TestServer) -> Self {
        let panes = server.json(&["list-panes"])["panes"].clone();
        let panes = panes.as_array().expect("panes").iter();
        let entry = |pane: &Value| {
            let id = pane["pane_id"].as_str().expect("an id").to_owned();
            (id, (pane["pid"].clone(), pane["state"].clone()))
        };
        Self(panes.map(entry).collect())
    }

    /// Checks that every pane is still there with its process, and that the user is warned of the faults at most.
    pub(super) fn compare(&self, server: &TestServer) -> Tally {
        let mut tally = Tally::new("panes");
        let after = Self::read(server);
        for (id, before) in &self.0 {
            match after.0.get(id) {
                None => tally.lose(1, || format!("pane {id} is gone")),
                Some(now) if now != before => tally.mistake(|| format!("pane {id}: {before:?}, now {now:?}")),
                Some(_) => {}
            }
        }
        let status = server.json(&["server-status"]);
        let warnings = status["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for warning in warnings.filter(|warning| !is_expected(warning)) {
            tally.mistake(|| format!("warning: {warning}"));
        }
        tally.counts = format!("{} kept their process", self.0.len() - tally.lost);
        tally
    }
}
