//! The bridge between an MCP client and the daemon. Calls share one connection to the daemon; a call that waits has a
//! connection of its own, which is closed when nobody waits any more.

mod batches;
mod call_log;
mod call_order;
mod completion;
mod daemon_link;
mod handlers;
mod http;
mod input_end;
mod input_lines;
mod json_rpc;
mod output_lines;
mod push;
mod request_ids;
mod resource_contents;
mod resource_updates;
mod resource_watch;
mod stdio;
mod wait_policy;
mod waiting_calls;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fugue_client::{CallError, DaemonName};
use fugue_protocol::escape;
use rmcp::model::*;
use rmcp::service::{RequestContext, ServerInitializeError, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

use crate::profiles::ToolProfile;
use crate::{indirect_call, instructions, prompts, resources, results, tools};
use call_log::LogLevel;
use daemon_link::DaemonAccess;
use input_end::{grace_over, input_ended};
use push::AgentClient;
use resource_watch::ResourceWatch;
use stdio::Stdio;

pub(crate) use http::{HttpOptions, parse_address, serve as serve_http};

/// Parses one line of input and drops the result, for the fuzzer.
pub(crate) fn parse_line(line: &[u8]) {
    drop(json_rpc::parse(line));
}

/// Serves until the input ends. Nothing is opened or started before the first call.
pub(crate) async fn serve(daemon: DaemonName, profile: ToolProfile) -> Result<(), String> {
    let (ended, end) = watch::channel(false);
    let bridge = Bridge::new(daemon, profile, true, end.clone());
    match bridge.serve(Stdio::new(ended)).await {
        Ok(running) => tokio::select! {
            _ = running.waiting() => {}
            () = grace_over(end) => {}
        },
        // A client may ask only for what the server offers, and then close its end.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(error.to_string()),
    }
    Ok(())
}

/// Rejects a cursor: every list is sent whole, so no cursor was ever given out.
fn check_only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(cursor) => {
            Err(ErrorData::invalid_params(format!("Invalid cursor: {}", escape::quoted(&cursor)), None))
        }
        None => Ok(()),
    }
}

/// The MCP server.
#[derive(Debug)]
pub(crate) struct Bridge {
    /// The daemon that the command line names.
    daemon: DaemonName,
    /// The tools that are listed.
    profile: ToolProfile,
    /// The link to the daemon, once it was needed.
    link: Arc<Mutex<Option<DaemonAccess>>>,
    /// The subscriptions of a client of the older protocol version, by URI.
    watches: Mutex<BTreeMap<String, ResourceWatch>>,
    /// What the client wants logged.
    log_level: LogLevel,
    /// Permits for waits.
    waits: Arc<Semaphore>,
    /// Whether this server has one client, which is the agent that started it.
    is_own: bool,
    /// That agent, once it has made a request.
    agent: OnceLock<Arc<AgentClient>>,
    /// The task that puts notifications into the agent's inbox.
    push: OnceLock<JoinHandle<()>>,
    /// Becomes true when the input ends.
    ended: watch::Receiver<bool>,
}

impl Bridge {
    /// A bridge that has not opened anything.
    fn new(daemon: DaemonName, profile: ToolProfile, is_own: bool, ended: watch::Receiver<bool>) -> Self {
        Self {
            daemon,
            profile,
            link: Arc::default(),
            watches: Mutex::default(),
            log_level: LogLevel::default(),
            waits: Arc::new(Semaphore::new(wait_policy::MAX_WAITS)),
            is_own,
            agent: OnceLock::new(),
            push: OnceLock::new(),
            ended,
        }
    }

    /// A bridge for another client, over the same connection to the daemon. Subscriptions belong to one client.
    fn for_another_client(&self) -> Self {
        Self {
            daemon: self.daemon.clone(),
            profile: self.profile.clone(),
            link: Arc::clone(&self.link),
            watches: Mutex::default(),
            log_level: LogLevel::default(),
            waits: Arc::clone(&self.waits),
            is_own: false,
            agent: OnceLock::new(),
            push: OnceLock::new(),
            ended: self.ended.clone(),
        }
    }

    /// The link to the daemon. It is resolved once, and resolving it opens nothing.
    fn link(&self) -> Result<DaemonAccess, CallError> {
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(link) = &*link {
            return Ok(link.clone());
        }
        Ok(link.insert(DaemonAccess::resolve(&self.daemon)?).clone())
    }

    /// The agent that started this server. A server with several clients has none.
    fn agent(&self, context: &RequestContext<RoleServer>) -> Option<&Arc<AgentClient>> {
        let name = || {
            let stated = context.peer.peer_info().map(|info| info.client_info.name.clone());
            stated.or_else(|| context.meta.client_info().map(|info| info.name))
        };
        self.is_own.then(|| self.agent.get_or_init(|| Arc::new(AgentClient::of_client(name().as_deref()))))
    }

    /// How many messages were unread when the daemon last answered.
    fn unread(&self) -> usize {
        let link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        link.as_ref().map_or(0, |link| link.connection.unread())
    }
}

impl ServerHandler for Bridge {
    #[expect(deprecated, reason = "logging is deprecated in 2026-07-28, but still a part of it")]
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_tools();
        let fugue = Implementation::new("fugue", env!("CARGO_PKG_VERSION"));
        let fugue = fugue.with_title("fugue").with_icons(vec![instructions::icon()]);
        ServerConfig::new(capabilities.build()).with_server_info(fugue).with_instructions(instructions::TEXT)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        check_only_page(request)?;
        self.start_push(&context);
        Ok(ListToolsResult::with_all_items(self.profile.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(refusal) = self.profile.refusal(&request.name) {
            return Ok(results::error(refusal).into());
        }
        let is_indirect = request.name == tools::CALL;
        let mut result = match indirect_call::target(request) {
            Ok(request) => self.logged_call(request, context).await?,
            Err(why) => results::error(why),
        };
        if is_indirect {
            // The schema of a reply belongs to the tool that was called.
            result.structured_content = None;
        }
        Ok(result.into())
    }

    #[expect(deprecated, reason = "logging is deprecated in 2026-07-28, but still a part of it")]
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.log_level.set(&request, &context)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        check_only_page(request)?;
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request.name, request.arguments.unwrap_or_default()).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.completion(&request.r#ref, &request.argument).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        check_only_page(request)?;
        self.watch_list(context.peer).await;
        Ok(ListResourcesResult::with_all_items(self.resources().await))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        check_only_page(request)?;
        let template = self.allows_panes().then(resources::template);
        Ok(ListResourceTemplatesResult::with_all_items(template.into_iter().collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.resource(&request.uri).await.map(Into::into)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribe_peer(request.uri, context.peer).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.unsubscribe_peer(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let wants_list = requested.resources_list_changed == Some(true);
        let requested = requested.resource_subscriptions.iter().flatten();
        let known = requested.filter(|uri| self.resource_at(uri).is_ok()).cloned();
        let accepted = SubscriptionFilter::builder().resource_subscriptions(known.collect::<Vec<_>>());
        Some(if wants_list { accepted.resources_list_changed().build() } else { accepted.build() })
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let _watches = self.subscribe_all(&context);
        tokio::select! {
            () = context.cancelled() => {}
            () = input_ended(self.ended.clone()) => {}
        }
        Ok(())
    }
}
