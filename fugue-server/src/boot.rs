//! The daemon's start: what the keeper left for it, what the journal tells, what still lives.

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use fugue_core::{Input, Machine, Step, World};
use fugue_keeper::{Holding, Link, Message, PaneFds};
use fugue_protocol::events::ProgramRun;
use fugue_protocol::{PaneId, RunId};
use tokio::runtime::{LocalOptions, LocalRuntime};

use crate::audit::Audit;
use crate::client::House;
use crate::clock;
use crate::config::Config;
use crate::environment::Surroundings;
use crate::journal::Journal;
use crate::keeper::{self, Keeper, Order};
use crate::pane;
use crate::session::{Beginning, Manager, News, Stream};
use crate::shells::Shells;
use crate::way::{self, Way};

/// Where a daemon's things are.
#[derive(Debug, Clone)]
pub struct Options {
    /// Its socket.
    pub socket: PathBuf,
    /// The folder of its journal.
    pub state: PathBuf,
    /// Its configuration.
    pub config: PathBuf,
}

/// The exit code by which the keeper knows that no other daemon is wanted.
const FOR_GOOD: u8 = fugue_keeper::EXIT_FOR_GOOD as u8;

/// Is the daemon, until it ends. Only a keeper can start one.
pub fn run(options: Options) -> ExitCode {
    let Some((link, listener)) = fugue_keeper::inherited() else {
        eprintln!("fugue: the daemon is started by its keeper, not by hand\nhint: any command starts both");
        return ExitCode::from(2);
    };
    tracing_subscriber::fmt()
        .log_internal_errors(false)
        .with_ansi(false)
        .with_writer(std::io::stderr)
        .with_target(false)
        .init();
    survive_full_files();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build_local(LocalOptions::default());
    // As a task among tasks: one that is waited for from outside is woken by a system call each time.
    let serving =
        |runtime: LocalRuntime| runtime.block_on(runtime.spawn_local(serve(options, link, listener)));
    match runtime.map(serving) {
        // The keeper, too, ends for good.
        Ok(Ok(Ok(()))) => ExitCode::from(FOR_GOOD),
        Ok(Ok(Err(why))) => fail(&why),
        Ok(Err(why)) => fail(&why.to_string()),
        Err(why) => fail(&why.to_string()),
    }
}

/// A file that may not grow any further is a write that fails, as on a full disk, not the daemon's end.
fn survive_full_files() {
    if let Err(why) = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default()) {
        tracing::warn!("a bound on the size of files would end the daemon: {why}");
    }
}

fn fail(why: &str) -> ExitCode {
    tracing::error!("the daemon cannot start: {why}");
    ExitCode::FAILURE
}

async fn serve(options: Options, link: Link, listener: OwnedFd) -> Result<(), String> {
    let (config, mut warnings) = Config::read(&options.config);
    let _lock = match lock(&options.state)? {
        Some(lock) => lock,
        None => return Ok(()),
    };
    let (journal, past) = Journal::open(&options.state)?;
    let audit = Audit::of(&options.state);
    warnings.extend(past.warnings.iter().cloned());
    let keeper_pid = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get().cast_unsigned());
    let held = take_over(&link).await.map_err(|why| format!("the keeper does not answer: {why}"))?;
    let (desk, news) = Manager::desk();
    let keeper = speak(link, desk.clone())?;
    let last_event = journal.since(u64::MAX >> 1, 1).await?.newest;
    let stream = Stream::new();
    let mut machine = Machine::new(past.world.clone(), config.settings()).with_scopes(config.scopes.clone());
    let found = if past.lost || last_event == 0 { find_again(&mut machine, &held) } else { Vec::new() };
    let mut surroundings = Surroundings::of_this_process(options.socket.clone(), config.shell.clone());
    if config.prompt_marks {
        match Shells::lay_out(&surroundings.socket) {
            Ok(shells) => surroundings.shells = Some(shells),
            Err(why) => warnings.push(format!("shells get no prompt marks: {why}")),
        }
    }
    let (way, closed) = Way::new(options.socket.clone());
    let beginning = Beginning {
        machine,
        settled: past.world,
        journal: journal.clone(),
        stream: stream.clone(),
        last_event,
        keeper: keeper.clone(),
        keeper_pid,
        surroundings,
        audit,
        config,
        warnings,
        way,
    };
    let mut manager = Manager::new(beginning, desk.clone());
    manager.store(found).await;
    adopt(&mut manager, held, &keeper, &desk).await;
    let house = House { desk, stream, journal };
    tokio::task::spawn_local(way::keep_open(options.socket, listener, closed, house, keeper));
    manager.serve(news).await;
    Ok(())
}

