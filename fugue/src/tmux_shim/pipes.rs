//! `pipe-pane`: a process in the background that hands a pane's output to a shell command. The daemon knows that it is there
//! as long as its connection lasts, and asks it to end.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command as Process, Stdio};

use clap::{Arg, ArgMatches, Command};
use fugue_client::{CallError, Connection, ServerFrame, StartPolicy, random_key};
use fugue_protocol::PaneId;
use fugue_protocol::recording_chunk::RecordingChunk;
use fugue_protocol::verbs::{AwaitPipeEnd, EndPipe, HoldPipe, PaneChoice, RecordPane};

use crate::context::{self, CommandFailure};

/// How often a pipe that another one came before tries to take its place.
const ATTEMPTS: usize = 100;

/// Starts the pipe of a pane.
pub(super) fn start(server: Option<&str>, pane: PaneId, command: &str) -> std::io::Result<()> {
    let mut process = Process::new(std::env::current_exe()?);
    let server = server.map(|server| format!("--server={server}"));
    process.arg0("fugue").args(server).arg("tmux-pipe").arg(pane.to_string()).arg(command);
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
        .arg(word("command").allow_hyphen_values(true))
}

/// The pipe of a pane, as the daemon knows it.
#[derive(Clone)]
struct Pipe {
    args: ArgMatches,
    choice: PaneChoice,
    key: String,
}

impl Pipe {
    fn open(&self) -> Result<Connection, CallError> {
        context::open(&self.args, StartPolicy::Never)
    }

    /// Becomes the pipe of the pane, in the place of another. Returns the connection over which its output comes.
    fn begin(&self) -> Result<Connection, CallError> {
        for _ in 0..ATTEMPTS {
            if let Some(connection) = self.hold()? {
                return Ok(connection);
            }
            self.open()?.call(&EndPipe { choice: self.choice.clone() })?;
        }
        Err(CallError::Local("Another pipe is started again and again".into()))
    }

    /// Becomes the pipe of the pane, unless it has another.
    fn hold(&self) -> Result<Option<Connection>, CallError> {
        let mut connection = self.open()?;
        let held = connection.send(&HoldPipe { choice: self.choice.clone(), key: self.key.clone() })?;
        let recorded = connection.send(&RecordPane { choice: self.choice.clone() })?;
        loop {
            match connection.next_frame()? {
                ServerFrame::Answer(id, answer) if id == recorded => {
                    answer?;
                    self.end_when_asked();
                    return Ok(Some(connection));
                }
                ServerFrame::Answer(id, answer) if id == held => {
                    return answer.map(|_| None).map_err(Into::into);
                }
                _ => {}
            }
        }
    }

    /// Ends this process when the daemon asks for it, even while the command takes no output. If the daemon goes away or
    /// the pane is closed, the copying ends by itself.
    fn end_when_asked(&self) {
        let pipe = self.clone();
        std::thread::spawn(move || {
            let end = AwaitPipeEnd { choice: pipe.choice.clone(), key: pipe.key.clone() };
            if pipe.open().and_then(|mut connection| connection.call(&end)).is_ok() {
                // Whoever started it may still wait for it to begin.
                let _ = std::io::stdout().write_all(b"\n");
                std::process::exit(0);
            }
        });
    }
}

/// Runs the process in the background.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let word = |name: &str| args.get_one::<String>(name).cloned().unwrap_or_default();
    let failed = |why: std::io::Error| CallError::Local(format!("Cannot pipe the pane's output: {why}"));
    let pane: PaneId = word("pane").parse().map_err(|_| CallError::Local("Not a pane".into()))?;
    let mut shell = Process::new("sh");
    shell.arg("-c").arg(word("command")).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let pipe = Pipe { args, choice: PaneChoice::of(pane), key: random_key("pipe") };
    let mut connection = pipe.begin()?;
    let mut shell = shell.spawn().map_err(failed)?;
    let mut input = shell.stdin.take();
    let _ = std::io::stdout().write_all(b"\n");
    while let Some(sink) = &mut input {
        if copy(&mut connection, sink).is_ok() {
            break;
        }
        // Another daemon takes over at once, and has the pane. One that was shut down has no successor.
        let Ok(Some(again)) = pipe.hold() else { break };
        connection = again;
        if mark(sink, "the daemon restarted; some output may be missing").is_err() {
            break;
        }
    }
    // The command may take its time; the pane has no pipe any more.
    drop((input, connection));
    let _ = shell.wait();
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
