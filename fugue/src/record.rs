//! `fugue record`: writes a pane's output to a file as asciicast v3, until the program ends or the command is
//! interrupted. Output that was lost is marked in the file.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use fugue_client::{CallError, ServerFrame, StartPolicy};
use fugue_protocol::recording_chunk::RecordingChunk;
use fugue_protocol::verbs::{PaneChoice, RecordPane};
use fugue_protocol::views::PaneView;

use crate::asciicast::Asciicast;
use crate::context::{self, CommandFailure};

/// The command line of `fugue record`.
pub(crate) fn command() -> Command {
    RecordPane::augment_args(Command::new("record"))
        .about("Record a pane's output as asciicast v3")
        .arg(Arg::new("file").required(true).help("File to write to, or `-` for standard output"))
        .arg(Arg::new("force").long("force").action(ArgAction::SetTrue).help("Overwrite an existing file"))
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = &context::parse(command(), words)?;
    let mut wanted = RecordPane::from_arg_matches(args)?;
    let mut cast = None;
    loop {
        match (record(&mut wanted, args, &mut cast), &mut cast) {
            (Ok(()), _) => break,
            // Another daemon takes over at once, and has the pane.
            (Err(CallError::Lost(_)), Some(cast)) if cast.has_begun() => {
                cast.mark("the daemon restarted, so some output is missing").map_err(write_failed)?;
            }
            // Only a daemon that was shut down has no successor: it is not started again just to be recorded.
            (Err(CallError::NoDaemon(_)), Some(cast)) => {
                cast.mark("the daemon was shut down").map_err(write_failed)?;
                break;
            }
            (Err(error), _) => return Err(error.into()),
        }
    }
    let (written, lost) = cast.map_or((0, 0), |cast| (cast.written(), cast.lost()));
    let lost = if lost > 0 { format!(", {lost} lost") } else { String::new() };
    let _ = writeln!(io::stderr(), "Recorded {written} bytes{lost}");
    Ok(())
}

fn file(args: &ArgMatches) -> Result<Box<dyn Write>, CallError> {
    let Some(path) = args.get_one::<String>("file").filter(|path| *path != "-") else {
        return Ok(Box::new(io::stdout()));
    };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).create_new(!args.get_flag("force"));
    let opened = options.open(path).map_err(|why| {
        let hint =
            if why.kind() == io::ErrorKind::AlreadyExists { "\nhint: --force overwrites it" } else { "" };
        CallError::Local(format!("Cannot write {path}: {why}{hint}"))
    })?;
    Ok(Box::new(opened))
}

/// Records until the program ends or the daemon goes away. The file is opened once there is something to record: a mistake in
/// the target leaves no file, and truncates none.
fn record(wanted: &mut RecordPane, args: &ArgMatches, cast: &mut Option<Asciicast>) -> Result<(), CallError> {
    let mut connection = match cast {
        None => context::open_to_read(args)?,
        Some(_) => context::open(args, StartPolicy::Never)?,
    };
    let pane: PaneView = connection.call(wanted)?;
    // Pins the pane, so that the same one is recorded after the daemon is replaced.
    wanted.choice = PaneChoice::of(pane.pane_id);
    let cast = match cast {
        Some(cast) => cast,
        None => cast.insert(Asciicast::new(file(args)?, &pane)),
    };
    loop {
        let ServerFrame::Recording(body) = connection.next_frame()? else { continue };
        let (_, at, chunk) =
            RecordingChunk::read(&body).map_err(|why| CallError::Malformed(why.to_string()))?;
        let ended = matches!(chunk, RecordingChunk::Ended(_));
        cast.add(at, &chunk).map_err(write_failed)?;
        if ended {
            return Ok(());
        }
    }
}

fn write_failed(why: io::Error) -> CallError {
    CallError::Local(format!("Cannot write the recording: {why}"))
}
