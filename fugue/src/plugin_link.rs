//! `fugue hook AGENT` for an agent that has fugue's plugin instead of hooks: the link between the plugin and the daemon. It
//! runs for as long as the agent does. The plugin writes what the agent is doing, one JSON object per line; the link writes
//! the notifications to submit. A message counts as offered once the plugin says that the model has answered the line.

use std::convert::Infallible;
use std::io::{BufRead, Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use clap::ArgMatches;
use fugue_agents::{MAX_REASON_CHARS, PluginLine, PluginReport};
use fugue_client::{CallError, Connection, ServerFrame, StartPolicy};
use fugue_protocol::agent_messages::DeliveryMethod;
use fugue_protocol::agents::AgentUsage;
use fugue_protocol::conversation::ConversationId;
use fugue_protocol::verbs::{
    AnnounceMessages, ReportConversation, ReportState, SubscribeEvents, VerbSpec, Whoami,
};
use fugue_protocol::views::Identity;
use fugue_protocol::{AgentState, Event, MessageId};
use serde_json::json;

use crate::context;

/// How long to wait before reconnecting to a daemon that went away.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// How often to ask whether the agent was notified in another way while a line waits in its session, and how soon a line
/// that could not be submitted is offered again.
const PENDING_INTERVAL: Duration = Duration::from_secs(5);

/// How many inputs may wait. Lines are rare, and of events only the last one matters.
const QUEUE_LENGTH: usize = 64;

/// The longest line of the plugin, which holds a command or a question. The rest of a longer one is discarded.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// What the link reacts to.
enum LinkInput {
    Line(PluginLine),
    /// The plugin is gone.
    Ended,
    /// The connection to the daemon was made, or made again.
    Connected,
    /// There may be something to notify of.
    News,
    /// The daemon is gone for good, or does not know this pane.
    Unreachable,
}

/// Runs the link until the plugin or the daemon is gone.
pub(crate) fn run(agent: &'static str, args: &ArgMatches) {
    let (sender, inputs) = mpsc::sync_channel(QUEUE_LENGTH);
    let (lines, args_copy) = (sender.clone(), args.clone());
    std::thread::spawn(move || read_lines(&lines));
    std::thread::spawn(move || watch(&args_copy, &sender));
    let args = args.clone();
    let (connection, report, session) = (None, None, None);
    PluginLink { agent, args, connection, report, session, pending: Vec::new(), is_declined: false }
        .serve(&inputs);
}

fn read_lines(inputs: &SyncSender<LinkInput>) {
    let mut stdin = std::io::stdin().lock();
    let mut line = Vec::new();
    while matches!(stdin.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line), Ok(1..)) {
        // A line that this version does not understand says nothing.
        let input = LinkInput::Line(PluginLine::read(&line).unwrap_or_default());
        if inputs.send(input).is_err() {
            return;
        }
        line.clear();
    }
    let _ = inputs.send(LinkInput::Ended);
}

/// Follows the daemon's events, and tells the link which of them matter.
fn watch(args: &ArgMatches, inputs: &SyncSender<LinkInput>) {
    loop {
        let Err(failure) = follow(args, inputs);
        if !failure.is_temporary() {
            let _ = inputs.send(LinkInput::Unreachable);
            return;
        }
        std::thread::sleep(RECONNECT_DELAY);
    }
}

fn follow(args: &ArgMatches, inputs: &SyncSender<LinkInput>) -> Result<Infallible, CallError> {
    let mut events = context::open(args, StartPolicy::Never)?;
    let own = events.call(&Whoami::default())?;
    events.call(&SubscribeEvents::default())?;
    let _ = inputs.send(LinkInput::Connected);
    loop {
        if matches!(events.next_frame()?, ServerFrame::Event(record) if concerns(&record.event, &own)) {
            // A full queue already has something after which the link looks for messages.
            let _ = inputs.try_send(LinkInput::News);
        }
    }
}

/// Whether an event may mean that there is something to notify of.
fn concerns(event: &Event, own: &Identity) -> bool {
    match event {
        Event::MessageSent(sent) => sent.recipients.iter().any(|to| to.session == own.session_id),
        Event::SubscriptionChanged { session, .. } | Event::PushLapsed { session } => {
            *session == own.session_id
        }
        _ => false,
    }
}

/// What the link knows.
struct PluginLink {
    /// The name of the agent.
    agent: &'static str,
    args: ArgMatches,
    connection: Option<Connection>,
    /// The report that the daemon is to have.
    report: Option<PluginReport>,
    session: Option<ConversationId>,
    /// The messages of a line that the plugin has not settled.
    pending: Vec<MessageId>,
    /// Whether the plugin has just said that it could not submit a line: the line is offered again after a while, or when
    /// something else happens.
    is_declined: bool,
}

