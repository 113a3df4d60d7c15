//! The actions of hooks as processes: how many run at once, how long each may take, and what is told of one that fails.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use fugue_config::HookAction;
use tokio::sync::Semaphore;

use super::{HookReceiver, HookRun, RunningHooks};
use crate::tasks;
use crate::user_command::{self, UserCommand};

/// The most commands that run at once. More would compete with the agents for the processors.
const MOST_RUNNING: usize = 8;

/// How long a command may run. It is for short work; what takes longer belongs in a pane.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs commands until the daemon ends.
pub(super) async fn run_all(
    mut queue: HookReceiver,
    socket: PathBuf,
    running: RunningHooks,
    dropped: Rc<Cell<usize>>,
) {
    let places = Arc::new(Semaphore::new(MOST_RUNNING));
    while let Some(run) = queue.recv().await {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        if let count @ 1.. = dropped.take() {
            tracing::warn!("{count} hooks were not run, because too many were waiting");
        }
        let (socket, running) = (socket.clone(), running.clone());
        tasks::spawn_local(async move {
            let ran = run_one(&run, &socket, &running, TIMEOUT).await;
            if let Err(why) = ran {
                tracing::warn!("The hook `{}` for {} failed: {why}", run.action, run.event);
            }
            drop(place);
        });
    }
}

/// Runs a command to its end. The error says how it failed.
async fn run_one(
    run: &HookRun,
    socket: &Path,
    running: &RunningHooks,
    timeout: Duration,
) -> Result<(), String> {
    let command = start(run, socket).map_err(|why| why.to_string())?;
    let pid = command.pid();
    running.add(pid, run.by_agent);
    let waited = tokio::task::spawn_blocking(move || (command.ends_within(timeout), command)).await;
    // From here on, another process may get its pid.
    running.remove(pid);
    let (in_time, command) = waited.map_err(|why| why.to_string())?;
    let ended = command.end(in_time.unwrap_or_default()).map_err(|why| why.to_string())?;
    match ended.status {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(format!("{status}: {}", ended.last_line)),
        None => Err(format!("it ran for more than {} seconds", timeout.as_secs())),
    }
}

fn start(run: &HookRun, socket: &Path) -> std::io::Result<UserCommand> {
    // The shell itself goes home: a home directory on the network could keep the daemon waiting.
    let mut shell = match &run.action {
        HookAction::Shell(command) => {
            let mut shell = user_command::shell("cd 2>/dev/null; exec /bin/sh -c \"$0\"");
            shell.arg(command);
            shell
        }
        HookAction::Tmux(line) => {
            let mut shell = user_command::shell("cd 2>/dev/null; exec \"$0\" tmux --hook \"$1\"");
            // This daemon's own image, whatever is at its path by now.
            shell.arg(format!("/proc/{}/exe", std::process::id())).arg(line);
            shell
        }
    };
    shell.env("FUGUE_SOCKET", socket).env("FUGUE_HOOK", run.event);
    shell.envs(run.variables.iter().map(|(name, value)| (name, value)));
    UserCommand::start(shell)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn run(command: &str, timeout: Duration) -> Result<(), String> {
        let variables = vec![("FUGUE_HOOK_SESSION", "work".to_owned())];
        let action = HookAction::Shell(command.into());
        let run = HookRun { event: "bell", action, by_agent: false, variables };
        run_one(&run, Path::new("/run/fugue.sock"), &RunningHooks::default(), timeout).await
    }

    #[tokio::test(flavor = "local")]
    async fn a_command_is_told_the_facts_and_its_failure_is_told() {
        let facts = "[ \"$FUGUE_HOOK $FUGUE_HOOK_SESSION $FUGUE_SOCKET\" = 'bell work /run/fugue.sock' ]";
        assert_eq!(run(facts, TIMEOUT).await, Ok(()));
        let failed = run("echo first; echo last >&2; exit 4", TIMEOUT).await;
        assert_eq!(failed, Err("exit status: 4: last".into()));
        let slow = run("sleep 600", Duration::from_millis(100)).await;
        assert_eq!(slow, Err("it ran for more than 0 seconds".into()));
    }
}
