//! Messages for people: one line each, with sender, recipient and payload, and the delivery status below it. Everything
//! that agents wrote is escaped.

use super::{
    ForModel, ForPeople, ModelContent, PrintContext, PrintedReply, TextBudget, Verdict, default_rendering,
    row,
};
use crate::SessionName;
use crate::agent_messages::{DeliveryState, Payload};
use crate::escape::escape;
use crate::verbs::Arguments;
use crate::views::{
    Announcement, Awaited, InboxPage, MessageList, MessageReport, MessageView, OutboxPage, RecipientView,
    RemoteDeliveries, Reported, Sent, SubscriptionView,
};
use crate::wording::uncapitalized;

/// The characters of a payload that are shown; `--json` shows all of it.
const PAYLOAD_CHARS: usize = 120;

/// The bytes of a payload that a model gets whole in a reply that is about few messages.
const MODEL_PAYLOAD: usize = 14 << 10;

/// The same in a list of many messages.
const MODEL_PAYLOAD_IN_LIST: usize = 600;

/// What is left of a report that reached nobody.
const STATE_ONLY: &str = "nobody was notified, but the status is now your pane's agent state; a session tagged \
                          `orchestrator` in your repository would be notified";

default_rendering!(SubscriptionView, Announcement, OutboxPage, RemoteDeliveries);

impl ForModel for Sent {
    const PAYLOAD_BYTES: Option<usize> = Some(MODEL_PAYLOAD);
}
impl ForPeople for Sent {
    fn for_people(&self, context: &PrintContext) -> PrintedReply {
        let duplicate = if self.duplicate { " (sent before)" } else { "" };
        let mut text = format!("message {} to {}{duplicate}\n", self.message_id, names(&self.recipients));
        text += &undelivered(&self.undelivered);
        text += &waited(self.outcome, &self.circle);
        let answers = self.answer.iter().chain(&self.answers);
        answers.for_each(|answer| text += &format!("{}\n", one_line(answer, context)));
        if !self.unanswered.is_empty() {
            text += &format!("no answer from {}\n", names(&self.unanswered));
        }
        PrintedReply::Text(text)
    }

    fn verdict(&self, _: &Arguments) -> Verdict {
        Verdict::of(!self.outcome.is_some_and(Awaited::is_in_vain))
    }
}

impl ForModel for Reported {
    const RENDERED: bool = true;

    /// A report that reached nobody is an error for a model, which would otherwise count on its being read.
    fn for_model(&self, _: TextBudget) -> Option<ModelContent> {
        self.note.as_ref().map(|note| ModelContent::Error(format!("{note}\nhint: {STATE_ONLY}")))
    }
}
impl ForPeople for Reported {
    /// For people and scripts, the report is done once the pane has the state.
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        PrintedReply::Text(match &self.note {
            Some(note) => format!("status set; nobody was notified ({})\n", uncapitalized(note)),
            None => {
                let duplicate = if self.duplicate { " (sent before)" } else { "" };
                let undelivered = undelivered(&self.undelivered);
                format!("reported to {}{duplicate}\n{undelivered}", names(&self.recipients))
            }
        })
    }
}

impl ForModel for InboxPage {
    const PAYLOAD_BYTES: Option<usize> = Some(MODEL_PAYLOAD);
}
impl ForPeople for InboxPage {
    fn for_people(&self, context: &PrintContext) -> PrintedReply {
        let messages = self.messages.iter();
        let mut text: String = messages
            .map(|message| format!("{}\n         {}\n", one_line(message, context), message.message_id))
            .collect();
        text += &waited(self.outcome, &self.circle);
        if self.acknowledged > 0 {
            text += &format!("{} acknowledged\n", self.acknowledged);
        }
        for late in &self.too_late {
            text += &format!("{} was acknowledged too late: {}\n", late.message_id, state(late.state));
        }
        let more = if self.more > 0 { format!(", {} more to show", self.more) } else { String::new() };
        PrintedReply::Text(format!("{text}{} unread{more}\n", self.unread))
    }