/// One daemon a state folder, for its whole life. None when another one has it: then this one is not wanted.
fn lock(state: &std::path::Path) -> Result<Option<std::fs::File>, String> {
    use rustix::fs::{FlockOperation, flock};
    std::fs::create_dir_all(state).map_err(|why| format!("{}: {why}", state.display()))?;
    let open = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(state.join("lock"));
    let file = open.map_err(|why| format!("the lock in {}: {why}", state.display()))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() && !let_go(&file) {
        tracing::error!("another daemon has the state folder {}: was its socket removed?", state.display());
        return Ok(None);
    }
    Ok(Some(file))
}

/// A daemon that was shut down has answered before its process ends, and lets go of its lock only then.
const LETTING_GO: Duration = Duration::from_secs(2);

/// Waits until the daemon before lets go of the lock, which is then ours.
fn let_go(file: &std::fs::File) -> bool {
    use rustix::fs::{FlockOperation, flock};
    let Ok(file) = file.try_clone() else { return false };
    let (told, ours) = std::sync::mpsc::channel();
    std::thread::spawn(move || told.send(flock(&file, FlockOperation::LockExclusive).is_ok()));
    ours.recv_timeout(LETTING_GO).unwrap_or(false)
}

/// The journal was lost, but these programs live: they get a session again.
fn find_again(machine: &mut Machine, held: &Held) -> Vec<Step> {
    let run = |(holding, _): &(Holding, PaneFds)| ProgramRun {
        id: RunId::from_bytes(holding.pane),
        pid: holding.pid.cast_unsigned(),
    };
    let runs: Vec<_> = held.iter().map(run).collect();
    if runs.is_empty() {
        return Vec::new();
    }
    vec![machine.handle(clock::now(), Input::RunsFound { runs, seed: clock::seed() })]
}

type Held = Vec<(Holding, PaneFds)>;

/// Takes the lease: from here on this daemon pumps.
async fn take_over(link: &Link) -> std::io::Result<Held> {
    link.send(&Message::Take, &[])?;
    let mut held = Vec::new();
    let watch = crate::ready::watch(link.as_fd(), tokio::io::Interest::READABLE)?;
    loop {
        match link.try_recv()? {
            Some((Message::Holding(holding), fds)) => held.push((holding, PaneFds::from_message(fds)?)),
            Some((Message::Ready { .. }, _)) => return Ok(held),
            Some((other, _)) => tracing::warn!("the keeper said {other:?} too early"),
            None => watch.readable().await?.clear_ready(),
        }
    }
}

fn speak(link: Link, desk: crate::session::Desk) -> Result<Keeper, String> {
    let tell = move |news| {
        let desk = desk.clone();
        async move { desk.send(News::Keeper(news)).await.is_ok() }
    };
    keeper::link(link, tell).map_err(|why| why.to_string())
}

/// What still lives becomes panes again; what lives and belongs to nobody is ended.
async fn adopt(manager: &mut Manager, held: Held, keeper: &Keeper, desk: &crate::session::Desk) {
    let runs = held.iter().map(|(holding, _)| RunId::from_bytes(holding.pane)).collect();
    for (holding, fds) in held {
        let run = RunId::from_bytes(holding.pane);
        match pane_of(manager.world(), run) {
            Some(id) => {
                let size = manager.world().place_of(id).size();
                let surroundings = pane::Surroundings { desk: desk.clone(), keeper: keeper.clone() };
                match pane::restore(id, size, &holding, fds, manager.limits(), surroundings) {
                    Ok(pane) => manager.adopt(id, pane),
                    Err(why) => tracing::error!("pane {id} could not be brought back: {why}"),
                }
            }
            None => drop(keeper.order(Order::Forget { run })),
        }
    }
    manager.account_for(runs).await;
}

/// The pane that a run is, or was when it ended.
fn pane_of(world: &World, run: RunId) -> Option<PaneId> {
    world.panes.values().find(|pane| pane.run_id() == Some(run)).map(|pane| pane.id)
}
