//! tmux's control mode (`tmux -C`, `tmux -CC`), in which a program such as iTerm2 is the client: its lines are tmux's commands,
//! and it is told of output and changes. The lines are written in `lines.rs`, what the client shows is in `client.rs`, its
//! commands in `commands.rs`, and what the daemon sends in `streams.rs`.
//!
//! Nothing is queued for a client that reads slowly but `QUEUE` messages: threads wait, and the daemon drops output of
//! panes, which is told or made good by drawing the screen again.

mod changes;
mod client;
mod commands;
mod lines;
mod requests;
mod streams;
mod subscriptions;
mod task;

use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{Receiver, RecvError, SyncSender, TryRecvError, sync_channel};

use fugue_client::{CallError, Paths};
use fugue_tmux::LineSetting;
use rustix::termios::{
    ControlModes, InputModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

use crate::tmux_shim::StepRunner;
use client::{ControlClient, Next};
use commands::{Commands, Led, Shown};
use streams::PaneStreams;
use task::ControlTask;

/// The messages that wait to be written. Each is at most a chunk of output or the output of a command.
const QUEUE: usize = 64;

/// The longest line of commands.
const LONGEST_LINE: u64 = 1 << 20;

/// What `-CC` writes before and after everything, so that a terminal knows what it reads.
const OPENING: &[u8] = b"\x1bP1000p";
const CLOSING: &[u8] = b"\x1b\\";

/// The terminal of `-CC`, which shows what is typed no longer.
struct RawTerminal(Option<Termios>);

impl RawTerminal {
    fn enter() -> Self {
        let original = tcgetattr(io::stdin()).ok();
        if let Some(mut raw) = original.clone() {
            raw.make_raw();
            // As in tmux: iTerm2 ends its lines with a carriage return, and ours arrive with both.
            raw.input_modes = InputModes::ICRNL | InputModes::IXANY;
            raw.output_modes = OutputModes::OPOST | OutputModes::ONLCR;
            raw.control_modes = ControlModes::CREAD | ControlModes::CS8 | ControlModes::HUPCL;
            raw.special_codes[SpecialCodeIndex::VMIN] = 1;
            raw.special_codes[SpecialCodeIndex::VTIME] = 0;
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &raw);
        }
        Self(original)
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        if let Some(original) = &self.0 {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, original);
        }
    }
}

/// Runs a command that attaches, and then the client. `is_in_terminal` is for `-CC`.
pub(crate) fn run(
    runner: StepRunner,
    setting: fn(&Paths) -> LineSetting,
    paths: &Paths,
    words: Vec<String>,
    is_in_terminal: bool,
) -> Result<u8, String> {
    let _terminal = is_in_terminal.then(RawTerminal::enter);
    let mut out = io::stdout();
    let mut write = |bytes: &[u8]| out.write_all(bytes).and_then(|()| out.flush());
    if is_in_terminal {
        let _ = write(OPENING);
    }
    let ended = serve(runner, setting, paths, words);
    // A client that reads no more needs no farewell.
    let farewell = match &ended {
        Ok(ClientEnd { why: Some(why), .. }) => format!("%exit {why}\n"),
        Ok(ClientEnd { why: None, .. }) => "%exit\n".to_owned(),
        Err(why) => {
            String::from_utf8_lossy(&lines::notification(&format!("%exit {}", why.message()))).into_owned()
        }
    };
    let _ = write(farewell.as_bytes());
    if let Ok(ClientEnd { input: Some(input), .. }) = &ended {
        // Nothing is sent: the other end is dropped after an empty line, or at the end of the input.
        let _ = input.recv();
    }
    if is_in_terminal {
        let _ = write(CLOSING);
    }
    Ok(u8::from(ended.is_err()))
}

/// How the client ended.
struct ClientEnd {
    /// The reason, if one is told.
    why: Option<&'static str>,
    /// What ends with the input of the client, if it has asked to wait for that (`wait-exit`).
    input: Option<Receiver<()>>,
}

