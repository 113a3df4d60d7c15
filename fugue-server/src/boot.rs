//! The daemon's start: it takes over what the keeper holds, replays the journal, and adopts the programs that still run.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use fugue_config::{Config, ConfigSource};
use fugue_core::{Input, Machine, MachineStep, World};
use fugue_keeper::{KeeperWatch, Link, Malformed, Message, ProcessStat};
use fugue_protocol::events::ProgramRun;
use fugue_protocol::refusal::Refused;
use fugue_protocol::{PaneId, Refusal, RunId, messages};
use tokio::runtime::{LocalOptions, LocalRuntime};

use crate::channels::local_watch::WatchSender;
use crate::client::{ServerContext, UnfinishedFrames};
use crate::clock;
use crate::config::agent_table_file::SharedAgentTable;
use crate::config::file_changes::FileChanges;
use crate::config::last_scopes::LastScopes;
use crate::config::settings;
use crate::crash_record::CrashRecord;
use crate::hooks::{HookRunner, RunningHooks};
use crate::journal::{Journal, RecoveredState};
use crate::keeper_link::{self, KeeperConnection, KeeperHandle, KeeperOrder, SuccessorCommand, TakenPane};
use crate::last_screens::LastScreens;
use crate::listener::published_address::PublishedAddress;
use crate::listener::socket::{self, ListenerHandle};
use crate::logs::audit_log::AuditLog;
use crate::logs::log_file::LogFile;
use crate::pane::{self, MonitorSettings, PaneContext};
use crate::processes::neighbor_processes;
use crate::processes::pane_keys::PaneKeys;
use crate::program_start::spawn_environment::SpawnEnvironment;
use crate::replies::answer_store::AnswerStore;
use crate::replies::read_gate::AgentsReads;
use crate::replies::unwritten_replies::AgentsUnwritten;
use crate::session::{
    self, EventStream, Manager, ManagerInput, ManagerParts, ManagerTx, OwnProcesses, ProgramHost, Store,
};
use crate::tasks;
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

/// How long before this daemon a program was started at least if its start must have been stored, in ticks of the clock in
/// `/proc`, of which there are 100 a second: thirty seconds.
const SETTLED: u64 = 3_000;

/// How long the keeper may be silent before clients are told. It answers within milliseconds.
const KEEPER_SILENCE: Duration = Duration::from_millis(2_500);

/// The exit code by which the keeper knows not to start another daemon.
const EXIT_FOR_GOOD: u8 = fugue_keeper::EXIT_FOR_GOOD as u8;

/// Runs the daemon until it ends. Only a keeper can start one.
pub fn run(options: DaemonOptions) -> ExitCode {
    let Some((link, listener)) = fugue_keeper::inherited() else {
        eprintln!("fugue: The daemon cannot be started by hand\nhint: run any fugue command to start it");
        return ExitCode::from(2);
    };
    let log = LogFile::new(&options.state);
    tracing_subscriber::fmt()
        .log_internal_errors(false)
        .with_ansi(false)
        .with_writer(move || log.clone())
        .with_target(false)
        .init();
    survive_file_size_limit();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build_local(LocalOptions::default());
    let keeper = link.try_clone();
    // Spawned as a task: each wake-up of the future given to `block_on` would cost a system call.
    let serve = |runtime: LocalRuntime| runtime.block_on(runtime.spawn_local(serve(options, link, listener)));
    let failure = match runtime.map(serve) {
        Ok(Ok(Ok(()))) => return ExitCode::from(EXIT_FOR_GOOD),
        Ok(Ok(Err(why))) => why,
        Ok(Err(why)) => why.to_string(),
        Err(why) => why.to_string(),
    };
    tracing::error!("Cannot start the daemon: {failure}");
    // Clients that wait are told by the keeper.
    if let Err(why) = keeper.and_then(|keeper| keeper.report_failure(&failure)) {
        tracing::warn!("Cannot report the failure to the keeper: {why}");
    }
    ExitCode::FAILURE
}

/// Makes a write past the file size limit fail, as on a full disk, instead of killing the daemon.
fn survive_file_size_limit() {
    if let Err(why) = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default()) {
        tracing::warn!("Cannot handle SIGXFSZ; reaching a file size limit would kill the daemon: {why}");
    }
}

