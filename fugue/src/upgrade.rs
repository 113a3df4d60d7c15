//! `fugue upgrade`: replaces keeper and daemon by the binary that it is called from.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, Paths, await_report, request_upgrade};
use fugue_protocol::escape::{escape_json, escape_lines};
use fugue_protocol::messages::Welcome;
use fugue_protocol::upgrade::{UpgradeReport, UpgradeRequest};
use serde_json::json;

use crate::context::{self, CommandFailure};

/// How long the new daemon has to serve clients, or the one before it after a roll back: a long journal takes seconds.
const SERVES_WITHIN: Duration = Duration::from_secs(60);

/// The command line of `fugue upgrade`.
pub(crate) fn command() -> Command {
    Command::new("upgrade").about("Replace the running daemon with this binary").arg(
        Arg::new("force")
            .long("force")
            .action(ArgAction::SetTrue)
            .help("Replace the daemon even if it is already running this binary"),
    )
}

/// Runs `fugue upgrade`.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let (paths, binary) = (context::paths(&args)?, own_binary()?);
    let request = |report_only| UpgradeRequest { binary: binary.clone(), report_only };
    let before = request_upgrade(&paths, request(true))?;
    let old = report_of(&before)?;
    if old.is_requested_binary && !args.get_flag("force") {
        say(
            &args,
            &before,
            &before,
            &format!("The daemon is already running fugue {} from {binary}", before.version),
        );
        return Ok(());
    }
    request_upgrade(&paths, request(false))?;
    let after = await_report(&paths, &binary, SERVES_WITHIN)?;
    let new = report_of(&after)?;
    if !new.is_requested_binary {
        return Err(rolled_back(&after, new, &paths).into());
    }
    let (from, to, programs) = (&before.version, &after.version, new.programs);
    let processes = format!("keeper {}, daemon {}", new.keeper_pid, new.daemon_pid);
    let kept = format!("{programs} {} kept", if programs == 1 { "program" } else { "programs" });
    say(&args, &before, &after, &format!("Upgraded the daemon from {from} to {to} ({processes}); {kept}"));
    Ok(())
}

fn say(args: &ArgMatches, before: &Welcome, after: &Welcome, sentence: &str) {
    let text = match args.get_flag("json") {
        true => escape_json(&json!({ "before": before, "after": after }).to_string()).into_owned(),
        false => escape_lines(sentence).into_owned(),
    };
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// The absolute path of this binary, which must still be there for others to execute.
fn own_binary() -> Result<String, CallError> {
    let cannot = |why: String| CallError::Local(format!("Cannot upgrade to this binary: {why}"));
    let path = std::env::current_exe().map_err(|why| cannot(why.to_string()))?;
    let is_executable = |path: &Path| {
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    match is_executable(&path) {
        true => utf8(path).map_err(cannot),
        false => Err(cannot(format!("{} was removed or is not executable", path.display()))),
    }
}

fn utf8(path: PathBuf) -> Result<String, String> {
    path.into_os_string().into_string().map_err(|path| format!("{} is not UTF-8", path.display()))
}

fn report_of(welcome: &Welcome) -> Result<&UpgradeReport, CallError> {
    let too_old = || {
        let version = &welcome.version;
        CallError::Local(format!(
            "The daemon (fugue {version}) cannot be upgraded\nhint: `fugue shutdown` stops it and all programs in its panes"
        ))
    };
    welcome.upgrade.as_ref().ok_or_else(too_old)
}

fn rolled_back(after: &Welcome, report: &UpgradeReport, paths: &Paths) -> CallError {
    let why = report.rolled_back.as_deref().unwrap_or("a different binary was started instead");
    let (version, log) = (&after.version, paths.state.join("log"));
    CallError::Local(format!(
        "The upgrade was rolled back to fugue {version}: {why}\nhint: programs keep running; see the log at {}",
        log.display()
    ))
}
