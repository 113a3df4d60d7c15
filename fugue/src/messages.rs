//! `fugue messages`: who sent what to whom, when, and what became of it. With `--follow` it goes on as things happen,
//! over a daemon's restart too.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use fugue_client::{CallError, Connection, ServerFrame, StartPolicy};
use fugue_protocol::orchestration::DeliveryState;
use fugue_protocol::verbs::{GetServerStatus, ListMessages, MessageStatus, SubscribeEvents};
use fugue_protocol::views::{MessageList, MessageReport};
use fugue_protocol::{Event, MessageId};

use crate::cli::{self, Failure};
use crate::letters;

/// The command's flags: those of the list, and `--follow`.
pub(crate) fn command() -> Command {
    let follow = Arg::new("follow").long("follow").short('f').action(ArgAction::SetTrue);
    ListMessages::augment_args(Command::new("messages"))
        .about("Show who sent what to whom, when, and what became of it")
        .arg(follow.help("Go on until interrupted"))
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), Failure> {
    let fugue = cli::with_common(Command::new("fugue").subcommand_required(true));
    let matches = fugue.subcommand(command()).try_get_matches_from(words)?;
    let Some((_, args)) = matches.subcommand() else { return Ok(()) };
    let list = ListMessages::from_arg_matches(args)?;
    let mut timeline = Timeline { args, list, seen: None, shown: BTreeMap::new() };
    loop {
        match timeline.show() {
            Err(CallError::Lost(_)) if args.get_flag("follow") => {}
            Err(trouble) => return Err(trouble.into()),
            Ok(()) => return Ok(()),
        }
    }
}

/// Messages whose last line is remembered, so that none is shown twice as it was: those that something can still become of.
const SHOWN: usize = 10_000;

/// What was shown so far.
struct Timeline<'a> {
    args: &'a ArgMatches,
    list: ListMessages,
    /// The newest event that was seen.
    seen: Option<u64>,
    /// How far each message had come when it was shown.
    shown: BTreeMap<MessageId, Vec<DeliveryState>>,
}

impl Timeline<'_> {
    /// Shows what there is, once, and then what happens if that is wanted.
    fn show(&mut self) -> Result<(), CallError> {
        let mut asking = cli::open(self.args, StartPolicy::IfNeeded)?;
        let follow = self.args.get_flag("follow");
        if self.seen.is_none() {
            let newest = asking.call(&GetServerStatus {})?.last_event;
            let found = asking.call(&self.list)?;
            if !follow {
                return self.print_list(&found);
            }
            for report in &found.messages {
                self.print(report)?;
            }
            self.seen = Some(newest);
        }
        self.watch(&mut asking)
    }

    fn print_list(&self, found: &MessageList) -> Result<(), CallError> {
        let strange = |why: serde_json::Error| CallError::Malformed(why.to_string());
        let text = match self.args.get_flag("json") {
            true => serde_json::to_string(found).map_err(strange)? + "\n",
            false => letters::list(found),
        };
        let _ = write!(std::io::stdout(), "{text}");
        Ok(())
    }

    /// Prints a message unless it was shown as it is.
    fn print(&mut self, report: &MessageReport) -> Result<(), CallError> {
        let states: Vec<_> = report.receipts.iter().map(|receipt| receipt.state).collect();
        if self.shown.insert(report.message.message_id, states.clone()) == Some(states) {
            return Ok(());
        }
        while self.shown.len() > SHOWN {
            self.shown.pop_first();
        }
        let text = told(report, self.args.get_flag("json"));
        // A reader that has gone has seen enough.
        write!(std::io::stdout(), "{text}").map_err(|_| CallError::Malformed("nobody reads".into()))
    }

    /// Shows messages as something becomes of them.
    fn watch(&mut self, asking: &mut Connection) -> Result<(), CallError> {
        let mut hearing = cli::open(self.args, StartPolicy::IfNeeded)?;
        hearing.call(&SubscribeEvents { since: self.seen })?;
        loop {
            let ServerFrame::Event(event) = hearing.next_frame()? else { continue };
            for message in concerned(&event.event) {
                if let Some(report) = wanted(asking, message, &self.list)? {
                    self.print(&report)?;
                }
            }
            self.seen = event.id.or(self.seen);
        }
    }
}

fn told(report: &MessageReport, json: bool) -> String {
    match json {
        true => serde_json::to_string(report).unwrap_or_default() + "\n",
        false => letters::report(report),
    }
}

/// The messages of which an event tells something that people want to know.
fn concerned(event: &Event) -> Vec<MessageId> {
    match event {
        Event::MessageSent(sent) => std::iter::once(sent.message).chain(sent.reply_to).collect(),
        Event::MessagesOffered { messages, .. }
        | Event::MessagesRead { messages, .. }
        | Event::MessagesExpired { messages, .. }
        | Event::MessagesDeadLettered { messages, .. } => messages.clone(),
        _ => Vec::new(),
    }
}

/// A message as it is now, if it is among those that are shown; one that is no longer kept is not.
fn wanted(
    asking: &mut Connection,
    message_id: MessageId,
    list: &ListMessages,
) -> Result<Option<MessageReport>, CallError> {
    let report = match asking.call(&MessageStatus { message_id }) {
        Ok(report) => report,
        Err(CallError::Refused(_)) => return Ok(None),
        Err(trouble) => return Err(trouble),
    };
    // The daemon knows the filters: it is asked for this one message alone.
    let one = ListMessages { before: Some(report.message.number + 1), limit: 1, ..list.clone() };
    let found = asking.call(&one)?.messages.pop();
    Ok(found.filter(|found| found.message.message_id == message_id))
}
