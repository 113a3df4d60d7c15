//! `pipe-pane`: a process in the background that hands a pane's output to a shell command. A file beside the socket,
//! locked while the process runs, holds its process id.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command as Process, Stdio};

use clap::{Arg, Command};
use fugue_client::{CallError, Connection, ServerFrame, StartPolicy};
use fugue_protocol::PaneId;
use fugue_protocol::recording_chunk::RecordingChunk;
use fugue_protocol::verbs::{PaneChoice, RecordPane};
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};

use crate::context::{self, CommandFailure};

/// The panes that have a pipe.
pub(super) fn of(directory: &Path) -> BTreeSet<PaneId> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Waits until nobody else starts or ends the pipe of a pane: of two that are started at once, one would be left over.
pub(super) fn turn(file: &Path) -> std::io::Result<File> {
    let directory = file.parent().unwrap_or(file);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let mut options = OpenOptions::new();
    let turns = options.write(true).create(true).truncate(false).mode(0o600).open(directory.join("lock"))?;
    flock(&turns, FlockOperation::LockExclusive)?;
    Ok(turns)
}

/// Ends the pipe of a pane. Returns whether there was one.
pub(super) fn stop(file: &Path) -> bool {
    let Ok(mut opened) = File::open(file) else { return false };
    let runs = flock(&opened, FlockOperation::NonBlockingLockShared).is_err();
    let mut pid = String::new();
    let _ = opened.read_to_string(&mut pid);
    let pid = pid.trim().parse().ok().and_then(Pid::from_raw);
    if let Some(pid) = pid.filter(|_| runs) {
        let _ = kill_process(pid, Signal::TERM);
        // The file is free when the process has ended.
        let _ = flock(&opened, FlockOperation::LockShared);
    }
    let _ = fs::remove_file(file);
    runs
}

/// Starts the pipe of a pane.
pub(super) fn start(server: Option<&str>, pane: PaneId, file: &Path, command: &str) -> std::io::Result<()> {
    let mut process = Process::new(std::env::current_exe()?);
    let server = server.map(|server| format!("--server={server}"));
    process.arg0("fugue").args(server).arg("tmux-pipe").arg(pane.to_string()).arg(file).arg(command);
    process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = process.spawn()?;
    // It says something once it gets the output, so that nothing after this is lost.
    let mut ready = [0];
    let begun = child.stdout.take().map(|mut output| output.read_exact(&mut ready));
    begun.unwrap_or(Ok(()))
}

/// The command line of the process in the background.
pub(crate) fn command() -> Command {
    let word = |name: &'static str| Arg::new(name).required(true);
    Command::new("tmux-pipe")
        .about("Pipe a pane's output to a command")
        .hide(true)
        .arg(word("pane"))
        .arg(word("file"))
        .arg(word("command").allow_hyphen_values(true))
}

/// Runs the process in the background.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let word = |name: &str| args.get_one::<String>(name).cloned().unwrap_or_default();
    let failed = |why: std::io::Error| CallError::Local(format!("Cannot pipe the pane's output: {why}"));
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(word("file"));
    let mut file = file.map_err(failed)?;
    flock(&file, FlockOperation::LockExclusive).map_err(|why| failed(why.into()))?;
    write!(file, "{}", std::process::id()).map_err(failed)?;
    let pane: PaneId = word("pane").parse().map_err(|_| CallError::Local("Not a pane".into()))?;
    let record = || -> Result<Connection, CallError> {
        let mut connection = context::open(&args, StartPolicy::Never)?;
        connection.call(&RecordPane { choice: PaneChoice::of(pane) })?;
        Ok(connection)
    };
    let mut connection = record()?;
    let mut shell = Process::new("sh");
    shell.arg("-c").arg(word("command")).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut shell = shell.spawn().map_err(failed)?;
    let mut input = shell.stdin.take();
    let _ = std::io::stdout().write_all(b"\n");
    while let Some(sink) = &mut input {
        if copy(&mut connection, sink).is_ok() {
            break;
        }
        // Another daemon takes over at once, and has the pane. One that was shut down has no successor.
        let Ok(again) = record() else { break };
        connection = again;
        if mark(sink, "the daemon restarted; some output may be missing").is_err() {
            break;
        }
    }
    drop(input);
    let _ = shell.wait();
    let _ = fs::remove_file(word("file"));
    Ok(())
}

/// Hands a pane's output to a command until the program ends or nobody reads any more. The error is that the daemon has
/// gone away.
fn copy(connection: &mut Connection, sink: &mut impl Write) -> Result<(), CallError> {
    loop {
        let ServerFrame::Recording(body) = connection.next_frame()? else { continue };
        let Ok((_, _, chunk)) = RecordingChunk::read(&body) else { return Ok(()) };
        let written = match chunk {
            RecordingChunk::Wrote(bytes) => sink.write_all(&bytes),
            RecordingChunk::Begins { lost, .. } if lost > 0 => {
                mark(sink, &format!("{lost} bytes of output were lost"))
            }
            RecordingChunk::Ended(_) => return Ok(()),
            // How the screen looked before is not output.
            RecordingChunk::Begins { .. } | RecordingChunk::Resized(_) => Ok(()),
        };
        if written.is_err() {
            return Ok(());
        }
    }
}

/// Says between lines of the output that some of it is missing.
fn mark(sink: &mut impl Write, what: &str) -> std::io::Result<()> {
    write!(sink, "\r\n[fugue: {what}]\r\n")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;

    use fugue_protocol::Size;
    use fugue_protocol::Timestamp;
    use fugue_protocol::messages::Role;
    use fugue_protocol::views::ExitStatus;

    use super::*;

    #[test]
    fn lost_output_is_marked_where_it_is_missing() {
        let (mut daemon, client) = UnixStream::pair().expect("sockets");
        let (pane, at) = (PaneId::from_bytes([1; 16]), Timestamp::from_millis(1));
        let begins =
            |lost| RecordingChunk::Begins { size: Size::new(80, 24), lost, drawing: b"drawn".into() };
        for chunk in [
            begins(0),
            RecordingChunk::Wrote(b"one\r\n".into()),
            begins(7),
            RecordingChunk::Wrote(b"two\r\n".into()),
            RecordingChunk::Ended(ExitStatus::Code(0)),
        ] {
            daemon.write_all(&chunk.frame(pane, at)).expect("sent");
        }
        let mut connection = Connection::new(client, Role::Command, None).expect("a connection");
        let mut written = Vec::new();
        copy(&mut connection, &mut written).expect("it ends");
        let text = String::from_utf8(written).expect("text");
        assert_eq!(text, "one\r\n\r\n[fugue: 7 bytes of output were lost]\r\ntwo\r\n");
    }
}
