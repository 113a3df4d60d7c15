//! Panes that print numbered lines at different rates, and a reader that follows them by cursor: each line once, in
//! order, with every byte.

use std::fs;
use std::time::{Duration, Instant};

use fugue_protocol::verbs::{GetOutput, OutputCursor, PaneChoice};
use fugue_protocol::views::PaneOutput;
use fugue_testkit::{PATIENCE, RepeatingCaller, TestServer};

use super::tally::Tally;
use super::{Stage, pause};

/// The end of every line. With it, lines wrap in a terminal of 80 columns.
const PADDING: &str = "abcdefghijklmnopqrstuvwxyz 0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 the end";

/// The lines that a writer prints in one go, the seconds that it sleeps then, and the command that prints a line. All
/// together they print less than a history holds in the time that a reader may have to wait.
const WRITERS: [(u32, &str, &str); 5] = [
    (1, "0.05", "echo \"line $i $padding\""),
    (20, "0.02", "echo \"line $i $padding\""),
    (3000, "1.5", "echo \"line $i $padding\""),
    (5, "0.05", "printf '\\033[3%dmline %d\\033[0m %s\\n' $((i % 8)) $i \"$padding\""),
    (1, "0.01", "printf 'line %d ' $i; printf '%s\\n' \"$padding\""),
];

/// The pane of a writer, and how far it was read.
pub(super) struct Writer {
    pane: String,
    /// The first line that was not read yet, counted by the pane.
    next: u64,
    /// The number in the last line.
    last: usize,
    bytes: usize,
    /// The number of lines that the program says it printed.
    counted: Option<usize>,
}

pub(super) fn start(server: &TestServer) -> Vec<Writer> {
    let start = |(number, (lines, seconds, print)): (usize, &(u32, &str, &str))| {
        let script = format!(
            "padding='{PADDING}'; i=0; while [ ! -e enough ]; do n=0; while [ $n -lt {lines} ]; do n=$((n+1)); \
             i=$((i+1)); {print}; done; sleep {seconds}; done; echo counted $i; exec cat"
        );
        let pane = server.session(&format!("writer-{number}"), &["sh", "-c", &script]);
        Writer { pane, next: 0, last: 0, bytes: 0, counted: None }
    };
    WRITERS.iter().enumerate().map(start).collect()
}

/// Reads until the faults are over, ends the writers, and reads the rest.
pub(super) fn run(stage: &Stage<'_>, mut writers: Vec<Writer>) -> Tally {
    let (mut tally, mut random) = (Tally::new("lines"), stage.random(2));
    let mut caller = RepeatingCaller::person(stage.server);
    while !stage.is_over() {
        writers.iter_mut().for_each(|writer| writer.read(&mut caller, &mut tally));
        pause(&mut random, 500);
    }
    fs::write(stage.server.path().join("enough"), "").expect("a file");
    let begun = Instant::now();
    while writers.iter().any(|writer| writer.counted.is_none()) && begun.elapsed() < PATIENCE {
        writers.iter_mut().for_each(|writer| writer.read(&mut caller, &mut tally));
        std::thread::sleep(Duration::from_millis(20));
    }
    writers.iter().for_each(|writer| writer.compare_count(&mut tally));
    let lines: usize = writers.iter().map(|writer| writer.last).sum();
    let bytes: usize = writers.iter().map(|writer| writer.bytes).sum();
    tally.counts = format!("{lines} lines and {bytes} bytes of {} writers", writers.len());
    tally
}

impl Writer {
    /// Reads and compares the lines that came since the last time.
    fn read(&mut self, caller: &mut RepeatingCaller<'_>, tally: &mut Tally) {
        let mut pages: Vec<PaneOutput> = Vec::new();
        loop {
            let before = pages.last().and_then(|page| page.start.as_ref()?.parse().ok());
            let page = tally.timed(|| self.page(caller, before));
            let is_first = page.from_line <= self.next || page.start.is_none();
            pages.push(page);
            if is_first {
                break;
            }
        }
        let from = pages[pages.len() - 1].from_line;
        let end: OutputCursor = pages[0].cursor.parse().expect("a cursor");
        if from > self.next {
            tally.mistake(|| format!("pane {}: lines {} to {from} are no longer kept", self.pane, self.next));
        }
        let text: String = pages.iter().rev().map(|page| page.text.as_str()).collect();
        let mut lines: Vec<_> = text.split('\n').collect();
        // The last line is not finished: it is read again.
        lines.pop();
        let seen = usize::try_from(self.next.saturating_sub(from)).expect("a few lines");
        self.next = end.line.max(self.next);
        lines.into_iter().skip(seen).for_each(|line| self.compare(line, tally));
    }

    fn page(&self, caller: &mut RepeatingCaller<'_>, before: Option<OutputCursor>) -> PaneOutput {
        let Ok(pane) = self.pane.parse();
        let choice = PaneChoice { pane: Some(pane), session: None };
        // An earlier page goes back as far as it has room.
        let since = before.is_none().then(|| OutputCursor::new(self.next, 0));
        caller
            .call(&GetOutput { choice, lines: 50_000, since, before, ..Default::default() })
            .expect("its output")
    }

    /// Compares one line with the next one that the program printed.
    fn compare(&mut self, line: &str, tally: &mut Tally) {
        if let Some(count) = line.strip_prefix("counted ") {
            self.counted = count.parse().ok();
            return;
        }
        let parsed = line.strip_prefix("line ").and_then(|rest| rest.split_once(' '));
        let number = parsed.filter(|(_, rest)| *rest == PADDING).and_then(|(number, _)| number.parse().ok());
        let Some(number): Option<usize> = number else {
            return tally.mistake(|| format!("pane {} after line {}: {line:?}", self.pane, self.last));
        };
        let expected = self.last + 1;
        let place = || format!("pane {}: line {number} instead of {expected}", self.pane);
        tally.lose(number.saturating_sub(expected), place);
        tally.double(expected.saturating_sub(number), place);
        self.last = number;
        self.bytes += line.len() + 1;
    }

    fn compare_count(&self, tally: &mut Tally) {
        if self.counted != Some(self.last) {
            tally.mistake(|| format!("pane {}: read {}, printed {:?}", self.pane, self.last, self.counted));
        }
    }
}
