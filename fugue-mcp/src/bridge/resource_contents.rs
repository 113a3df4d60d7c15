//! Listing and reading resources. Neither starts a daemon, because clients list resources without being asked to.

use fugue_client::{Call, CallError, StartPolicy};
use fugue_protocol::escape::quoted;
use fugue_protocol::verbs::{GetOutput, ListPanes, ListSessions, Mode, PaneChoice, PollMessages, VerbSpec};
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents};
use serde::Serialize;
use serde_json::value::to_raw_value;

use super::Bridge;
use crate::resources::{self, ResourceUri};
use crate::results;

impl Bridge {
    /// The session tree, the inbox, and every pane, as far as the profile allows them; no panes if no daemon runs.
    pub(super) async fn resources(&self) -> Vec<Resource> {
        let mut allowed = Vec::new();
        if self.profile.allows_resource(&ResourceUri::Sessions) {
            allowed.push(resources::sessions());
        }
        if self.profile.allows_resource(&ResourceUri::Inbox) {
            allowed.push(resources::inbox());
        }
        if self.allows_panes() {
            let panes = self.read(&ListPanes::default()).await.map(|list| list.panes).unwrap_or_default();
            allowed.extend(panes.iter().map(resources::pane));
        }
        allowed
    }

    /// Whether the profile allows the screens of panes.
    pub(super) fn allows_panes(&self) -> bool {
        self.profile.allows_resource(&ResourceUri::Pane(String::new()))
    }

    /// The resource that a URI names, if the profile allows it.
    pub(super) fn resource_at(&self, uri: &str) -> Result<ResourceUri, ErrorData> {
        let resource = ResourceUri::parse(uri).ok_or_else(|| resources::not_found(uri))?;
        match self.profile.allows_resource(&resource) {
            true => Ok(resource),
            false => Err(ErrorData::resource_not_found(self.profile.not_available(&quoted(uri)), None)),
        }
    }

    /// The contents of a resource.
    pub(super) async fn resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let contents = match self.resource_at(uri)? {
            ResourceUri::Sessions => self.read_json(uri, &ListSessions::default()).await,
            ResourceUri::Inbox => self.read_json(uri, &PollMessages::default()).await,
            ResourceUri::Pane(pane) => self.read_screen(uri, pane).await,
        };
        let contents = contents.map_err(|error| results::resource_error(&error))?;
        Ok(ReadResourceResult::new(vec![contents]))
    }

    async fn read_json<V>(&self, uri: &str, verb: &V) -> Result<ResourceContents, CallError>
    where
        V: VerbSpec,
        V::Reply: Serialize,
    {
        let reply = self.read(verb).await?;
        let text = serde_json::to_string(&reply).map_err(|error| CallError::Malformed(error.to_string()))?;
        Ok(ResourceContents::text(text, uri).with_mime_type("application/json"))
    }

    async fn read_screen(&self, uri: &str, pane: String) -> Result<ResourceContents, CallError> {
        let Ok(choice) = pane.parse().map(|pane| PaneChoice { pane: Some(pane), session: None });
        let output =
            self.read(&GetOutput { choice, mode: Some(Mode::Screen), ..GetOutput::default() }).await?;
        Ok(ResourceContents::text(output.text, uri).with_mime_type("text/plain"))
    }

    /// Makes a read-only request, if a daemon runs.
    pub(super) async fn read<V: VerbSpec>(&self, verb: &V) -> Result<V::Reply, CallError> {
        let unreadable = |error: serde_json::Error| CallError::Malformed(error.to_string());
        let args = to_raw_value(verb).map_err(unreadable)?;
        let call = Call { verb: V::NAME, args, repeatable: true, starting: StartPolicy::Never };
        serde_json::from_str(self.link()?.connection.call(call).await?.get()).map_err(unreadable)
    }
}
