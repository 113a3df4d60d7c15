//! The record of what the daemon is doing, in memory that outlives it: if it dies, the next daemon knows whose output it
//! was processing. `fugue_core::quarantine` decides from it which panes are set aside.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use fugue_core::quarantine::{self, DeathCause, OutputWork, Suspect};
use fugue_keeper::{EXIT_FOR_GOOD, EXIT_FOR_UPGRADE, Exit, SharedPage};
use fugue_protocol::{RunId, Timestamp};

/// The first word: a record of another form is not read.
const FORM: u64 = 0x6675_6775_6501;

/// The words of the work in progress: its state, the run's id in two words, and the offset.
const WORK: usize = 1;
/// The kernel's count of processes that it killed for lack of memory, when the daemon started.
const OUT_OF_MEMORY: usize = 5;
/// The words of the suspect: whether there is one, its run in two, offset, crashes, kills, time.
const SUSPECT: usize = 8;
/// The runs that are set aside: two words each. When all places are taken, the first one is tried again.
const SET_ASIDE: usize = 32;
const MAX_SET_ASIDE: usize = 64;

const IDLE: u64 = 0;
const REPLAY: u64 = 1;
const LIVE: u64 = 2;

/// The record. Without it, as on a full file system, nothing is ever set aside.
#[derive(Clone)]
pub(crate) struct CrashRecord(Option<Rc<SharedPage>>);

impl CrashRecord {
    /// Opens the record beside the daemon's socket, where files are in memory, and judges the death of the last daemon.
    pub(crate) fn open(socket: &Path, last_exit: Option<Exit>, now: Timestamp) -> Self {
        let page = SharedPage::open(&path(socket));
        let page =
            page.inspect_err(|why| tracing::warn!("Cannot open the daemon's crash record: {why}")).ok();
        let record = Self(page.map(Rc::new));
        record.begin_daemon(last_exit, out_of_memory_kills(), now);
        record
    }

    /// Removes the record of a daemon that ends on purpose.
    pub(crate) fn remove(socket: &Path) {
        let _ = std::fs::remove_file(path(socket));
    }

    fn begin_daemon(&self, last_exit: Option<Exit>, out_of_memory: u64, now: Timestamp) {
        let Some(page) = &self.0 else { return };
        if page.get(0) != FORM {
            (1..fugue_keeper::PAGE_WORDS).for_each(|index| page.set(index, 0));
        }
        page.set(0, FORM);
        let is_short_of_memory = page.get(OUT_OF_MEMORY) != out_of_memory;
        let cause = last_exit.map_or(DeathCause::Unknown, |exit| cause(exit, is_short_of_memory));
        let suspect = quarantine::judge(self.suspect(), cause, self.work(), now);
        self.write_suspect(suspect);
        if let Some(suspect) = suspect.filter(Suspect::is_set_aside) {
            tracing::error!(
                "Quarantined the pane with run id {}: its output crashed the daemon twice",
                suspect.run
            );
            self.set_aside(suspect.run);
        }
        self.end();
        page.set(OUT_OF_MEMORY, out_of_memory);
    }

    /// Records that output of a program is about to be processed live.
    pub(crate) fn begin(&self, run: RunId, offset: u64) {
        self.write_work(LIVE, run, offset);
    }

    /// Records that output of a program is about to be replayed.
    pub(crate) fn begin_replay(&self, run: RunId, offset: u64) {
        self.write_work(REPLAY, run, offset);
    }

    /// Records that it is done.
    pub(crate) fn end(&self) {
        if let Some(page) = &self.0 {
            page.set(WORK, IDLE);
        }
    }

    /// Whether a program's pane is set aside.
    pub(crate) fn is_set_aside(&self, run: RunId) -> bool {
        self.set_aside_runs().any(|other| other == Some(run))
    }

    /// Forgets the runs that the keeper does not hold any more.
    pub(crate) fn retain(&self, is_held: impl Fn(RunId) -> bool) {
        for (place, run) in self.set_aside_runs().enumerate().collect::<Vec<_>>() {
            if run.is_some_and(|run| !is_held(run)) {
                self.write_id(SET_ASIDE + 2 * place, None);
            }
        }
    }

    fn write_work(&self, state: u64, run: RunId, offset: u64) {
        let Some(page) = &self.0 else { return };
        // While the words change, the state says idle: a kill in between blames nobody.
        page.set(WORK, IDLE);
        self.write_id(WORK + 1, Some(run));
        page.set(WORK + 3, offset);
        page.set(WORK, state);
    }

    fn work(&self) -> Option<OutputWork> {
        let page = self.0.as_ref()?;
        let state = Some(page.get(WORK)).filter(|state| *state != IDLE)?;
        let (run, offset) = (self.read_id(WORK + 1)?, page.get(WORK + 3));
        Some(OutputWork { run, offset, is_replay: state == REPLAY })
    }

    fn suspect(&self) -> Option<Suspect> {
        let page = self.0.as_ref().filter(|page| page.get(SUSPECT) != 0)?;
        Some(Suspect {
            run: self.read_id(SUSPECT + 1)?,
            offset: page.get(SUSPECT + 3),
            crashes: page.get(SUSPECT + 4),
            kills: page.get(SUSPECT + 5),
            at: Timestamp::from_millis(page.get(SUSPECT + 6)),
        })
    }

