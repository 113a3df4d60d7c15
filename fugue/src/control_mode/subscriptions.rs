//! Subscriptions of the client to formats (`refresh-client -B`): it is told the value of each when it has one, and when
//! that is another. As in tmux, the formats are expanded once a second, because anything can be in them.

use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::task::ControlTask;

/// How often the formats are expanded.
const INTERVAL: Duration = Duration::from_secs(1);

/// The changes that wait to be taken over.
const QUEUE: usize = 16;

/// The most formats that are expanded.
const MOST: usize = 64;

/// What separates the place of a value from the value.
const MARK: char = '\u{1f}';

/// A subscription of the client, or the end of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FormatSubscription {
    name: String,
    /// What it is about, and its format; none ends the subscription of this name.
    format: Option<(Subject, String)>,
}

/// What a subscription is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Subject {
    /// The session that the client shows.
    Session,
    /// Windows of it: one of this id, or all.
    Windows(Option<String>),
    /// Panes of it: one of this id, or all.
    Panes(Option<String>),
}

impl FormatSubscription {
    /// Reads `NAME:WHAT:FORMAT`, or `NAME`.
    pub(super) fn read(text: &str) -> Self {
        let mut parts = text.splitn(3, ':');
        let name = parts.next().unwrap_or_default().to_owned();
        let format =
            parts.next().zip(parts.next()).map(|(what, format)| (Subject::of(what), format.to_owned()));
        Self { name, format }
    }
}

impl Subject {
    fn of(what: &str) -> Self {
        let one = || Some(what.to_owned());
        match what {
            "%*" => Self::Panes(None),
            "@*" => Self::Windows(None),
            _ if what.starts_with('%') => Self::Panes(one()),
            _ if what.starts_with('@') => Self::Windows(one()),
            _ => Self::Session,
        }
    }

    /// The command that prints, for each place, what names it in the notification, and the value.
    fn command(&self, format: &str) -> Vec<String> {
        let (command, place, only): (&[&str], _, _) = match self {
            Self::Session => (&["display-message", "-p"], "#{session_id} - - -", None),
            Self::Windows(only) => {
                let place = "#{session_id} #{window_id} #{window_index} -";
                (&["list-windows", "-F"], place, only.as_ref().map(|id| ("window_id", id)))
            }
            Self::Panes(only) => {
                let place = "#{session_id} #{window_id} #{window_index} #{pane_id}";
                (&["list-panes", "-s", "-F"], place, only.as_ref().map(|id| ("pane_id", id)))
            }
        };
        let format = format!("{place} :{MARK}{format}");
        let only = only.map(|(variable, id)| ["-f".to_owned(), format!("#{{==:#{{{variable}}},{id}}}")]);
        let command = command.iter().map(|word| (*word).to_owned());
        command.chain([format]).chain(only.into_iter().flatten()).collect()
    }
}

/// Runs a command, and returns what it printed.
pub(super) type FormatReader = Box<dyn FnMut(Vec<String>) -> Result<String, String> + Send>;

/// The subscriptions of a client, of which a thread of their own takes care. It starts with the first one.
#[derive(Debug, Default)]
pub(super) struct Subscriptions(Option<SyncSender<FormatSubscription>>);

impl Subscriptions {
    /// Changes the subscriptions. `reader` returns what reads their formats, and `told` is where their values are sent.
    pub(super) fn change(
        &mut self,
        changes: Vec<FormatSubscription>,
        told: &SyncSender<ControlTask>,
        reader: impl FnOnce() -> Result<FormatReader, String>,
    ) -> Result<(), String> {
        if self.0.is_none() {
            self.0 = Some(follow(reader()?, told.clone())?);
        }
        for change in changes {
            let _ = self.0.as_ref().map(|sender| sender.send(change));
        }
        Ok(())
    }
}

/// Starts the thread, and returns where changes are sent.
fn follow(
    reader: FormatReader,
    told: SyncSender<ControlTask>,
) -> Result<SyncSender<FormatSubscription>, String> {
    let (sender, changes) = sync_channel(QUEUE);
    let follow = move || {
        let mut known = Known { reader, told, all: Vec::new() };
        loop {
            match changes.recv_timeout(INTERVAL) {
                Ok(change) => known.change(change),
                Err(RecvTimeoutError::Timeout) if known.tell() => {}
                Err(_) => return,
            }
        }
    };
    let thread = thread::Builder::new().name("control-formats".to_owned());
    thread.spawn(follow).map_err(|why| format!("cannot start a thread: {why}"))?;
    Ok(sender)
}

/// The subscriptions, and the values that were told.
struct Known {
    reader: FormatReader,
    told: SyncSender<ControlTask>,
    all: Vec<(FormatSubscription, BTreeMap<String, String>)>,
}

impl Known {
    fn change(&mut self, change: FormatSubscription) {
        self.all.retain(|(known, _)| known.name != change.name);
        if change.format.is_some() && self.all.len() < MOST {
            self.all.push((change, BTreeMap::new()));
        }
    }

    /// Tells the values that are new. Returns whether the client is still there.
    fn tell(&mut self) -> bool {
        for (subscription, known) in &mut self.all {
            let Some((subject, format)) = &subscription.format else { continue };
            // A format may be about something that has just closed.
            let Ok(printed) = (self.reader)(subject.command(format)) else { continue };
            let before = std::mem::take(known);
            for (place, value) in printed.lines().filter_map(|line| line.split_once(MARK)) {
                known.insert(place.to_owned(), value.to_owned());
                if before.get(place).is_some_and(|before| before == value) {
                    continue;
                }
                let text = format!("%subscription-changed {} {place} {value}", subscription.name);
                if self.told.send(ControlTask::Subscribed(text)).is_err() {
                    return false;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscription_names_what_it_is_about() {
        let command = |text: &str| {
            let read = FormatSubscription::read(text);
            let (subject, format) = read.format.expect("a format");
            (read.name, subject.command(&format).join(" ").replace(MARK, "|"))
        };
        let name = || "n".to_owned();
        assert_eq!(
            command("n::#{x}:#{y}"),
            (name(), "display-message -p #{session_id} - - - :|#{x}:#{y}".into())
        );
        assert_eq!(
            command("n:%*:#{x}"),
            (name(), "list-panes -s -F #{session_id} #{window_id} #{window_index} #{pane_id} :|#{x}".into())
        );
        assert_eq!(
            command("n:@2:#{x}"),
            (
                name(),
                "list-windows -F #{session_id} #{window_id} #{window_index} - :|#{x} -f #{==:#{window_id},@2}".into()
            )
        );
        assert_eq!(FormatSubscription::read("n"), FormatSubscription { name: name(), format: None });
    }
}