impl ClientEnd {
    fn at_once(why: Option<&'static str>) -> Self {
        Self { why, input: None }
    }
}

/// Serves the client to its end.
fn serve(
    runner: StepRunner,
    setting: fn(&Paths) -> LineSetting,
    paths: &Paths,
    words: Vec<String>,
) -> Result<ClientEnd, CallError> {
    let (sender, receiver) = sync_channel(QUEUE);
    let shown = Shown::default();
    let streams = PaneStreams::new(paths.clone(), sender.clone());
    let mut client = ControlClient::new(io::stdout(), paths.clone(), shown.clone(), streams)?;
    let mut commands = Commands::new(runner, setting, paths.clone(), shown.clone(), sender.clone());
    let (block, led) = commands.first(words);
    client.write(&block)?;
    let Led::To(session) = led else { return Ok(ClientEnd::at_once(None)) };
    let cannot = |why: io::Error| CallError::Local(format!("cannot start a thread: {why}"));
    streams::follow_events(paths.clone(), sender.clone()).map_err(cannot)?;
    if let Next::Ends(why) = client.show(session)? {
        return Ok(ClientEnd::at_once(why));
    }
    let (is_open, input) = sync_channel(0);
    let reads = move || read_commands(commands, &sender, is_open);
    std::thread::Builder::new().name("control-input".to_owned()).spawn(reads).map_err(cannot)?;
    let ended = follow(&mut client, &receiver);
    shown.clear();
    Ok(ClientEnd { why: ended?, input: client.waits_at_exit().then_some(input) })
}

/// Handles messages until the client ends.
fn follow<W: Write>(
    client: &mut ControlClient<W>,
    receiver: &Receiver<ControlTask>,
) -> Result<Option<&'static str>, CallError> {
    loop {
        // What changed is told when there is a pause, so that many changes are told at once.
        let (is_stale, is_very_stale) = client.is_stale();
        let message = match receiver.try_recv() {
            Ok(message) if !is_very_stale => Some(message),
            Ok(message) => {
                if let Next::Ends(why) = client.refresh()? {
                    return Ok(why);
                }
                Some(message)
            }
            Err(TryRecvError::Empty) if is_stale => None,
            Err(TryRecvError::Empty) => match receiver.recv() {
                Ok(message) => Some(message),
                Err(RecvError) => return Ok(None),
            },
            Err(TryRecvError::Disconnected) => return Ok(None),
        };
        let next = match message {
            Some(message) => client.handle(message)?,
            None => client.refresh()?,
        };
        if let Next::Ends(why) = next {
            return Ok(why);
        }
    }
}

/// Runs the lines of standard input. An empty line detaches, as in tmux. `_is_open` is dropped with the input.
fn read_commands(mut commands: Commands, sender: &SyncSender<ControlTask>, _is_open: SyncSender<()>) {
    let mut input = io::stdin().lock();
    let why = loop {
        match next_line(&mut input) {
            Ok(Some(line)) if commands.is_attached() && commands.line(&line) => {}
            Ok(Some(_)) => {
                // What follows is not run: only the end of it matters.
                while let Ok(Some(_)) = next_line(&mut input) {}
                return;
            }
            Ok(None) => break None,
            Err(why) => break Some(why),
        }
    };
    let _ = sender.send(ControlTask::Exit(why));
}

/// The next line; none at the end, which is an empty one. The error ends the client.
fn next_line(input: &mut impl BufRead) -> Result<Option<String>, &'static str> {
    let mut line = Vec::new();
    let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
    read.map_err(|_| "input cannot be read")?;
    if !line.ends_with(b"\n") && line.len() as u64 == LONGEST_LINE {
        return Err("line too long");
    }
    let text = String::from_utf8_lossy(&line);
    let text = text.trim_end_matches(['\n', '\r']);
    Ok((!text.is_empty()).then(|| text.to_owned()))
}
