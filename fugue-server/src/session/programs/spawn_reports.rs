//! The replies for agents that were started, completed with what their panes and their own records show.

use std::path::PathBuf;

use fugue_agents::{Environment, KnownAgent};
use fugue_core::edge_request::{SpawnReport, WaitRequest};
use fugue_protocol::verbs::Until;
use fugue_protocol::views::{LastMessage, LastMessageSource, SpawnStatus, SpawnedAgent};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use crate::last_message::{self, LastMessageRequest};
use crate::replies::reply::Reply;
use crate::session::manager::Manager;
use crate::session::requests::multi_wait::WaitAnswer;
use crate::tasks;

impl Manager {
    /// Replies with what became of an agent that was started.
    pub(crate) fn reply_with_report(&self, report: SpawnReport, reply: Reply) {
        let (record, screen) = (self.last_message_request(&report), self.screen(&report.told));
        let SpawnReport { mut told, agent, run, wants_message, .. } = report;
        if told.status == SpawnStatus::Exited && run.is_some_and(|run| self.host.take_setup_mark(run)) {
            told.status = SpawnStatus::SetupFailed;
            let exit = told.exit.map(|exit| format!(" ({exit})")).unwrap_or_default();
            told.reason = format!("The setup command failed{exit}, so {agent} was not started");
        }
        let wants_message = wants_message && told.status != SpawnStatus::SetupFailed;
        tasks::spawn_local(async move {
            if wants_message && let Some(record) = record {
                let text = spawn_blocking(move || last_message::read(&record)).await.ok().flatten();
                told.last_message =
                    text.map(|text| LastMessage { text, source: LastMessageSource::Conversation });
            }
            if wants_lines(&told) {
                told.last_lines = lines(screen).await.unwrap_or_default();
            } else if wants_message && told.last_message.is_none() {
                let text = lines(screen).await.unwrap_or_default();
                told.last_message = Some(LastMessage { text, source: LastMessageSource::Screen });
            }
            reply.done(&told);
        });
    }

    /// Returns where the agent's last message may be recorded.
    fn last_message_request(&self, report: &SpawnReport) -> Option<LastMessageRequest> {
        let pane = self.world().panes.get(&report.told.pane_id)?;
        let session = self.world().session_of(pane);
        let variable = |name: &str| {
            let own = pane.launch.environment.get(name).or_else(|| session.environment.get(name));
            let inherited = || self.host.environment.inherited.iter().find(|(own, _)| own == name);
            own.map(PathBuf::from).or_else(|| inherited().map(|(_, value)| value.into()))
        };
        let agent = KnownAgent::find(&report.agent)?;
        Some(LastMessageRequest {
            agent,
            conversation: report.told.conversation.clone().map(|conversation| conversation.id),
            directory: pane.launch.cwd.clone()?.into(),
            since: report.begun,
            home: (agent.data_directory)(&Environment::new(&variable("HOME")?, &variable)),
        })
    }

    /// Asks a pane for its last lines, or those of its screen.
    fn screen(&self, told: &SpawnedAgent) -> Option<oneshot::Receiver<WaitAnswer>> {
        let at_once = WaitRequest {
            until: Until::Idle,
            pattern: None,
            since: None,
            idle_ms: 0,
            states: Vec::new(),
            timeout_ms: 0,
        };
        self.panes.get(told.pane_id).map(|pane| pane.wait(at_once))
    }
}

/// Whether the last lines of the pane say more than the reply.
fn wants_lines(told: &SpawnedAgent) -> bool {
    match told.status {
        SpawnStatus::Started
        | SpawnStatus::Ready
        | SpawnStatus::PromptAccepted
        | SpawnStatus::Done
        | SpawnStatus::Closed => false,
        SpawnStatus::Dialog => told.dialog.is_none(),
        SpawnStatus::Failed | SpawnStatus::Exited | SpawnStatus::SetupFailed | SpawnStatus::Timeout => true,
    }
}

async fn lines(screen: Option<oneshot::Receiver<WaitAnswer>>) -> Option<String> {
    let tail = screen?.await.ok()?.ok()?.tail;
    let tail = tail.trim_matches('\n').trim_end();
    Some(if tail.is_empty() { String::new() } else { format!("{tail}\n") })
}
