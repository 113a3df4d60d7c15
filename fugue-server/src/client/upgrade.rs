//! A client that asks for an upgrade: the binary is checked, the keeper executes it, the client is told, and the daemon
//! makes way for the next one. Until the keeper has executed the binary, every failure leaves everything as it was.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use fugue_core::Caller;
use fugue_protocol::Refusal;
use fugue_protocol::messages;
use fugue_protocol::upgrade::{UpgradeReport, UpgradeRequest};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::oneshot;

use super::{ServerContext, final_frame};
use crate::session::{ManagerInput, UpgradeInput};

/// How long the new binary may take to say that it can replace the keeper.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

/// The most that is read of what it says, in bytes: the answer is shorter.
const ANSWER_BYTES: u64 = 64;

/// How often it is looked at meanwhile.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Serves a client that asks for an upgrade.
pub(super) async fn serve(
    outgoing: OwnedWriteHalf,
    (caller, pid): (Caller, Option<u32>),
    request: UpgradeRequest,
    context: ServerContext,
) {
    let is_replacing = !request.report_only;
    match perform((caller, pid), request, &context).await {
        Ok(report) => {
            let welcome = super::welcome(caller, 0);
            let welcome = messages::Welcome { upgrade: Some(report), ..welcome };
            final_frame::send(outgoing, &messages::welcome(&welcome)).await;
            if is_replacing {
                let ended = ManagerInput::UpgradeEnded { is_keeper_replaced: true };
                let _ = context.manager.send(ended).await;
            }
        }
        Err(refusal) => final_frame::send_refusal(outgoing, &refusal).await,
    }
}

async fn perform(
    (caller, pid): (Caller, Option<u32>),
    request: UpgradeRequest,
    context: &ServerContext,
) -> Result<UpgradeReport, Refusal> {
    let (answer, report) = oneshot::channel();
    let binary = PathBuf::from(&request.binary);
    let report_only = request.report_only;
    let input = ManagerInput::Upgrade(UpgradeInput { request, caller, pid, answer });
    let _ = context.manager.send(input).await;
    let report = report.await.unwrap_or(Err(Refusal::ShuttingDown))?;
    if report_only {
        return Ok(report);
    }
    let replaced = replace_keeper(binary, context).await;
    if let Err(why) = replaced {
        tracing::warn!("Cannot upgrade: {why}");
        let _ = context.manager.send(ManagerInput::UpgradeEnded { is_keeper_replaced: false }).await;
        return Err(Refusal::CannotUpgrade { why });
    }
    Ok(report)
}

async fn replace_keeper(binary: PathBuf, context: &ServerContext) -> Result<(), String> {
    let checked = binary.clone();
    let check = tokio::task::spawn_blocking(move || check(&checked)).await;
    check.unwrap_or_else(|why| Err(why.to_string()))?;
    context.keeper.upgrade(binary).await
}

/// Checks that a binary can replace the keeper, by asking it. Anything may be at the path.
fn check(binary: &Path) -> Result<(), String> {
    if !binary.is_absolute() {
        return Err(format!("{} is not an absolute path", binary.display()));
    }
    let cannot = |why: std::io::Error| format!("cannot execute {}: {why}", binary.display());
    let version = fugue_keeper::TABLE_VERSION.to_string();
    let mut command = Command::new(binary);
    command.args(["keeper", "--reads-table", &version]).stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(cannot)?;
    let is_in_time = exits_in_time(&mut child).map_err(cannot)?;
    let answer = child.stdout.take().filter(|_| is_in_time).map(read_written);
    match answer {
        Some(answer) if answer.trim() == fugue_keeper::TABLE_ANSWER => Ok(()),
        _ => Err(format!("{} is not a version of fugue that can replace this one", binary.display())),
    }
}

/// Reads what was written. A child of the process that wrote it may keep the pipe open, so the end is not waited for.
fn read_written(out: ChildStdout) -> String {
    let mut answer = Vec::new();
    if fcntl_getfl(&out).and_then(|flags| fcntl_setfl(&out, flags | OFlags::NONBLOCK)).is_ok() {
        // An error is the end of what there is.
        let _ = out.take(ANSWER_BYTES).read_to_end(&mut answer);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Waits for a child. One that does not exit in time is killed.
fn exits_in_time(child: &mut Child) -> std::io::Result<bool> {
    let begun = Instant::now();
    while child.try_wait()?.is_none() {
        if begun.elapsed() > CHECK_TIMEOUT {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(CHECK_INTERVAL);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_binary_that_leaves_a_process_with_its_output_behind_does_not_block_the_check() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("binary");
        let script = format!("#!/bin/sh\necho '{}'\nsleep 20 &\n", fugue_keeper::TABLE_ANSWER);
        std::fs::write(&path, script).expect("a script");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("its mode");
        let begun = Instant::now();
        assert_eq!(check(&path), Ok(()));
        assert!(begun.elapsed() < CHECK_TIMEOUT);
    }
}
