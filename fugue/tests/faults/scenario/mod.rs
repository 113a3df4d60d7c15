//! Everything at once against one daemon, while daemon and keeper are killed and stopped at random instants: output, exit
//! codes, verbs, messages, submitted input and attached clients. Each part keeps a model and compares it at the end.

mod exits;
mod killer;
mod messages;
mod pane_list;
mod relay;
mod stopper;
mod submits;
mod tally;
mod terminals;
mod verbs;
mod writers;

use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fugue_testkit::{Random, TestServer};
use relay::Relay;
use tally::Tally;

/// The size of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// The seed of everything random. Threads and processes make every run differ a little all the same.
    pub seed: u64,
    /// The time over which the faults are spread.
    pub duration: Duration,
    pub daemon_kills: usize,
    pub keeper_kills: usize,
    pub upgrades: usize,
    /// How often each of keeper, daemon, reaper and relay is stopped by a signal.
    pub stops: usize,
}

/// The result of a run.
pub(crate) struct Summary {
    plan: Plan,
    took: Duration,
    tallies: Vec<Tally>,
}

impl Summary {
    /// How much was lost, doubled and wrong in all parts.
    pub(crate) fn differences(&self) -> (usize, usize, usize) {
        let sum = |count: fn(&Tally) -> usize| self.tallies.iter().map(count).sum();
        (sum(|tally| tally.lost), sum(|tally| tally.doubled), sum(|tally| tally.wrong))
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}, {:.0} s", self.plan.seed, self.took.as_secs_f64())?;
        self.tallies.iter().try_for_each(|tally| write!(f, "\n{tally}"))
    }
}

/// What all parts share.
pub(crate) struct Stage<'a> {
    server: &'a TestServer,
    /// None without the program `fugue-fleet` beside `fugue`.
    relay: Option<Relay>,
    plan: Plan,
    over: AtomicBool,
}

impl Stage<'_> {
    /// The random numbers of one part.
    fn random(&self, part: u64) -> Random {
        let mut random = Random(self.plan.seed.wrapping_mul(1000).wrapping_add(part));
        random.below(1);
        random
    }

    /// Whether the faults are over, so that the parts finish.
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Runs a part; a panic in it counts as a difference.
    fn watch(&self, part: &'static str, run: impl FnOnce(&Self) -> Tally) -> Tally {
        catch_unwind(AssertUnwindSafe(|| run(self))).unwrap_or_else(|panic| {
            let mut tally = Tally::new(part);
            let text = panic.downcast_ref::<String>().cloned();
            tally.mistake(|| text.unwrap_or_else(|| "the part panicked".into()));
            tally
        })
    }
}

/// Pauses for a random time: it spreads the calls of a part, nothing waits for it.
fn pause(random: &mut Random, most: u64) {
    std::thread::sleep(Duration::from_millis(random.below(most)));
}

/// A part that runs until the faults are over. Sessions are created before they begin.
type Part<'a> = Box<dyn FnOnce(&Stage<'_>) -> Tally + Send + 'a>;

fn parts<'a>(stage: &Stage<'a>) -> Vec<(&'static str, Part<'a>)> {
    let server = stage.server;
    exits::start(server);
    let writers = writers::start(server);
    let (verbs, messages) = (verbs::start(server), messages::start(server));
    let (submits, first, second) =
        (submits::start(server), terminals::start(server, 0), terminals::start(server, 1));
    vec![
        ("lines", Box::new(move |stage| writers::run(stage, writers))),
        ("exit codes", Box::new(exits::run)),
        ("runs", Box::new(exits::run_commands)),
        ("verbs", Box::new(move |stage| verbs::run(stage, verbs))),
        ("messages", Box::new(move |stage| messages::run(stage, &messages))),
        ("submitted lines", Box::new(move |stage| submits::run(stage, &submits))),
        ("first terminal", Box::new(move |stage| terminals::run(stage, first))),
        ("second terminal", Box::new(move |stage| terminals::run(stage, second))),
    ]
}

/// Runs the plan and compares everything with the models.
pub(crate) fn run(binary: &str, plan: Plan) -> Summary {
    let server = TestServer::new(binary);
    configure(&server);
    let stage =
        Stage { server: &server, relay: Relay::start(binary, &server), plan, over: AtomicBool::new(false) };
    let begun = Instant::now();
    let parts = parts(&stage);
    let panes = pane_list::PaneList::read(&server);
    let tallies = std::thread::scope(|scope| {
        let stage = &stage;
        let parts: Vec<_> =
            parts.into_iter().map(|(name, part)| scope.spawn(move || stage.watch(name, part))).collect();
        let faults = stage.watch("faults", killer::run);
        stage.over.store(true, Ordering::Release);
        let tallies = parts.into_iter().map(|part| part.join().expect("panics are caught"));
        std::iter::once(faults).chain(tallies).collect::<Vec<_>>()
    });
    let panes = stage.watch("panes", |stage| panes.compare(stage.server));
    let journal = stage.watch("journal", |stage| journal_size(stage.server));
    Summary { plan, took: begun.elapsed(), tallies: tallies.into_iter().chain([panes, journal]).collect() }
}

/// The size that the write-ahead log of the journal keeps below however short daemons live.
const MAX_LOG: u64 = 24 << 20;

/// Checks that what each start reads has not grown with the number of kills.
fn journal_size(server: &TestServer) -> Tally {
    let mut tally = Tally::new("journal");
    let log = server.path().join("state/fugue/default/journal.db-wal");
    let bytes = fs::metadata(&log).map_or(0, |file| file.len());
    tally.counts = format!("{} KiB in the write-ahead log", bytes >> 10);
    if bytes > MAX_LOG {
        tally.mistake(|| format!("the write-ahead log has {bytes} bytes"));
    }
    tally
}

/// Readers follow the output, so the history has to hold what comes while they wait for a daemon.
fn configure(server: &TestServer) {
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    let config = format!("history_lines = 100000\n{}", relay::SETTINGS);
    fs::write(directory.join("config.toml"), config).expect("a configuration");
}
