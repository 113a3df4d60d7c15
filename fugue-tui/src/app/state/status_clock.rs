//! The clock of the status line. It wakes the client when its text changes, and only while a part shows the time.

use std::fmt::Write;
use std::time::{Duration, Instant};

use chrono::Timelike;
use fugue_config::{StatusPart, StatusSettings};

/// The time, as lists show it.
pub(crate) fn clock_text() -> String {
    time_text("%H:%M")
}

/// The time in a format; one that is invalid is left as it is.
fn time_text(format: &str) -> String {
    let mut text = String::new();
    match write!(text, "{}", chrono::Local::now().format(format)) {
        Ok(()) => text,
        Err(_) => format.to_owned(),
    }
}

/// How often a time changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tick {
    Second,
    Minute,
}

impl Tick {
    /// How often the text of a format changes; nothing if there is no time in it.
    fn of(format: &str) -> Option<Self> {
        let letter = |after: &str| {
            after.trim_start_matches(['-', '_', '0', 'E', 'O', '.', '3', '6', '9']).chars().next()
        };
        let letters = format.split('%').skip(1).filter_map(letter);
        letters.map(|letter| if "STXrcsf+".contains(letter) { Self::Second } else { Self::Minute }).min()
    }

    /// How long it takes until the next second or minute begins.
    fn left(self) -> Duration {
        let now = chrono::Local::now();
        match self {
            Self::Second => Duration::from_millis(u64::from(1_000 - now.timestamp_subsec_millis().min(999))),
            Self::Minute => Duration::from_secs(u64::from(60 - now.second().min(59))),
        }
    }
}

/// What the parts of the line show of the time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ShownTime {
    /// The format of the clock, if it is shown.
    format: Option<String>,
    tick: Option<Tick>,
}

impl ShownTime {
    /// What the parts of a line show; without the clock, if that is turned off.
    pub(crate) fn of(status: &StatusSettings, has_clock: bool) -> Self {
        let lines = status.lines();
        let parts = || lines.iter().flat_map(|sides| sides.parts());
        let format =
            parts().any(|part| *part == StatusPart::Clock && has_clock).then(|| status.clock_format.clone());
        let texts = parts().filter_map(|part| match part {
            StatusPart::Text(text) => Tick::of(text),
            _ => None,
        });
        let tick = texts.chain(format.as_deref().and_then(Tick::of)).min();
        Self { format, tick }
    }
}

/// The clock of the status line.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    pub(crate) text: String,
    /// When the text is out of date.
    pub(crate) until: Option<Instant>,
    shown: ShownTime,
}

impl Clock {
    /// Sets what is shown of the time.
    pub(crate) fn show(&mut self, shown: ShownTime) {
        if shown != self.shown {
            *self = Self { text: String::new(), until: None, shown };
            self.text = self.shown.format.as_deref().map(time_text).unwrap_or_default();
        }
    }

    /// Brings the text up to date, and returns whether it had to.
    pub(super) fn update(&mut self, now: Instant) -> bool {
        let Some(tick) = self.shown.tick else { return false };
        let old = self.until.is_none_or(|until| until <= now);
        if old {
            self.text = self.shown.format.as_deref().map(time_text).unwrap_or_default();
            self.until = Some(now + tick.left());
        }
        old
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(clock_format: &str, text: &str, has_clock: bool) -> ShownTime {
        let left = vec![StatusPart::Clock, StatusPart::Text(text.into())];
        let status = StatusSettings { clock_format: clock_format.into(), left, ..StatusSettings::default() };
        ShownTime::of(&StatusSettings { right: Vec::new(), ..status }, has_clock)
    }

    #[test]
    fn the_clock_changes_once_a_minute() {
        let (mut clock, now) = (Clock::default(), Instant::now());
        assert!(!clock.update(now), "nothing is shown");
        clock.show(ShownTime::of(&StatusSettings::default(), true));
        assert!(clock.update(now) && !clock.update(now));
        assert!(clock.until.is_some_and(|until| until <= now + Duration::from_secs(60)));
        assert!(clock.update(now + Duration::from_secs(60)));
        clock.show(ShownTime::of(&StatusSettings::default(), false));
        assert!(!clock.update(now));
        assert_eq!((clock.text.as_str(), clock.until), ("", None));
    }

    #[test]
    fn the_time_wakes_the_client_as_often_as_it_changes() {
        for (format, tick) in [
            ("%H:%M", Some(Tick::Minute)),
            ("%a %d.%m.", Some(Tick::Minute)),
            ("%H:%M:%S", Some(Tick::Second)),
            ("%-I %T", Some(Tick::Second)),
            ("#{session_name}", None),
        ] {
            assert_eq!(Tick::of(format), tick, "{format}");
        }
        assert_eq!(shown("%H", "now %S", true).tick, Some(Tick::Second));
        assert_eq!(shown("%S", "#S", false), ShownTime::default());
        assert_eq!(time_text("%"), "%", "an invalid format");
    }
}