/// The warning that the output of panes is limited. The keeper has lifted the limit if it may.
fn file_size_warning() -> Option<String> {
    let bytes = rustix::process::getrlimit(rustix::process::Resource::Fsize).current?;
    Some(format!(
        "Files are limited to {bytes} bytes (`ulimit -f`), which applies to the output of panes: a pane stops after that \
         much. Start the daemon without the limit"
    ))
}

async fn serve(options: DaemonOptions, link: Link, listener: OwnedFd) -> Result<(), String> {
    let source = ConfigSource::read(&options.config);
    let published = PublishedAddress::new(&options.state, &options.socket, &listener)?;
    // The journal is read in a thread of its own. Until it is open, no file that running panes use is changed, and the
    // keeper keeps reading their terminals: if it cannot be opened, the daemon exits and everything is as before.
    let (journal, recovered) = Journal::open(&options.state)?;
    let mut last_scopes = LastScopes::open(&options.state);
    let config = last_scopes.complete(&source);
    let (pane_keys, warning) = PaneKeys::open(&options.state);
    let screens = LastScreens::start(&options.state, config.daemon.save_screens);
    let changes = FileChanges::start(&options.config, &options.socket);
    let agents = SharedAgentTable::start(&options.config, changes.agents);
    let recovered = recovered.await?;
    clock::start(recovered.last_at);
    let screens = screens?;
    let mut warnings = Vec::from_iter(warning);
    warnings.extend(last_scopes.store(&config).err());
    let mut environment = SpawnEnvironment::of_this_process(options.socket.clone(), pane_keys);
    warnings.extend(environment.apply(&config.daemon).err());
    warnings.extend(file_size_warning());
    let answers = Arc::new(AnswerStore::open(&options.socket));
    warnings.extend(fugue_keeper::rolled_back().map(|why| format!("The upgrade was rolled back: {why}")));
    let keeper_pid = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get().cast_unsigned());
    let (held, version) = take_over(&link, &listener, &options.state)
        .await
        .map_err(|why| format!("the keeper is not responding: {why}"))?;
    let (inputs, receiver) = session::channel();
    let connection = keeper_connection(link, version, &listener, &options, &published);
    let connection = connection.map_err(|why| why.to_string())?;
    let keeper = start_keeper_link(connection, &held, inputs.clone())?;
    let stream = EventStream::new();
    let (mut machine, mut found) = machine(&recovered, &config, &held);
    found.extend(damage_warnings(&recovered, !found.is_empty()).map(|warning| {
        tracing::warn!("{warning}");
        machine.handle(clock::now(), Input::Warned { warning })
    }));
    let (base, renumber) = (config.daemon.base_index, config.daemon.renumber_windows);
    found.push(machine.handle(clock::now(), Input::NumbersSet { base, renumber }));
    let (listener_handle, closed) = ListenerHandle::new(published.clone());
    let audit_log = AuditLog::new(&options.state);
    let crash_record = CrashRecord::open(&options.socket, fugue_keeper::last_exit(), clock::now());
    let input_records = options.socket.with_extension("input");
    pane::remove_input_records_except(&input_records, &runs_of(&held));
    let monitor = WatchSender::new(MonitorSettings::of(&config.daemon));
    let monitored = monitor.subscribe();
    let context = PaneContext {
        manager: inputs.clone(),
        keeper: keeper.clone(),
        crash_record,
        input_records,
        answers,
        screens,
        agents,
        monitored,
    };
    let running_hooks = RunningHooks::default();
    let hooks = HookRunner::start(options.socket.clone(), running_hooks.clone());
    hooks.configure(&config.hooks);
    let mut manager = Manager::new(ManagerParts {
        machine,
        store: Store::new(
            journal.clone(),
            stream.clone(),
            audit_log,
            hooks,
            (recovered.world, recovered.last_event, recovered.age),
        ),
        host: ProgramHost {
            context,
            monitor,
            keeper_pid,
            own_processes: OwnProcesses::new(
                keeper_pid,
                keeper.programs.clone(),
                running_hooks,
                options.state.clone(),
            ),
            environment,
            config,
            last_scopes,
            watch_warning: changes.warning,
            state: options.state.clone(),
        },
        warnings,
        listener: listener_handle,
    });
    manager.commit_steps(found).await;
    adopt(&mut manager, held, &keeper).await;
    manager.show_lost(&options.state).await;
    tasks::spawn_local(termination::watch(inputs.clone()));
    tasks::spawn_local(neighbor_processes::watch_reaper(keeper_pid, inputs.clone()));
    tasks::spawn_local(settings::watch(options.config, source, changes.config, inputs.clone()));
    let context = ServerContext {
        manager: inputs,
        stream,
        journal,
        unfinished: UnfinishedFrames::default(),
        agents_unwritten: AgentsUnwritten::default(),
        agents_reads: AgentsReads::default(),
        keeper: keeper.clone(),
        known: std::rc::Rc::default(),
    };
    let socket = options.socket.clone();
    let listening = socket::listen(published, listener, closed, context, keeper.clone(), changes.socket);
    tasks::spawn_local(listening);
    manager.serve(receiver).await;
    CrashRecord::remove(&socket);
    keeper.shut_down().await;
    Ok(())
}

