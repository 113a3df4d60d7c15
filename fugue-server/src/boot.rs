//! The daemon's start: it takes over what the keeper holds, replays the journal, and adopts the programs that still run.

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use fugue_config::{Config, ConfigSource, UnusableConfig};
use fugue_core::{Input, Machine, Step, World};
use fugue_keeper::{Holding, Link, Message, PaneFds};
use fugue_protocol::events::ProgramRun;
use fugue_protocol::{PaneId, RunId};
use tokio::runtime::{LocalOptions, LocalRuntime};

use crate::audit_log::AuditLog;
use crate::client::ServerContext;
use crate::clock;
use crate::config;
use crate::journal::{Journal, RecoveredState};
use crate::keeper_link::{self, KeeperHandle, KeeperOrder};
use crate::last_screens::LastScreens;
use crate::listener::{self, ListenerHandle};
use crate::pane::{self, PaneContext};
use crate::session::{self, EventStream, Manager, ManagerInput, ManagerParts, ManagerTx, ProgramHost, Store};
use crate::spawn_environment::SpawnEnvironment;
use crate::termination;

/// The paths of a daemon's files.
#[derive(Debug, Clone)]
pub struct DaemonOptions {
    /// The socket.
    pub socket: PathBuf,
    /// The directory of the journal.
    pub state: PathBuf,
    /// The configuration file.
    pub config: PathBuf,
}

/// The exit code by which the keeper knows not to start another daemon.
const EXIT_FOR_GOOD: u8 = fugue_keeper::EXIT_FOR_GOOD as u8;

/// Runs the daemon until it ends. Only a keeper can start one.
pub fn run(options: DaemonOptions) -> ExitCode {
    let Some((link, listener)) = fugue_keeper::inherited() else {
        eprintln!("fugue: The daemon cannot be started by hand\nhint: run any fugue command to start it");
        return ExitCode::from(2);
    };
    tracing_subscriber::fmt()
        .log_internal_errors(false)
        .with_ansi(false)
        .with_writer(std::io::stderr)
        .with_target(false)
        .init();
    survive_file_size_limit();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build_local(LocalOptions::default());
    // Spawned as a task: each wake-up of the future given to `block_on` would cost a system call.
    let serve = |runtime: LocalRuntime| runtime.block_on(runtime.spawn_local(serve(options, link, listener)));
    match runtime.map(serve) {
        Ok(Ok(Ok(()))) => ExitCode::from(EXIT_FOR_GOOD),
        Ok(Ok(Err(why))) => fail(&why),
        Ok(Err(why)) => fail(&why.to_string()),
        Err(why) => fail(&why.to_string()),
    }
}

/// Makes a write past the file size limit fail, as on a full disk, instead of killing the daemon.
fn survive_file_size_limit() {
    if let Err(why) = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default()) {
        tracing::warn!("Cannot handle SIGXFSZ; a file size limit would kill the daemon: {why}");
    }
}

fn fail(why: &str) -> ExitCode {
    tracing::error!("Cannot start the daemon: {why}");
    ExitCode::FAILURE
}

async fn serve(options: DaemonOptions, link: Link, listener: OwnedFd) -> Result<(), String> {
    let source = ConfigSource::read(&options.config);
    let config = Config::parse(&source, None).unwrap_or_else(UnusableConfig::or_defaults);
    let Some(_lock) = lock(&options.state)? else { return Ok(()) };
    let (journal, recovered) = Journal::open(&options.state)?;
    let mut warnings = recovered.warnings.clone();
    let keeper_pid = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get().cast_unsigned());
    let held = take_over(&link).await.map_err(|why| format!("the keeper does not respond: {why}"))?;
    let (inputs, receiver) = session::channel();
    let keeper = start_keeper_link(link, inputs.clone())?;
    let last_event = journal.since(u64::MAX >> 1, 1).await?.newest;
    let stream = EventStream::new();
    let (machine, found) = machine(&recovered, &config, last_event, &held);
    let (listener_handle, closed) = ListenerHandle::new(options.socket.clone());
    let audit_log = AuditLog::new(&options.state);
    let mut environment = SpawnEnvironment::of_this_process(options.socket.clone());
    warnings.extend(environment.apply(&config.daemon).err());
    let screens = LastScreens::start(&options.state, config.daemon.save_screens)?;
    let context = PaneContext { manager: inputs.clone(), keeper: keeper.clone(), screens };
    let mut manager = Manager::new(ManagerParts {
        machine,
        store: Store::new(journal.clone(), stream.clone(), audit_log, recovered.world, last_event),
        host: ProgramHost { context, keeper_pid, environment, config },
        warnings,
        listener: listener_handle,
    });
    manager.commit_steps(found).await;
    adopt(&mut manager, held, &keeper).await;
    manager.show_lost(&options.state).await;
    tokio::task::spawn_local(termination::watch(inputs.clone()));
    tokio::task::spawn_local(config::watch(options.config, source, inputs.clone()));
    let context = ServerContext { manager: inputs, stream, journal };
    tokio::task::spawn_local(listener::listen(options.socket, listener, closed, context, keeper));
    manager.serve(receiver).await;
    Ok(())
}

