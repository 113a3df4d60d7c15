//! What the status line shows besides the tree: the load, the battery and the output of commands. A source is read as
//! often as its interval says, on another thread, and only while a part of the line shows it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::bounded_command::{BoundedCommand, CommandEnd, CommandRun};

/// The most sources: more than a terminal has room for.
const MOST: usize = 64;

/// The least time between the end of a command and its next run.
const PAUSE: Duration = Duration::from_secs(1);

/// Follows the last good output of a command that failed.
const FAILED: &str = "✗";

/// A source of what the status line shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StatusSource {
    Load,
    Battery,
    /// The last line that a command prints.
    Command(String),
}

/// How often a source is read, and how long that may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadingTimes {
    pub(crate) interval: Duration,
    pub(crate) timeout: Duration,
}

/// The last result of a source.
#[derive(Debug)]
struct Reading {
    text: String,
    failed: bool,
    due: Instant,
    times: ReadingTimes,
    /// Whether a part shows it.
    wanted: bool,
    under_way: bool,
    /// The command under way, which is killed with this.
    run: Option<CommandRun>,
}

/// The sources of the status line.
pub(crate) struct StatusReadings {
    readings: RefCell<BTreeMap<StatusSource, Reading>>,
    sender: Sender<(StatusSource, CommandEnd)>,
    receiver: Receiver<(StatusSource, CommandEnd)>,
    wake: OwnedFd,
    /// The daemon's socket, which commands get.
    socket: OsString,
}

impl StatusReadings {
    /// Readings that wake the event loop through an eventfd.
    pub(crate) fn new(wake: OwnedFd, socket: &Path) -> Self {
        let (sender, receiver) = channel();
        Self { readings: RefCell::default(), sender, receiver, wake, socket: socket.into() }
    }

    /// Evaluates the parts of the line: sources that none of them asks for are not read any more.
    pub(crate) fn during<T>(&self, evaluate: impl FnOnce() -> T) -> T {
        self.readings.borrow_mut().values_mut().for_each(|reading| reading.wanted = false);
        let result = evaluate();
        self.readings.borrow_mut().retain(|_, reading| reading.wanted);
        result
    }

    /// The text of a source, which is read from now on.
    pub(crate) fn text(&self, source: StatusSource, times: ReadingTimes) -> String {
        let mut readings = self.readings.borrow_mut();
        if readings.len() >= MOST && !readings.contains_key(&source) {
            return String::new();
        }
        let shown = |reading: &mut Reading, source: &StatusSource| {
            (reading.wanted, reading.times) = (true, times);
            reading.shown(source)
        };
        if let Some(reading) = readings.get_mut(&source) {
            return shown(reading, &source);
        }
        let due = Instant::now();
        let (text, failed, wanted, under_way, run) = (String::new(), false, true, false, None);
        readings.insert(source, Reading { text, failed, due, times, wanted, under_way, run });
        String::new()
    }

    /// When the next source must be read.
    pub(crate) fn due(&self) -> Option<Instant> {
        let readings = self.readings.borrow();
        readings.values().filter(|reading| !reading.under_way).map(|reading| reading.due).min()
    }

    /// Starts to read what is due.
    pub(crate) fn start_due(&self, now: Instant) {
        for (source, reading) in self.readings.borrow_mut().iter_mut() {
            if !reading.under_way && reading.due <= now {
                (reading.under_way, reading.due) = (true, now + reading.times.interval);
                reading.run = self.start(source.clone(), reading.times.timeout);
            }
        }
    }

    fn start(&self, source: StatusSource, timeout: Duration) -> Option<CommandRun> {
        let wake = self.wake.try_clone().ok();
        let (sender, of) = (self.sender.clone(), source.clone());
        let done = move |end: CommandEnd| {
            let _ = sender.send((of, end));
            let _ = wake.map(|wake| rustix::io::write(wake, &1_u64.to_ne_bytes()));
        };
        match source {
            StatusSource::Load => drop(std::thread::spawn(|| done(Ok(load())))),
            StatusSource::Battery => {
                drop(std::thread::spawn(|| done(Ok(battery(Path::new("/sys/class/power_supply"))))));
            }
            StatusSource::Command(line) => {
                let variable = ("FUGUE_SOCKET", self.socket.clone());
                return Some(BoundedCommand { line, input: Vec::new(), timeout, variable }.start(done));
            }
        }
        None
    }

    /// Takes what was read, and returns whether the line shows something else now.
    pub(crate) fn take_results(&self, now: Instant) -> bool {
        let mut readings = self.readings.borrow_mut();
        let results = self.receiver.try_iter();
        results.fold(false, |changed, (source, end)| {
            let reading = readings.get_mut(&source).filter(|reading| reading.under_way);
            changed | reading.is_some_and(|reading| reading.finish(&source, end, now))
        })
    }
}

impl Reading {
    /// Notes how a source was read, and returns whether it shows something else now.
    fn finish(&mut self, source: &StatusSource, end: CommandEnd, now: Instant) -> bool {
        let before = self.shown(source);
        (self.under_way, self.run) = (false, None);
        self.due = self.due.max(now + PAUSE);
        self.failed = end.is_err();
        if let Ok(text) = end {
            self.text = last_line(&text);
        }
        before != self.shown(source)
    }