    fn write_suspect(&self, suspect: Option<Suspect>) {
        let Some(page) = &self.0 else { return };
        page.set(SUSPECT, 0);
        let Some(Suspect { run, offset, crashes, kills, at }) = suspect else { return };
        self.write_id(SUSPECT + 1, Some(run));
        let words = [offset, crashes, kills, at.millis()];
        words.into_iter().enumerate().for_each(|(index, word)| page.set(SUSPECT + 3 + index, word));
        page.set(SUSPECT, 1);
    }

    fn set_aside(&self, run: RunId) {
        if !self.is_set_aside(run) {
            let free = self.set_aside_runs().position(|run| run.is_none()).unwrap_or_default();
            self.write_id(SET_ASIDE + 2 * free, Some(run));
        }
    }

    fn set_aside_runs(&self) -> impl Iterator<Item = Option<RunId>> {
        (0..MAX_SET_ASIDE).map(|place| self.read_id(SET_ASIDE + 2 * place))
    }

    /// Reads an id from two words; both are 0 where there is none.
    fn read_id(&self, index: usize) -> Option<RunId> {
        let page = self.0.as_ref()?;
        let number = u128::from(page.get(index)) << 64 | u128::from(page.get(index + 1));
        (number != 0).then(|| RunId::from_bytes(number.to_be_bytes()))
    }

    fn write_id(&self, index: usize, run: Option<RunId>) {
        let Some(page) = &self.0 else { return };
        let number = run.map_or(0, |run| u128::from_be_bytes(*run.as_bytes()));
        page.set(index, (number >> 64) as u64);
        page.set(index + 1, number as u64);
    }
}

fn path(socket: &Path) -> PathBuf {
    socket.with_extension("crash")
}

/// How a daemon that exited like this died.
fn cause(exit: Exit, is_short_of_memory: bool) -> DeathCause {
    const SIGKILL: i32 = 9;
    /// Signals by which people and scripts end a process.
    const REQUESTS: [i32; 4] = [1, 2, 3, 15];
    match exit {
        Exit::Signal(SIGKILL) if is_short_of_memory => DeathCause::OutOfMemory,
        Exit::Signal(SIGKILL) => DeathCause::Killed,
        Exit::Signal(signal) if REQUESTS.contains(&signal) => DeathCause::Unknown,
        Exit::Signal(_) => DeathCause::Crash,
        Exit::Code(0 | EXIT_FOR_GOOD | EXIT_FOR_UPGRADE) | Exit::Unknown => DeathCause::Unknown,
        Exit::Code(_) => DeathCause::Crash,
    }
}

/// Returns how many processes this kernel has killed for lack of memory; 0 if it does not say.
fn out_of_memory_kills() -> u64 {
    let counters = std::fs::read_to_string("/proc/vmstat").unwrap_or_default();
    let count = counters.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(number: u8) -> RunId {
        RunId::from_bytes([number; 16])
    }

    /// The record of the next daemon, a second later.
    fn next(directory: &Path, exit: Exit, out_of_memory: u64, second: u64) -> CrashRecord {
        let page = SharedPage::open(&directory.join("default.crash")).expect("a page");
        let record = CrashRecord(Some(Rc::new(page)));
        record.begin_daemon(Some(exit), out_of_memory, Timestamp::from_millis(second * 1_000));
        record
    }

    #[test]
    fn a_pane_on_which_two_daemons_crashed_is_set_aside_until_its_program_is_gone() {
        let directory = tempfile::tempdir().expect("a directory");
        let at = directory.path();
        next(at, Exit::Unknown, 0, 0).begin(run(1), 100);
        let second = next(at, Exit::Signal(11), 0, 1);
        assert!(!second.is_set_aside(run(1)));
        second.begin_replay(run(1), 0);
        let third = next(at, Exit::Code(1), 0, 2);
        assert!(third.is_set_aside(run(1)) && !third.is_set_aside(run(2)));
        third.begin(run(2), 5);
        let fourth = next(at, Exit::Signal(9), 0, 3);
        assert!(fourth.is_set_aside(run(1)) && !fourth.is_set_aside(run(2)));
        fourth.retain(|held| held != run(1));
        assert!(!fourth.is_set_aside(run(1)));
    }

    #[test]
    fn a_kill_counts_only_if_memory_ran_out() {
        for (out_of_memory, is_set_aside) in [([7, 7], false), ([8, 9], true)] {
            let directory = tempfile::tempdir().expect("a directory");
            let at = directory.path();
            next(at, Exit::Unknown, 7, 0).begin(run(1), 100);
            next(at, Exit::Signal(9), out_of_memory[0], 1).begin_replay(run(1), 0);
            let third = next(at, Exit::Signal(9), out_of_memory[1], 2);
            assert_eq!(third.is_set_aside(run(1)), is_set_aside, "{out_of_memory:?}");
        }
    }

    #[test]
    fn a_daemon_that_died_between_two_pieces_blames_nobody() {
        let directory = tempfile::tempdir().expect("a directory");
        let at = directory.path();
        for second in 0..4 {
            let record = next(at, Exit::Signal(6), 0, second);
            assert!(!record.is_set_aside(run(1)));
            record.begin(run(1), 100);
            record.end();
        }
    }

    #[test]
    fn when_all_places_are_taken_the_first_pane_is_tried_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let record = next(directory.path(), Exit::Unknown, 0, 0);
        (1..=MAX_SET_ASIDE as u8 + 1).for_each(|number| record.set_aside(run(number)));
        assert!(!record.is_set_aside(run(1)));
        assert!((2..=MAX_SET_ASIDE as u8 + 1).all(|number| record.is_set_aside(run(number))));
    }
}
