//! `fugue messages`: who sent what to whom, when, and what became of it. With `--follow` it goes on as things happen,
//! over a daemon's restart too.

use std::ffi::OsString;
use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use fugue_client::{Connection, Heard, Starting, Trouble};
use fugue_protocol::verbs::{ListMessages, MessageStatus, ServerStatusVerb, SubscribeEvents};
use fugue_protocol::views::MessageReport;
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
    let mut seen = None;
    loop {
        match show(args, &list, &mut seen) {
            Err(Trouble::Lost(_)) if args.get_flag("follow") => {}
            Err(trouble) => return Err(trouble.into()),
            Ok(()) => return Ok(()),
        }
    }
}

/// Shows what there is, once, and then what happens if that is wanted.
fn show(args: &ArgMatches, list: &ListMessages, seen: &mut Option<u64>) -> Result<(), Trouble> {
    let (json, follow) = (args.get_flag("json"), args.get_flag("follow"));
    let mut asking = cli::open(args, Starting::IfNeeded)?;
    if let Some(since) = *seen {
        return watch(args, list, since, seen, &mut asking);
    }
    let newest = asking.call(&ServerStatusVerb {})?.last_event;
    let found = asking.call(list)?;
    let text = match (json, follow) {
        (true, false) => {
            serde_json::to_string(&found).map_err(|why| Trouble::Strange(why.to_string()))? + "\n"
        }
        (true, true) => found.messages.iter().map(|report| told(report, true)).collect(),
        (false, false) => letters::list(&found),
        (false, true) => found.messages.iter().map(letters::report).collect(),
    };
    if write!(std::io::stdout(), "{text}").is_err() || !follow {
        return Ok(());
    }
    *seen = Some(newest);
    watch(args, list, newest, seen, &mut asking)
}

/// Shows messages as something becomes of them.
fn watch(
    args: &ArgMatches,
    list: &ListMessages,
    since: u64,
    seen: &mut Option<u64>,
    asking: &mut Connection,
) -> Result<(), Trouble> {
    let mut hearing = cli::open(args, Starting::IfNeeded)?;
    hearing.call(&SubscribeEvents { since: Some(since) })?;
    loop {
        let Heard::Event(event) = hearing.hear()? else { continue };
        for message in concerned(&event.event) {
            if let Some(report) = wanted(asking, message, list)? {
                let text = told(&report, args.get_flag("json"));
                if write!(std::io::stdout(), "{text}").is_err() {
                    return Ok(());
                }
            }
        }
        *seen = event.id.or(*seen);
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
) -> Result<Option<MessageReport>, Trouble> {
    let report = match asking.call(&MessageStatus { message_id }) {
        Ok(report) => report,
        Err(Trouble::Refused(_)) => return Ok(None),
        Err(trouble) => return Err(trouble),
    };
    // The daemon knows the filters: it is asked for this one message alone.
    let one = ListMessages { before: Some(report.message.number + 1), limit: 1, ..list.clone() };
    let found = asking.call(&one)?.messages.pop();
    Ok(found.filter(|found| found.message.message_id == message_id))
}