/// Returns the machine with the recovered world, and its steps for programs that the journal does not know.
fn machine(recovered: &RecoveredState, config: &Config, held: &[TakenPane]) -> (Machine, Vec<MachineStep>) {
    let (settings, scopes) = (settings::machine_settings(config), settings::scopes(config));
    let mut machine = Machine::new(recovered.world.clone(), settings).with_scopes(scopes);
    machine.set_rules(settings::permission_rules(config));
    let is_journal_empty = recovered.lost || recovered.last_event == 0;
    let found = find_programs(&mut machine, held, is_journal_empty);
    (machine, found)
}

/// Returns the warnings about the journal. Programs that it does not know show that it is gone.
fn damage_warnings(
    recovered: &RecoveredState,
    is_program_unknown: bool,
) -> impl Iterator<Item = String> + use<> {
    let missing = match recovered.last_event {
        0 => "The journal was missing; all names, tags, metadata and messages were lost",
        _ => {
            "The journal does not know all running programs, so it is an older one; they were given new sessions"
        }
    };
    let missing = (is_program_unknown && recovered.warnings.is_empty()).then(|| missing.to_owned());
    recovered.warnings.clone().into_iter().chain(missing)
}

/// Gives programs that still run and that the journal does not know a session again, after it was lost or damaged, or an
/// older one was put in its place. A program that was started a moment ago is one whose start the last daemon could not
/// store.
fn find_programs(machine: &mut Machine, held: &[TakenPane], is_journal_empty: bool) -> Vec<MachineStep> {
    let run = |pane: &TakenPane| ProgramRun { id: pane.run(), pid: pane.holding.pid.cast_unsigned() };
    let is_kept = |pane: &&TakenPane| is_journal_empty || (pane.holding.exit.is_none() && is_settled(pane));
    let mut runs: Vec<_> = held.iter().filter(is_kept).map(run).collect();
    let is_known =
        |run: RunId| pane_of(machine.world(), run).is_some() || machine.world().dropped_runs.contains(&run);
    runs.retain(|run| !is_known(run.id));
    if runs.is_empty() {
        return Vec::new();
    }
    vec![machine.handle(clock::now(), Input::RunsFound { runs, seed: clock::seed() })]
}

/// Whether a program has been running for so long that its start must have been stored.
fn is_settled(pane: &TakenPane) -> bool {
    let started = |pid| ProcessStat::of(pid).map(|stat| stat.started);
    let program = started(pane.holding.pid.cast_unsigned());
    let ticks = |(own, program): (u64, u64)| own.saturating_sub(program);
    started(std::process::id()).zip(program).is_some_and(|times| ticks(times) > SETTLED)
}

/// Takes over from the keeper, which stops reading terminals: from here on this daemon reads them. Returns the panes and
/// the keeper's version.
async fn take_over(link: &Link, listener: &OwnedFd, state: &Path) -> std::io::Result<(Vec<TakenPane>, u16)> {
    let mut held = Vec::new();
    if let Err(why) = link.send(&Message::Take, &[]) {
        tracing::error!("The keeper was killed along with its programs: {why}");
        return Ok((held, 0));
    }
    let watch = crate::fd_readiness::watch(link.as_fd(), tokio::io::Interest::READABLE)?;
    loop {
        match link.try_recv() {
            Ok(Some((Message::Holding(holding), fds))) => held.push(TakenPane::new(holding, fds)?),
            Ok(Some((Message::Ready { version, .. }, _))) => return Ok((held, version)),
            Ok(Some((other, _))) => {
                tracing::warn!("Ignored a message that the keeper sent before it was ready: {other:?}");
            }
            Ok(None) => match tokio::time::timeout(KEEPER_SILENCE, watch.readable()).await {
                Ok(readable) => readable?.clear_ready(),
                // Only it has the terminals, so it cannot be replaced.
                Err(_) => tell_that_keeper_is_silent(listener, state),
            },
            // A keeper of another version may send more.
            Err(why) if is_unknown(&why) => tracing::warn!("Ignored a message of an unknown kind: {why}"),
            // It was killed. What it sent is complete, and its successor gets that.
            Err(why) if why.kind() == std::io::ErrorKind::UnexpectedEof => return Ok((held, 0)),
            Err(why) => return Err(why),
        }
    }
}

