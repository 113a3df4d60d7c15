//! Completion of the arguments of prompts and of the resource template.

use fugue_agents::KnownAgent;
use fugue_protocol::verbs::{ListPanes, ListSessions};
use rmcp::model::{ArgumentInfo, CompleteResult, CompletionInfo, ErrorData, Reference};

use super::Bridge;
use crate::prompts::{self, ArgumentValues};
use crate::resources;

impl Bridge {
    /// The values that begin with what was typed. No daemon is started for it.
    pub(super) async fn completion(
        &self,
        of: &Reference,
        argument: &ArgumentInfo,
    ) -> Result<CompleteResult, ErrorData> {
        let values = match of {
            Reference::Prompt(prompt) => match prompts::argument_values(&prompt.name, &argument.name)? {
                ArgumentValues::Any => Vec::new(),
                ArgumentValues::Likely(values) => values.iter().map(ToString::to_string).collect(),
                ArgumentValues::KnownAgent => KnownAgent::names().map(str::to_owned).collect(),
                ArgumentValues::SessionName => self.session_names().await,
            },
            Reference::Resource(template)
                if self.allows_panes() && template.uri == resources::template().uri_template =>
            {
                self.pane_names().await
            }
            Reference::Resource(template) => return Err(resources::not_found(&template.uri)),
            _ => return Err(ErrorData::invalid_params("Unknown reference type", None)),
        };
        Ok(CompleteResult::new(matching(values, &argument.value)))
    }

    async fn session_names(&self) -> Vec<String> {
        let sessions =
            self.read(&ListSessions::default()).await.map(|list| list.sessions).unwrap_or_default();
        sessions.iter().map(|session| session.name.to_string()).collect()
    }

    /// The names of panes, and the ids of those that have none.
    async fn pane_names(&self) -> Vec<String> {
        let panes = self.read(&ListPanes::default()).await.map(|list| list.panes).unwrap_or_default();
        let name = |pane: &fugue_protocol::views::PaneView| {
            pane.name.as_ref().map_or_else(|| pane.pane_id.to_string(), ToString::to_string)
        };
        panes.iter().map(name).collect()
    }
}

/// The values with this prefix: as many as MCP allows, and the number of all.
fn matching(mut values: Vec<String>, prefix: &str) -> CompletionInfo {
    let prefix = prefix.to_lowercase();
    values.retain(|value| value.to_lowercase().starts_with(&prefix));
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut info = CompletionInfo::default();
    info.has_more = Some(total > values.len());
    info.total = u32::try_from(total).ok();
    info.values = values;
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_completion_has_at_most_a_hundred_values_and_says_how_many_there_are() {
        let names = |count: usize| (0..count).map(|number| format!("Work-{number}")).collect::<Vec<_>>();
        let all = matching(names(100), "work");
        assert_eq!((all.values.len(), all.total, all.has_more), (100, Some(100), Some(false)));
        let cut = matching(names(101), "");
        assert_eq!((cut.values.len(), cut.total, cut.has_more), (100, Some(101), Some(true)));
        assert_eq!(matching(names(20), "work-1").values.len(), 11);
        assert!(matching(names(20), "x").values.is_empty());
    }
}