    fn verdict(&self, _: &Arguments) -> Verdict {
        Verdict::of(!self.outcome.is_some_and(Awaited::is_in_vain))
    }
}

impl ForModel for MessageReport {
    const PAYLOAD_BYTES: Option<usize> = Some(MODEL_PAYLOAD);
}
impl ForPeople for MessageReport {
    fn for_people(&self, context: &PrintContext) -> PrintedReply {
        PrintedReply::Text(report(self, context))
    }
}

impl ForModel for MessageList {
    const PAYLOAD_BYTES: Option<usize> = Some(MODEL_PAYLOAD_IN_LIST);
}
impl ForPeople for MessageList {
    fn for_people(&self, context: &PrintContext) -> PrintedReply {
        let older = match self.older {
            0 => String::new(),
            older => format!("({older} older messages; use -n to show more)\n"),
        };
        match self.messages.as_slice() {
            [] => PrintedReply::Nothing("no messages"),
            messages => {
                let reports: String = messages.iter().map(|one| report(one, context)).collect();
                PrintedReply::Text(older + &reports)
            }
        }
    }
}

/// A message on one line.
pub fn one_line(message: &MessageView, context: &PrintContext) -> String {
    let outside = if message.from_user { "(user)" } else { "(outside)" };
    let from = message.from_session_name.as_ref().map_or(outside, SessionName::as_str);
    let reply = if message.reply_to.is_some() { " (answer)" } else { "" };
    let resent = message.resent_by.as_ref().map(|by| format!(" (resent by {})", escape(by)));
    format!(
        "{} {from} → {} {}{reply}{} {}",
        (context.clock)(message.sent_at),
        message.target,
        message.msg_type,
        resent.unwrap_or_default(),
        payload(message)
    )
}

fn payload(message: &MessageView) -> String {
    if message.payload_hidden {
        return format!("({} bytes, shown only to its sender and recipients)", message.bytes);
    }
    let text = message.payload.as_ref().map(Payload::to_json).unwrap_or_default();
    let mut shown: String = escape(&text).chars().take(PAYLOAD_CHARS).collect();
    if text.chars().count() > PAYLOAD_CHARS {
        shown.push('…');
    }
    shown
}

/// A message, and its delivery status below it.
fn report(report: &MessageReport, context: &PrintContext) -> String {
    let receipts = report.receipts.iter().map(|receipt| {
        let reason = receipt.reason.as_ref().filter(|_| receipt.state.is_lost());
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        let at = receipt.settled_at.or(receipt.offered_at).map(|at| format!(" {}", (context.clock)(at)));
        format!("{} {}{}{reason}", receipt.session_name, state(receipt.state), at.unwrap_or_default())
    });
    let receipts = receipts.collect::<Vec<_>>().join(", ");
    let line = one_line(&report.message, context);
    format!("{line}\n{}", row(&format!("         {} · {receipts}", report.message.message_id)))
}

fn state(state: DeliveryState) -> String {
    state.to_string().replace('_', "-")
}

fn names(to: &[RecipientView]) -> String {
    to.iter().map(|to| to.session_name.to_string()).collect::<Vec<_>>().join(", ")
}

fn undelivered(to: &[RecipientView]) -> String {
    to.iter()
        .map(|to| {
            row(&format!(
                "not delivered to {}: {}",
                to.session_name,
                to.reason.as_deref().unwrap_or_default()
            ))
        })
        .collect()
}

/// Why a wait for a message or a lease ended without it.
pub(super) fn waited(outcome: Option<Awaited>, circle: &[SessionName]) -> String {
    let circle = || circle.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match outcome {
        Some(Awaited::Timeout) => "timed out\n".into(),
        Some(Awaited::Circle) => {
            format!("deadlock: these sessions are waiting for each other: {}\n", circle())
        }
        Some(Awaited::Closed) => "recipients that have not answered were closed\n".into(),
        Some(Awaited::Arrived) | None => String::new(),
    }
}
