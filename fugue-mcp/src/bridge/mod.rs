//! The bridge: MCP on one side, the daemon on the other. A call goes to the daemon over one connection that all calls
//! share; a wait has a connection of its own, which is closed when nobody waits any more.

mod awaiting;
mod envelope;
mod handlers;
mod ids;
mod lines;
mod order;
mod pushing;
mod reading;
mod stdio;
mod waiting;
mod watching;

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use fugue_client::{CallError, Endpoint, Env, Paths, SharedConnection};
use fugue_protocol::messages::Role;
use rmcp::model::*;
use rmcp::service::{RequestContext, ServerInitializeError, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::sync::{Semaphore, watch};
use tokio::task::{AbortHandle, JoinHandle};

use crate::answers;
use crate::resources::{self, Address};
use crate::{instructions, tools};
use order::Ticket;
use pushing::Inbox;
use stdio::Stdio;

/// Calls under way when the input ends may finish within this; waits are let go at once.
const LAST_CALLS: Duration = Duration::from_millis(500);

/// Serves until the input ends. Nothing is opened or started before the first call.
pub(crate) async fn serve(server: Option<String>) -> Result<(), String> {
    let (ended, end) = watch::channel(false);
    let bridge = Bridge {
        server,
        reached: Mutex::default(),
        watches: Mutex::default(),
        waits: Semaphore::new(waiting::WAITS),
        inbox: Inbox::given(),
        pushing: OnceLock::new(),
        ended: end.clone(),
    };
    match bridge.serve(Stdio::new(ended)).await {
        Ok(running) => tokio::select! {
            _ = running.waiting() => {}
            () = over(end) => {}
        },
        // A client that only looks what there is has seen it.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(why) => return Err(why.to_string()),
    }
    Ok(())
}

/// The input has ended, and a moment for the last answers has passed.
async fn over(end: watch::Receiver<bool>) {
    ended(end).await;
    tokio::time::sleep(LAST_CALLS).await;
}

/// Waits for the end of the input.
async fn ended(mut end: watch::Receiver<bool>) {
    let _ = end.wait_for(|ended| *ended).await;
}

/// What is served.
#[derive(Debug)]
pub(crate) struct Bridge {
    server: Option<String>,
    /// The way to the daemon, once somebody has asked for it.
    reached: Mutex<Option<Reached>>,
    /// What a client of the older era subscribed to.
    watches: Mutex<BTreeMap<String, AbortHandle>>,
    /// Places for waits.
    waits: Semaphore,
    /// The agent's own inbox, if it has one.
    inbox: Option<Inbox>,
    /// The task that tells it there.
    pushing: OnceLock<JoinHandle<()>>,
    ended: watch::Receiver<bool>,
}

/// The way to the daemon.
#[derive(Debug, Clone)]
struct Reached {
    dial: Endpoint,
    link: SharedConnection,
}

impl Bridge {
    /// The way to the daemon, found once. Finding it opens nothing.
    fn reach(&self) -> Result<Reached, CallError> {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reached) = &*reached {
            return Ok(reached.clone());
        }
        let around = Env::own_or_inherited();
        let places = Paths::seen_from(self.server.as_deref(), &around)?;
        let pane = around.claimed_pane(&places.socket);
        let dial = Endpoint { paths: places, role: Role::Bridge, pane };
        Ok(reached.insert(Reached { link: SharedConnection::new(dial.clone()), dial }).clone())
    }
}

impl Bridge {
    /// Messages that lay unread for this agent when the daemon last answered.
    fn unread(&self) -> usize {
        let reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        reached.as_ref().map_or(0, |reached| reached.link.unread())
    }
}

impl ServerHandler for Bridge {
    fn get_info(&self) -> ServerConfig {
        let offers =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_resources_subscribe();
        let fugue = Implementation::new("fugue", env!("CARGO_PKG_VERSION")).with_title("fugue");
        ServerConfig::new(offers.build()).with_server_info(fugue).with_instructions(instructions::TEXT)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all().iter().map(|entry| entry.tool.clone()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let ticket = context.extensions.remove::<Ticket>();
        let cancelled = context.ct.clone();
        tokio::select! {
            result = self.answer(request, &context, ticket) => {
                self.begin_pushing();
                Ok(answers::unread::told(result, self.unread()).into())
            }
            // Nobody hears this any more; dropping the call is the point.
            () = cancelled.cancelled() => {
                Ok(CallToolResult::error(vec![ContentBlock::text("cancelled")]).into())
            }
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(self.resources().await))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
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
        self.watch_for(request.uri, context.peer).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.forget(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let wanted = requested.resource_subscriptions.iter().flatten();
        let ours = wanted.filter(|uri| Address::read(uri).is_some()).cloned();
        Some(SubscriptionFilter::builder().resource_subscriptions(ours.collect::<Vec<_>>()).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let _watches = self.watches_of(&context);
        tokio::select! {
            () = context.cancelled() => {}
            () = ended(self.ended.clone()) => {}
        }
        Ok(())
    }
}
