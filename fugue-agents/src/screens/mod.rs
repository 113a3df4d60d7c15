//! What screens look like: dialogs, errors, and the state of agents that say nothing themselves. A rule holds as long as
//! the screen shows it and no longer. Its test is a captured screen in `captured/`, whose state is in the list there.

use std::time::Duration;

use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};
use serde::Deserialize;

use row_pattern::RowPattern;

mod row_pattern;

/// The rows at the end of a screen in which the foot of a dialog is.
const FOOT: usize = 3;

/// The longest reason, in characters: enough for a command line.
const LONGEST_REASON: usize = 300;

/// What a screen looks like in one state.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScreenRule {
    state: AgentState,
    /// What the agent waits for in this state.
    waits_for: Option<WaitsFor>,
    /// How many rows are looked at, from the last one that shows something.
    rows: usize,
    /// Texts that are all in these rows.
    #[serde(default)]
    texts: Vec<String>,
    /// A pattern that these rows match.
    pattern: Option<RowPattern>,
    /// Texts of which none is in these rows.
    #[serde(default)]
    without: Vec<String>,
    /// A text in the last rows, where a dialog says which keys it takes.
    foot: Option<String>,
    /// Only rows below the last one with one of these texts are looked at.
    #[serde(default)]
    below: Vec<String>,
    /// How rows with a prompt begin. The last such row is the input field, and only rows below the one before it, which is
    /// the last prompt that was sent, are looked at.
    prompt: Option<String>,
    /// Patterns whose groups are the reason, joined by colons.
    #[serde(default)]
    reason: Vec<RowPattern>,
    /// A pattern whose group is the time until the state ends, such as `1m 20s`.
    ends_in: Option<RowPattern>,
}

impl ScreenRule {
    /// Returns the first invalid pattern and what is wrong with it.
    pub(crate) fn mistake(&self) -> Option<(&str, String)> {
        let whole = self.pattern.iter().map(|pattern| (pattern, false));
        let groups = self.reason.iter().chain(&self.ends_in).map(|pattern| (pattern, true));
        whole.chain(groups).find_map(|(pattern, needs_group)| pattern.mistake(needs_group))
    }

    /// Returns what these rows say at a time, if the rule fits.
    pub(crate) fn evidence(&self, rows: &[String], now: Timestamp) -> Option<Evidence> {
        let used = rows.iter().rposition(|row| !row.trim().is_empty()).map_or(0, |last| last + 1);
        let foot = &rows[used.saturating_sub(FOOT)..used];
        let seen = self.below(self.last_turn(&rows[used.saturating_sub(self.rows)..used]));
        let fits = self.texts.iter().all(|text| has(seen, text))
            && !self.without.iter().any(|text| has(seen, text))
            && self.foot.iter().all(|text| has(foot, text));
        if !fits {
            return None;
        }
        let text = seen.join("\n");
        self.pattern.iter().all(|pattern| pattern.is_match(&text)).then(|| Evidence {
            reason: self.reason(&text),
            waits_for: self.waits_for,
            until: self
                .ends_in
                .as_ref()
                .and_then(|pattern| Some(now.after(duration(pattern.group(&text)?)?))),
            ..Evidence::new(EvidenceSource::Screen, self.state)
        })
    }

    /// Returns the rows below the last one with one of the texts.
    fn below<'a>(&self, rows: &'a [String]) -> &'a [String] {
        let marks = |row: &String| self.below.iter().any(|text| row.contains(text.as_str()));
        rows.iter().rposition(marks).map_or(rows, |last| &rows[last + 1..])
    }

    /// Returns the rows below the last prompt that was sent.
    fn last_turn<'a>(&self, rows: &'a [String]) -> &'a [String] {
        let Some(prompt) = &self.prompt else { return rows };
        let is_prompt = |row: &String| row.starts_with(prompt.as_str());
        let field = rows.iter().rposition(is_prompt).unwrap_or(0);
        rows[..field].iter().rposition(is_prompt).map_or(rows, |sent| &rows[sent + 1..])
    }

    fn reason(&self, text: &str) -> Option<String> {
        let parts: Vec<_> = self.reason.iter().filter_map(|pattern| pattern.group(text)).collect();
        let words: Vec<_> = parts.iter().map(|part| plain(part)).collect();
        let reason = words.join(": ").replace("?: ", "? ");
        let reason: String = reason.chars().take(LONGEST_REASON).collect();
        (!reason.is_empty()).then_some(reason)
    }
}

/// A text without drawings, such as the spinner that OpenCode draws over it.
fn plain(text: &str) -> String {
    let is_drawing =
        |c: char| matches!(c, '\u{2500}'..='\u{25ff}' | '\u{2800}'..='\u{28ff}' | '\u{2b1b}'..='\u{2b1d}');
    text.split(|c: char| c.is_whitespace() || is_drawing(c))
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn has(rows: &[String], text: &str) -> bool {
    rows.iter().any(|row| row.contains(text))
}

/// Parses a duration such as `8s`, `8` or `1m 20s`.
fn duration(text: &str) -> Option<Duration> {
    let seconds = text.split_whitespace().map(|part| {
        let number = part.trim_end_matches(|unit: char| unit.is_alphabetic());
        let factor = match &part[number.len()..] {
            "" | "s" | "sec" | "seconds" => 1,
            "m" | "min" => 60,
            "h" => 3_600,
            _ => return None,
        };
        Some(number.parse::<u64>().ok()?.saturating_mul(factor))
    });
    seconds.sum::<Option<u64>>().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_agents_write_them() {
        let seconds = |text| duration(text).map(|duration| duration.as_secs());
        assert_eq!(["8s", "8", "1m 20s", "2h"].map(seconds), [Some(8), Some(8), Some(80), Some(7_200)]);
        assert_eq!(["soon", "5 apples"].map(seconds), [None, None]);
    }
}
