//! `fugue record`: a pane's output into a file, as asciicast v3, until the program ends or somebody interrupts.
//! What could not be had is said in the file, where it is missing.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Write};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use fugue_client::{CallError, ServerFrame, StartPolicy};
use fugue_protocol::recording::RecordingChunk;
use fugue_protocol::verbs::{PaneChoice, RecordPane};
use fugue_protocol::views::PaneView;

use crate::asciicast::Asciicast;
use crate::cli::{self, Failure};

/// The command's flags.
pub(crate) fn command() -> Command {
    RecordPane::augment_args(Command::new("record"))
        .about("Record a pane's output as asciicast v3, until its program ends")
        .arg(Arg::new("file").required(true).help("Where to; `-` is the standard output"))
        .arg(Arg::new("force").long("force").action(ArgAction::SetTrue).help("Even if the file exists"))
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), Failure> {
    let fugue = cli::with_common(Command::new("fugue").subcommand_required(true));
    let matches = fugue.subcommand(command()).try_get_matches_from(words)?;
    let Some((_, args)) = matches.subcommand() else { return Ok(()) };
    let mut wanted = RecordPane::from_arg_matches(args)?;
    let mut cast = Asciicast::new(file(args)?);
    let mut first = true;
    loop {
        match record(&mut wanted, args, &mut cast, first) {
            Ok(()) => break,
            // Another daemon is there at once, and has the pane.
            Err(CallError::Lost(_)) if cast.has_begun() => {
                cast.mark("the daemon was replaced: what was written meanwhile is missing")
                    .map_err(unwritten)?;
                first = false;
            }
            Err(trouble) => return Err(trouble.into()),
        }
    }
    let (written, lost) = (cast.written(), cast.lost());
    let lost = if lost > 0 { format!(", {lost} were lost") } else { String::new() };
    let _ = writeln!(io::stderr(), "{written} bytes recorded{lost}");
    Ok(())
}

fn file(args: &ArgMatches) -> Result<Box<dyn Write>, Failure> {
    let Some(path) = args.get_one::<String>("file").filter(|path| *path != "-") else {
        return Ok(Box::new(io::stdout()));
    };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).create_new(!args.get_flag("force"));
    let opened = options.open(path).map_err(|why| {
        let hint =
            if why.kind() == io::ErrorKind::AlreadyExists { "\nhint: --force writes over it" } else { "" };
        CallError::Malformed(format!("{path} cannot be written: {why}{hint}"))
    })?;
    Ok(Box::new(opened))
}

/// Records until the end, which is the program's or the daemon's.
fn record(
    wanted: &mut RecordPane,
    args: &ArgMatches,
    cast: &mut Asciicast,
    first: bool,
) -> Result<(), CallError> {
    let mut connection = cli::open(args, StartPolicy::IfNeeded)?;
    let pane: PaneView = connection.call(wanted)?;
    // The same pane again, should the daemon be replaced.
    wanted.choice = PaneChoice::of(pane.pane_id);
    if first {
        cast.about(&pane);
    }
    loop {
        let ServerFrame::Recording(body) = connection.next_frame()? else { continue };
        let (_, at, piece) =
            RecordingChunk::read(&body).map_err(|why| CallError::Malformed(why.to_string()))?;
        let over = matches!(piece, RecordingChunk::Ended(_));
        cast.add(at, &piece).map_err(unwritten)?;
        if over {
            return Ok(());
        }
    }
}

fn unwritten(why: io::Error) -> CallError {
    CallError::Malformed(format!("the recording cannot be written: {why}"))
}