/// Tells the clients that wait, and the log, that the keeper does not respond.
fn tell_that_keeper_is_silent(listener: &OwnedFd, state: &Path) {
    let keeper = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get());
    let why = format!(
        "the keeper (process {keeper}), which holds the programs, is not responding; if it is stopped, \
         `kill -CONT {keeper}` resumes it"
    );
    tracing::error!("Cannot start yet: {why}");
    let log = state.join("log").display().to_string();
    let refusal = Refused::from(&Refusal::DaemonCannotStart { why, log, has_programs: true });
    fugue_keeper::answer_clients(listener, &messages::refusal(None, &refusal));
}

/// Whether a message is of a kind that this version does not know. It may be skipped; one whose content is missing may be a
/// pane.
fn is_unknown(why: &std::io::Error) -> bool {
    let malformed = why.get_ref().and_then(|inner| inner.downcast_ref::<Malformed>());
    matches!(malformed, Some(Malformed::Unknown(_)))
}

/// The link to the keeper, which is the parent of this process, and how to replace the keeper.
fn keeper_connection(
    link: Link,
    version: u16,
    listener: &OwnedFd,
    options: &DaemonOptions,
    published: &PublishedAddress,
) -> std::io::Result<KeeperConnection> {
    let paths = [("--socket", &options.socket), ("--state", &options.state), ("--config", &options.config)];
    let paths = paths.into_iter().flat_map(|(flag, path)| [flag.into(), path.clone()]).collect();
    let successor = SuccessorCommand { program: std::env::current_exe()?, paths };
    let keeper = KeeperWatch::of_link(&link)?;
    let (listener, lock) = (listener.try_clone()?, published.lock()?);
    Ok(KeeperConnection { link, keeper, version, listener, lock, successor })
}

fn start_keeper_link(
    connection: KeeperConnection,
    held: &[TakenPane],
    inputs: ManagerTx,
) -> Result<KeeperHandle, String> {
    let deliver = move |event| {
        let inputs = inputs.clone();
        async move { inputs.send(ManagerInput::Keeper(event)).await.is_ok() }
    };
    keeper_link::start(connection, held, deliver).map_err(|why| why.to_string())
}

/// Restores the panes of programs that still run; a program that belongs to no pane is killed.
async fn adopt(manager: &mut Manager, held: Vec<TakenPane>, keeper: &KeeperHandle) {
    let runs = runs_of(&held);
    manager.pane_context().crash_record.retain(|run| runs.contains(&run));
    for taken in held {
        let run = taken.run();
        match pane_of(manager.world(), run) {
            Some(id) => {
                let size = manager.world().place_of(id).size();
                let context = manager.pane_context();
                match pane::restore(id, size, taken, manager.limits(), context) {
                    Ok(pane) => manager.adopt(id, pane),
                    Err(why) => tracing::error!("Cannot restore pane {id}: {why}"),
                }
            }
            None => {
                let pid = taken.holding.pid;
                tracing::warn!(
                    "Terminating process {pid}: the last daemon ended before it could store its start"
                );
                drop(keeper.send(KeeperOrder::Forget { run }));
            }
        }
    }
    manager.report_running(runs).await;
}

fn runs_of(held: &[TakenPane]) -> Vec<RunId> {
    held.iter().map(TakenPane::run).collect()
}

/// Returns the pane whose program a run is or was.
fn pane_of(world: &World, run: RunId) -> Option<PaneId> {
    world.panes.values().find(|pane| pane.run_id() == Some(run)).map(|pane| pane.id)
}