/// Returns the machine with the recovered world, and its steps for programs that the journal does not know.
fn machine(
    recovered: &RecoveredState,
    config: &Config,
    last_event: u64,
    held: &HeldPrograms,
) -> (Machine, Vec<Step>) {
    let (settings, scopes) = (config::machine_settings(config), config::scopes(config));
    let mut machine = Machine::new(recovered.world.clone(), settings).with_scopes(scopes);
    let is_journal_empty = recovered.lost || last_event == 0;
    let found = if is_journal_empty { find_programs(&mut machine, held) } else { Vec::new() };
    (machine, found)
}

/// Locks the state directory for the life of the daemon. Returns `None` if another daemon has it, so that this one is not
/// needed.
fn lock(state: &std::path::Path) -> Result<Option<std::fs::File>, String> {
    use rustix::fs::{FlockOperation, flock};
    std::fs::create_dir_all(state).map_err(|why| format!("cannot create {}: {why}", state.display()))?;
    let open = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(state.join("lock"));
    let file = open.map_err(|why| format!("cannot open the lock in {}: {why}", state.display()))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() && !wait_for_lock(&file) {
        tracing::error!(
            "another daemon is using the state directory {}; was its socket removed?",
            state.display()
        );
        return Ok(None);
    }
    Ok(Some(file))
}

/// How long a daemon that was shut down may hold its lock: it replies before its process ends.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Waits until the previous daemon releases the lock; returns whether it is ours then.
fn wait_for_lock(file: &std::fs::File) -> bool {
    use rustix::fs::{FlockOperation, flock};
    let Ok(file) = file.try_clone() else { return false };
    let (sender, is_locked) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(flock(&file, FlockOperation::LockExclusive).is_ok()));
    is_locked.recv_timeout(LOCK_TIMEOUT).unwrap_or(false)
}

/// Programs that the keeper holds, with their terminals.
type HeldPrograms = Vec<(Holding, PaneFds)>;

/// Gives programs that still run a session again, after the journal was lost.
fn find_programs(machine: &mut Machine, held: &HeldPrograms) -> Vec<Step> {
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

/// Takes over from the keeper, which stops reading terminals: from here on this daemon reads them.
async fn take_over(link: &Link) -> std::io::Result<HeldPrograms> {
    link.send(&Message::Take, &[])?;
    let mut held = Vec::new();
    let watch = crate::fd_readiness::watch(link.as_fd(), tokio::io::Interest::READABLE)?;
    loop {
        match link.try_recv()? {
            Some((Message::Holding(holding), fds)) => held.push((holding, PaneFds::from_message(fds)?)),
            Some((Message::Ready { .. }, _)) => return Ok(held),
            Some((other, _)) => tracing::warn!("Ignored an early message from the keeper: {other:?}"),
            None => watch.readable().await?.clear_ready(),
        }
    }
}

fn start_keeper_link(link: Link, inputs: ManagerTx) -> Result<KeeperHandle, String> {
    let deliver = move |message| {
        let inputs = inputs.clone();
        async move { inputs.send(ManagerInput::Keeper(message)).await.is_ok() }
    };
    keeper_link::start(link, deliver).map_err(|why| why.to_string())
}

/// Restores the panes of programs that still run; a program that belongs to no pane is killed.
async fn adopt(manager: &mut Manager, held: HeldPrograms, keeper: &KeeperHandle) {
    let runs = held.iter().map(|(holding, _)| RunId::from_bytes(holding.pane)).collect();
    for (holding, fds) in held {
        let run = RunId::from_bytes(holding.pane);
        match pane_of(manager.world(), run) {
            Some(id) => {
                let size = manager.world().place_of(id).size();
                let context = manager.pane_context();
                match pane::restore(id, size, &holding, fds, manager.limits(), context) {
                    Ok(pane) => manager.adopt(id, pane),
                    Err(why) => tracing::error!("Cannot restore pane {id}: {why}"),
                }
            }
            None => drop(keeper.send(KeeperOrder::Forget { run })),
        }
    }
    manager.report_running(runs).await;
}

/// Returns the pane whose program a run is or was.
fn pane_of(world: &World, run: RunId) -> Option<PaneId> {
    world.panes.values().find(|pane| pane.run_id() == Some(run)).map(|pane| pane.id)
}
