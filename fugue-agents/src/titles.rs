//! Evidence in titles: the glyph that an agent puts first. Only unambiguous glyphs are listed: Claude Code's `✳` means
//! both idle and asking, so it is no evidence.

use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};
use serde::Deserialize;

/// The state that a title means if it starts with one of these texts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TitleRule {
    state: AgentState,
    starts: Vec<String>,
}

impl TitleRule {
    /// Returns the evidence in a title.
    pub(crate) fn evidence(&self, title: &str) -> Option<Evidence> {
        let rest = self.starts.iter().find_map(|start| title.strip_prefix(start.as_str()))?;
        let asks = self.state.needs_somebody();
        Some(Evidence {
            reason: asks.then(|| rest.trim().to_owned()),
            waits_for: asks.then_some(WaitsFor::Permission),
            ..Evidence::new(EvidenceSource::Title, self.state)
        })
    }
}
