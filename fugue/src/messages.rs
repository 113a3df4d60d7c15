//! `fugue messages`: messages with their delivery status. With `--follow` it prints every change, also across a restart
//! of the daemon.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use fugue_client::{CallError, Connection, ServerFrame, StartPolicy};
use fugue_protocol::agent_messages::DeliveryState;
use fugue_protocol::escape::escape_json;
use fugue_protocol::render::ForPeople;
use fugue_protocol::verbs::{GetServerStatus, ListMessages, MessageStatus, SubscribeEvents};
use fugue_protocol::views::{MessageList, MessageReport};
use fugue_protocol::{Event, MessageId};

use crate::context::{self, CommandFailure};
use crate::print;

/// The command line of `fugue messages`: the flags of `list-messages`, and `--follow`.
pub(crate) fn command() -> Command {
    let follow = Arg::new("follow").long("follow").short('f').action(ArgAction::SetTrue);
    ListMessages::augment_args(Command::new("messages"))
        .about("Show messages and their delivery status")
        .arg(follow.help("Keep printing changes until interrupted"))
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = &context::parse(command(), words)?;
    let list = ListMessages::from_arg_matches(args)?;
    let start = StartPolicy::IfNeeded;
    let mut timeline = Timeline { args, list, start, seen: None, shown: BTreeMap::new() };
    let follow = args.get_flag("follow");
    loop {
        match timeline.show() {
            // Only a daemon that was shut down has no successor: it is not started again just to be listened to.
            Err(CallError::Lost(_)) if follow => timeline.start = StartPolicy::Never,
            Err(error) if follow && error.is_shutdown() => {
                timeline.start = StartPolicy::Never;
                context::await_end(args);
            }
            Err(CallError::NoDaemon(_)) if timeline.start == StartPolicy::Never => {
                let _ = writeln!(
                    std::io::stderr(),
                    "fugue: The daemon was shut down; there are no more messages"
                );
                return Ok(());
            }
            Err(error) => return Err(error.into()),
            Ok(()) => return Ok(()),
        }
    }
}

/// How many messages are remembered as shown: as many as may still change their delivery status.
const REMEMBERED: usize = 10_000;

/// The messages shown so far.
struct Timeline<'a> {
    args: &'a ArgMatches,
    list: ListMessages,
    /// Whether a daemon is started: not any more once it was there.
    start: StartPolicy,
    /// The newest event received.
    seen: Option<u64>,
    /// The delivery states of each message when it was shown.
    shown: BTreeMap<MessageId, Vec<DeliveryState>>,
}

impl Timeline<'_> {
    fn open(&self) -> Result<Connection, CallError> {
        match self.start {
            StartPolicy::IfNeeded => context::open_to_read(self.args),
            StartPolicy::Never => context::open(self.args, StartPolicy::Never),
        }
    }

    /// Shows the messages there are, once; with `--follow`, then shows every change.
    fn show(&mut self) -> Result<(), CallError> {
        let mut connection = self.open()?;
        let follow = self.args.get_flag("follow");
        if self.seen.is_none() {
            let newest = connection.call(&GetServerStatus {})?.last_event;
            let found = connection.call(&self.list)?;
            if !follow {
                return self.print_list(&found);
            }
            for report in &found.messages {
                self.print(report)?;
            }
            self.seen = Some(newest);
        }
        self.watch(&mut connection)
    }

    fn print_list(&self, found: &MessageList) -> Result<(), CallError> {
        let strange = |why: serde_json::Error| CallError::Malformed(why.to_string());
        match self.args.get_flag("json") {
            true => {
                let text = escape_json(&serde_json::to_string(found).map_err(strange)?).into_owned();
                let _ = writeln!(std::io::stdout(), "{text}");
            }
            false => print::print_text(&found.for_people(&print::PEOPLE)),
        }
        Ok(())
    }

    /// Prints a message unless it was already shown with this delivery status.
    fn print(&mut self, report: &MessageReport) -> Result<(), CallError> {
        let states: Vec<_> = report.receipts.iter().map(|receipt| receipt.state).collect();
        if self.shown.insert(report.message.message_id, states.clone()) == Some(states) {
            return Ok(());
        }
        while self.shown.len() > REMEMBERED {
            self.shown.pop_first();
        }
        let text = text(report, self.args.get_flag("json"));
        // A reader that has gone away ends the command.
        write!(std::io::stdout(), "{text}").map_err(|_| CallError::Local("Standard output is closed".into()))
    }

    /// Shows messages as their delivery status changes.
    fn watch(&mut self, connection: &mut Connection) -> Result<(), CallError> {
        let mut events = self.open()?;
        events.call(&SubscribeEvents { since: self.seen })?;
        loop {
            let ServerFrame::Event(event) = events.next_frame()? else { continue };
            for message in changed_messages(&event.event) {
                if let Some(report) = filtered(connection, message, &self.list)? {
                    self.print(&report)?;
                }
            }
            self.seen = event.id.or(self.seen);
        }
    }
}

fn text(report: &MessageReport, json: bool) -> String {
    match json {
        true => escape_json(&serde_json::to_string(report).unwrap_or_default()).into_owned() + "\n",
        false => report.for_people(&print::PEOPLE).escaped().into_owned(),
    }
}

/// The messages whose delivery status an event changes.
fn changed_messages(event: &Event) -> Vec<MessageId> {
    match event {
        Event::MessageSent(sent) => std::iter::once(sent.message).chain(sent.reply_to).collect(),
        Event::MessagesOffered { messages, .. }
        | Event::MessagesRead { messages, .. }
        | Event::MessagesRelayed { messages, .. }
        | Event::MessagesExpired { messages, .. }
        | Event::MessagesDeadLettered { messages, .. } => messages.clone(),
        Event::RecipientsFound { message, .. } => vec![*message],
        Event::ReceiptsArrived { receipts, .. } => {
            receipts.iter().map(|receipt| receipt.message_id).collect()
        }
        _ => Vec::new(),
    }
}

/// A message with its delivery status, if it passes the filters and is still kept.
fn filtered(
    connection: &mut Connection,
    message_id: MessageId,
    list: &ListMessages,
) -> Result<Option<MessageReport>, CallError> {
    let report = match connection.call(&MessageStatus { message_id }) {
        Ok(report) => report,
        Err(CallError::Refused(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    // The daemon applies the filters: it is asked for this one message alone.
    let one = ListMessages { before: Some(report.message.number + 1), limit: 1, ..list.clone() };
    let found = connection.call(&one)?.messages.pop();
    Ok(found.filter(|found| found.message.message_id == message_id))
}