    fn shown(&self, source: &StatusSource) -> String {
        match (self.failed, source) {
            (true, StatusSource::Command(line)) if self.text.is_empty() => {
                format!("{} {FAILED}", program(line))
            }
            (true, _) => format!("{} {FAILED}", self.text),
            (false, _) => self.text.clone(),
        }
    }
}

/// The name of the program that a command line begins with.
fn program(line: &str) -> &str {
    let word = line.split_whitespace().next().unwrap_or_default();
    word.rsplit('/').next().unwrap_or(word)
}

/// The last line with something in it.
fn last_line(text: &str) -> String {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().map(|load| format!("load {load}")).unwrap_or_default()
}

/// The charge of the first battery, with a plus while it is charged; nothing if there is none.
fn battery(supplies: &Path) -> String {
    let mut supplies: Vec<_> = std::fs::read_dir(supplies)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    supplies.sort();
    let read = |supply: &Path, name: &str| {
        std::fs::read_to_string(supply.join(name)).map(|text| text.trim().to_owned()).unwrap_or_default()
    };
    // A mouse has a battery, too, whose scope is the device.
    let is_own =
        |supply: &&std::path::PathBuf| read(supply, "type") == "Battery" && read(supply, "scope") != "Device";
    let Some(supply) = supplies.iter().find(is_own) else { return String::new() };
    let sign = if read(supply, "status") == "Charging" { "+" } else { "" };
    format!("bat {}%{sign}", read(supply, "capacity"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

    const TIMES: ReadingTimes =
        ReadingTimes { interval: Duration::from_secs(60), timeout: Duration::from_secs(30) };

    fn readings() -> StatusReadings {
        let wake = eventfd(0, EventfdFlags::NONBLOCK).expect("an eventfd");
        StatusReadings::new(wake, Path::new("/socket"))
    }

    fn command(line: &str) -> StatusSource {
        StatusSource::Command(line.into())
    }

    /// Reads what is due until something came.
    fn read(readings: &StatusReadings, now: Instant) -> bool {
        readings.start_due(now);
        poll(&mut [PollFd::new(&readings.wake, PollFlags::IN)], None).expect("poll");
        let _ = rustix::io::read(&readings.wake, &mut [0; 8]);
        readings.take_results(now)
    }

    #[test]
    fn a_source_is_read_by_its_interval_and_only_while_it_is_shown() {
        let (readings, now) = (readings(), Instant::now() + Duration::from_secs(1));
        assert_eq!(readings.due(), None);
        assert_eq!(readings.during(|| readings.text(command("echo a; echo b"), TIMES)), "");
        assert!(readings.due().is_some_and(|due| due <= now));
        assert!(read(&readings, now));
        assert_eq!(readings.text(command("echo a; echo b"), TIMES), "b");
        assert_eq!(readings.due(), Some(now + TIMES.interval));
        assert!(!read(&readings, now + TIMES.interval), "it is the same again");
        readings.during(|| ());
        assert_eq!(readings.due(), None);
    }

    #[test]
    fn a_command_that_fails_keeps_its_last_output_with_a_mark() {
        let (readings, now) = (readings(), Instant::now() + Duration::from_secs(1));
        let file = std::env::temp_dir().join(format!("fugue-reading-{}", std::process::id()));
        std::fs::write(&file, "12 mails\n").expect("a file");
        let source = || command(&format!("/bin/cat {}", file.display()));
        readings.text(source(), TIMES);
        assert!(read(&readings, now));
        assert_eq!(readings.text(source(), TIMES), "12 mails");
        std::fs::remove_file(&file).expect("the file");
        assert!(read(&readings, now + TIMES.interval));
        assert_eq!(readings.text(source(), TIMES), "12 mails ✗");
        readings.during(|| readings.text(command("/bin/false"), TIMES));
        assert!(read(&readings, now));
        assert_eq!(readings.text(command("/bin/false"), TIMES), "false ✗");
    }

    #[test]
    fn the_battery_of_the_machine_under_way() {
        let home = std::env::temp_dir().join(format!("fugue-battery-{}", std::process::id()));
        let supply = |name: &str, files: &[(&str, &str)]| {
            std::fs::create_dir_all(home.join(name)).expect("a directory");
            files
                .iter()
                .for_each(|(file, text)| std::fs::write(home.join(name).join(file), text).expect("a file"));
        };
        assert_eq!(battery(&home), "");
        supply("AC", &[("type", "Mains\n")]);
        supply("BAT-mouse", &[("type", "Battery\n"), ("scope", "Device\n"), ("capacity", "5\n")]);
        supply("BAT0", &[("type", "Battery\n"), ("capacity", "82\n"), ("status", "Charging\n")]);
        assert_eq!(battery(&home), "bat 82%+");
        std::fs::write(home.join("BAT0/status"), "Discharging\n").expect("a file");
        assert_eq!(battery(&home), "bat 82%");
        std::fs::remove_dir_all(&home).expect("removed");
    }
}
