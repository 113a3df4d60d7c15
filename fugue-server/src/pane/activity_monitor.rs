//! Activity and silence of a pane, if the user monitors them: output is reported at once and then once in a while as long
//! as it goes on, and silence once after the last output.

use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use fugue_config::DaemonSettings;
use fugue_protocol::events::ActivityKind;

use crate::channels::local_watch::WatchReceiver;

/// The least time between two reports of output: clients only mark a window.
const INTERVAL: Duration = Duration::from_secs(1);

/// What the user monitors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MonitorSettings {
    activity: bool,
    /// After how long a pane is silent.
    silence: Option<Duration>,
}

impl MonitorSettings {
    pub(crate) fn of(settings: &DaemonSettings) -> Self {
        let seconds = u64::try_from(settings.monitor_silence).unwrap_or(u64::MAX);
        let silence = (seconds > 0).then(|| Duration::from_secs(seconds));
        Self { activity: settings.monitor_activity, silence }
    }
}

/// What is to be reported of a pane.
pub(super) struct ActivityMonitor {
    settings: WatchReceiver<MonitorSettings>,
    /// When output came that was not reported.
    output: Option<Instant>,
    reported: Option<Instant>,
    /// The last output, until its silence was reported.
    quiet_since: Option<Instant>,
}

impl ActivityMonitor {
    pub(super) fn new(settings: WatchReceiver<MonitorSettings>) -> Self {
        Self { settings, output: None, reported: None, quiet_since: None }
    }

    /// Ready when the user monitors something else.
    pub(super) fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match self.settings.poll_changed(context) {
            Poll::Ready(true) => Poll::Ready(()),
            Poll::Ready(false) | Poll::Pending => Poll::Pending,
        }
    }

    pub(super) fn output_seen(&mut self, now: Instant) {
        // Output from before it was monitored is no news.
        if self.settings.borrow().activity {
            self.output.get_or_insert(now);
        }
        self.quiet_since = Some(now);
    }

    /// When something must be reported.
    pub(super) fn due(&self) -> Option<Instant> {
        self.dues().into_iter().filter_map(|(_, due)| due).min()
    }

    fn dues(&self) -> [(ActivityKind, Option<Instant>); 2] {
        let settings = *self.settings.borrow();
        let next = |since: Instant| self.reported.map_or(since, |reported| since.max(reported + INTERVAL));
        let output = self.output.filter(|_| settings.activity).map(next);
        let silence =
            settings.silence.zip(self.quiet_since).and_then(|(silence, since)| since.checked_add(silence));
        [(ActivityKind::Output, output), (ActivityKind::Silence, silence)]
    }

    /// What is to be reported now.
    pub(super) fn take(&mut self, now: Instant) -> impl Iterator<Item = ActivityKind> + use<> {
        let due = self.dues().map(|(kind, due)| due.filter(|due| *due <= now).map(|_| kind));
        if due[0].is_some() {
            (self.output, self.reported) = (None, Some(now));
        }
        if due[1].is_some() {
            self.quiet_since = None;
        }
        due.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::local_watch::WatchSender;

    fn taken(monitor: &mut ActivityMonitor, at: Instant) -> Vec<ActivityKind> {
        monitor.take(at).collect()
    }

    #[test]
    fn output_is_reported_at_once_and_silence_after_a_while() {
        let silence = Duration::from_secs(10);
        let sender = WatchSender::new(MonitorSettings { activity: true, silence: Some(silence) });
        let (mut monitor, start) = (ActivityMonitor::new(sender.subscribe()), Instant::now());
        assert_eq!(monitor.due(), None);
        monitor.output_seen(start);
        assert_eq!(monitor.due(), Some(start));
        assert_eq!(taken(&mut monitor, start), [ActivityKind::Output]);
        let later = start + Duration::from_millis(200);
        monitor.output_seen(later);
        assert_eq!(taken(&mut monitor, later), [], "not so soon again");
        assert_eq!(taken(&mut monitor, start + INTERVAL), [ActivityKind::Output]);
        assert_eq!(monitor.due(), Some(later + silence));
        assert_eq!(taken(&mut monitor, later + silence), [ActivityKind::Silence]);
        assert_eq!(monitor.due(), None, "once");
        monitor.output_seen(later + silence);
        sender.send(MonitorSettings::default());
        assert_eq!(monitor.due(), None, "nothing is monitored");
        let mut monitor = ActivityMonitor::new(sender.subscribe());
        monitor.output_seen(later);
        sender.send(MonitorSettings { activity: true, silence: None });
        assert_eq!(monitor.due(), None, "output from before is no news");
    }
}
