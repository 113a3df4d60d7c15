//! Reading resources. This starts no daemon: clients list resources without being asked.

use fugue_client::{Call, CallError, StartPolicy};
use fugue_protocol::escape::quoted;
use fugue_protocol::verbs::{GetOutput, ListPanes, ListSessions, Mode, PaneChoice, PollMessages, VerbSpec};
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents};
use serde_json::value::to_raw_value;

use super::Bridge;
use crate::resources::{self, Address};

impl Bridge {
    /// The tree and every pane; nothing but the tree where no daemon runs.
    pub(super) async fn resources(&self) -> Vec<Resource> {
        let panes = self.read(&ListPanes::default()).await.map(|list| list.panes).unwrap_or_default();
        [resources::sessions(), resources::inbox()]
            .into_iter()
            .chain(panes.iter().map(resources::pane))
            .collect()
    }

    /// What stands at an address.
    pub(super) async fn resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let unknown = || ErrorData::resource_not_found(format!("there is no resource {}", quoted(uri)), None);
        let contents = match Address::read(uri).ok_or_else(unknown)? {
            Address::Sessions => self.tree(uri).await,
            Address::Inbox => self.inbox(uri).await,
            Address::Pane(pane) => self.screen(uri, pane).await,
        };
        let contents = contents.map_err(|why| ErrorData::resource_not_found(why.to_string(), None))?;
        Ok(ReadResourceResult::new(vec![contents]))
    }

    async fn tree(&self, uri: &str) -> Result<ResourceContents, CallError> {
        let sessions = self.read(&ListSessions {}).await?;
        let text = serde_json::to_string(&sessions).map_err(|why| CallError::Strange(why.to_string()))?;
        Ok(ResourceContents::text(text, uri).with_mime_type("application/json"))
    }

    async fn inbox(&self, uri: &str) -> Result<ResourceContents, CallError> {
        let page = self.read(&PollMessages::default()).await?;
        let text = serde_json::to_string(&page).map_err(|why| CallError::Strange(why.to_string()))?;
        Ok(ResourceContents::text(text, uri).with_mime_type("application/json"))
    }

    async fn screen(&self, uri: &str, pane: String) -> Result<ResourceContents, CallError> {
        let Ok(choice) = pane.parse().map(|pane| PaneChoice { pane: Some(pane), session: None });
        let read = self.read(&GetOutput { choice, mode: Mode::Screen, ..GetOutput::default() }).await?;
        Ok(ResourceContents::text(read.text, uri))
    }

    /// Reads, if a daemon runs.
    pub(super) async fn read<V: VerbSpec>(&self, verb: &V) -> Result<V::Reply, CallError> {
        let strange = |why: serde_json::Error| CallError::Strange(why.to_string());
        let args = to_raw_value(verb).map_err(strange)?;
        let call = Call { verb: V::NAME, args, repeatable: true, starting: StartPolicy::Never };
        serde_json::from_str(self.reach()?.link.call(call).await?.get()).map_err(strange)
    }
}
