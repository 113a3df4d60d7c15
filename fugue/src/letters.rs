//! Messages for people: a line each, who to whom, what, and what became of it. What agents wrote is shown harmless.

use fugue_protocol::orchestration::DeliveryState;
use fugue_protocol::views::{
    Awaited, Claimed, InboxPage, LeaseList, LeaseView, MessageList, MessageReport, MessageView,
    RecipientView, Reported, Sent, WaitGraph,
};
use fugue_protocol::{SessionName, Timestamp};

/// A payload is shown so far; `--json` shows the whole.
const PAYLOAD: usize = 120;

/// The time of day, as the person's clock has it; of another day with its date.
pub(crate) fn clock(at: Timestamp) -> String {
    let millis = i64::try_from(at.millis()).unwrap_or_default();
    let time = chrono::DateTime::from_timestamp_millis(millis).unwrap_or_default();
    dated(time.with_timezone(&chrono::Local).naive_local(), chrono::Local::now().date_naive())
}

fn dated(time: chrono::NaiveDateTime, today: chrono::NaiveDate) -> String {
    let form = if time.date() == today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    time.format(form).to_string()
}

/// Text from an agent, without what would move a cursor or hide something.
pub(crate) fn harmless(text: &str) -> String {
    let hides = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}')
    };
    text.chars().map(|c| if hides(c) { '\u{fffd}' } else { c }).collect()
}

/// A message on one line.
pub(crate) fn line(message: &MessageView) -> String {
    let from = message.from_session_name.as_ref().map_or("(outside)", SessionName::as_str);
    let reply = if message.reply_to.is_some() { " (answer)" } else { "" };
    let again = message.resent_by.as_ref().map(|by| format!(" (sent again by {})", harmless(by)));
    format!(
        "{} {from} → {} {}{reply}{} {}",
        clock(message.sent_at),
        message.target,
        message.msg_type,
        again.unwrap_or_default(),
        payload(message)
    )
}

fn payload(message: &MessageView) -> String {
    let text = message.payload.as_ref().map(|payload| payload.0.to_string()).unwrap_or_default();
    let mut shown: String = harmless(&text).chars().take(PAYLOAD).collect();
    if text.chars().count() > PAYLOAD {
        shown.push('…');
    }
    shown
}

/// A message and what became of it.
pub(crate) fn report(report: &MessageReport) -> String {
    let receipts = report.receipts.iter().map(|receipt| {
        let reason = receipt.reason.as_ref().filter(|_| receipt.state.is_lost());
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        let when = receipt.settled_at.or(receipt.offered_at).map(|at| format!(" {}", clock(at)));
        format!("{} {}{}{reason}", receipt.session_name, state(receipt.state), when.unwrap_or_default())
    });
    let receipts = receipts.collect::<Vec<_>>().join(", ");
    format!("{}\n         {} · {receipts}\n", line(&report.message), report.message.message_id)
}

fn state(state: DeliveryState) -> String {
    state.to_string().replace('_', "-")
}

pub(crate) fn list(list: &MessageList) -> String {
    let older = if list.older > 0 {
        format!("({} older messages; -n shows more)\n", list.older)
    } else {
        String::new()
    };
    if list.messages.is_empty() {
        return "no messages\n".into();
    }
    older + &list.messages.iter().map(report).collect::<String>()
}

pub(crate) fn sent(sent: &Sent) -> String {
    let again = if sent.duplicate { " (sent before)" } else { "" };
    let mut text = format!("message {} to {}{again}\n", sent.message_id, names(&sent.recipients));
    text += &undelivered(&sent.undelivered);
    text += &outcome(sent.outcome, &sent.circle);
    sent.answer.iter().for_each(|answer| text += &format!("{}\n", line(answer)));
    text
}

pub(crate) fn reported(reported: &Reported) -> String {
    match &reported.note {
        Some(note) => format!("reported; nobody was told: {note}\n"),
        None => {
            let again = if reported.duplicate { " (sent before)" } else { "" };
            let to = names(&reported.recipients);
            format!("reported to {to}{again}\n{}", undelivered(&reported.undelivered))
        }
    }
}

fn names(to: &[RecipientView]) -> String {
    to.iter().map(|to| to.session_name.to_string()).collect::<Vec<_>>().join(", ")
}

fn undelivered(to: &[RecipientView]) -> String {
    to.iter()
        .map(|to| format!("not to {}: {}\n", to.session_name, to.reason.as_deref().unwrap_or_default()))
        .collect()
}

fn outcome(outcome: Option<Awaited>, circle: &[SessionName]) -> String {
    let circle = || circle.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match outcome {
        Some(Awaited::Timeout) => "nothing came in time\n".into(),
        Some(Awaited::Circle) => format!("these wait for each other: {}\n", circle()),
        Some(Awaited::Arrived) | None => String::new(),
    }
}

pub(crate) fn inbox(page: &InboxPage) -> String {
    let mut text: String = page
        .messages
        .iter()
        .map(|message| format!("{}\n         {}\n", line(message), message.message_id))
        .collect();
    text += &outcome(page.outcome, &page.circle);
    if page.acknowledged > 0 {
        text += &format!("{} acknowledged\n", page.acknowledged);
    }
    for late in &page.too_late {
        text += &format!("{} was acknowledged too late: {}\n", late.message_id, state(late.state));
    }
    text + &format!("{} unread", page.unread)
        + &if page.more > 0 { format!(", {} more to show", page.more) } else { String::new() }
        + "\n"
}

pub(crate) fn claimed(claimed: &Claimed) -> String {
    let had = if claimed.held { "held" } else { "not held" };
    format!("{had}: {}{}", lease(&claimed.lease), outcome(claimed.outcome, &claimed.circle))
}

pub(crate) fn leases(list: &LeaseList) -> String {
    if list.leases.is_empty() { "no leases\n".into() } else { list.leases.iter().map(lease).collect() }
}

fn lease(lease: &LeaseView) -> String {
    let owner = lease.session_name.as_ref().map_or("(outside)", SessionName::as_str);
    let note = lease.note.as_ref().map(|note| format!(" {}", harmless(note))).unwrap_or_default();
    format!("{} {owner} number {} until {}{note}\n", lease.name, lease.fence, clock(lease.expires_at))
}

pub(crate) fn waits(graph: &WaitGraph) -> String {
    let each = graph.waits.iter().map(|wait| {
        let on = wait.on.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
        let on = if on.is_empty() { "anybody".into() } else { on };
        format!("{} waits for {} from {on} until {}\n", wait.session_name, wait.waits_for, clock(wait.until))
    });
    if graph.waits.is_empty() { "nobody waits\n".into() } else { each.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_another_day_has_its_date() {
        let day = |day| chrono::NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        let time = day(15).and_hms_opt(9, 5, 0).unwrap();
        assert_eq!(dated(time, day(15)), "09:05:00");
        assert_eq!(dated(time, day(14)), "2026-11-15 09:05:00");
    }
}