impl PluginLink {
    fn serve(&mut self, inputs: &Receiver<LinkInput>) {
        loop {
            let input = match self.pending.is_empty() && !self.is_declined {
                true => inputs.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => inputs.recv_timeout(PENDING_INTERVAL),
            };
            self.is_declined = false;
            match input {
                Ok(LinkInput::Line(line)) => self.take_line(line),
                Ok(LinkInput::Connected) => self.report_all(),
                Ok(LinkInput::News) | Err(RecvTimeoutError::Timeout) => {}
                Ok(LinkInput::Ended | LinkInput::Unreachable) | Err(RecvTimeoutError::Disconnected) => {
                    return self.withdraw();
                }
            }
            if !self.is_declined {
                self.look_for_messages();
            }
        }
    }

    fn take_line(&mut self, line: PluginLine) {
        if line.session.is_some() && line.session != self.session {
            self.session = line.session;
            self.report_session();
        }
        if line.report.is_some() && line.report != self.report {
            self.report = line.report;
            self.report_state();
        }
        if let Some(taken) = line.taken {
            let confirm = std::mem::take(&mut self.pending);
            self.is_declined = !taken;
            if taken && !confirm.is_empty() {
                self.call(&announcement(false, confirm));
            }
        }
    }

    fn report_all(&mut self) {
        self.report_session();
        self.report_state();
    }

    fn report_session(&mut self) {
        if let Some(id) = self.session.clone() {
            self.call(&ReportConversation { agent: self.agent.into(), id });
        }
    }

    fn report_state(&mut self) {
        if let Some(PluginReport { state, reason, until, usage, command }) = self.report.clone() {
            let reason = reason.map(|reason| reason.chars().take(MAX_REASON_CHARS).collect());
            let AgentUsage { context_tokens, cost_micros } = usage;
            let (agent, hook) = (self.agent.into(), false);
            self.call(&ReportState {
                agent,
                state,
                reason,
                until,
                context_tokens,
                cost_micros,
                command,
                hook,
            });
        }
    }

    /// What a plugin that is gone said does not count any longer.
    fn withdraw(&mut self) {
        if self.report.is_some() {
            self.report = Some(PluginReport {
                state: AgentState::Unknown,
                reason: None,
                until: None,
                usage: AgentUsage::default(),
                command: None,
            });
            self.report_state();
        }
    }

    /// Passes a notification of new messages to the plugin, one at a time and only if there is a session for it.
    fn look_for_messages(&mut self) {
        if self.session.is_none() {
            return;
        }
        let Some(news) = self.call(&announcement(true, self.pending.clone())) else { return };
        if !self.pending.is_empty() {
            // The agent may have read them meanwhile.
            self.pending.retain(|message| news.messages.contains(message));
        } else if let Some(text) = news.text {
            self.pending = news.messages;
            // Nothing else announces meanwhile what is on its way.
            self.call(&announcement(true, self.pending.clone()));
            let mut out = std::io::stdout();
            let _ = writeln!(out, "{}", json!({ "text": text })).and_then(|()| out.flush());
        }
    }

    /// Makes a call. Without a daemon, there is no reply: everything is reported again once there is one.
    fn call<V: VerbSpec>(&mut self, verb: &V) -> Option<V::Reply> {
        if self.connection.is_none() {
            self.connection = context::open(&self.args, StartPolicy::Never).ok();
        }
        match self.connection.as_mut()?.call(verb) {
            Ok(reply) => Some(reply),
            Err(CallError::Refused(_)) => None,
            Err(_) => {
                self.connection = None;
                None
            }
        }
    }
}

fn announcement(peek: bool, confirm: Vec<MessageId>) -> AnnounceMessages {
    AnnounceMessages { news: true, way: DeliveryMethod::Push, peek, confirm, ..AnnounceMessages::default() }
}

#[cfg(test)]
mod tests {
    use fugue_testkit::Random;

    use super::*;

    #[test]
    fn any_line_of_the_plugin_is_read_or_says_nothing() {
        const WORDS: [&str; 8] = ["report", "session", "taken", "state", "reason", "until", "usage", "ses_1"];
        let mut random = Random(7);
        let mut read = 0;
        for _ in 0..100_000 {
            let text = random.nearly_json(&WORDS);
            let Some(line) = PluginLine::read(text.as_bytes()) else { continue };
            read += 1;
            let id = line.session.map(|id| id.to_string());
            assert!(id.is_none_or(|id| !id.is_empty() && !id.contains(char::is_control)), "{text}");
        }
        assert!(read > 1_000, "only {read} lines were valid");
    }
}
