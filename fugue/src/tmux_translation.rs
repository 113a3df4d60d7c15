//! tmux's command lines at a shell: what fugue does not understand may be one of them, and is run as such.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ErrorKind};
use fugue_client::CallError;
use fugue_protocol::PaneId;
use fugue_protocol::verbs::{VERBS, VerbInfo};
use fugue_tmux::command_table::{self, full_name};

use crate::context::{self, CommandFailure, names_host};
use crate::{own_commands, tmux_shim};

/// Names that mean something else in tmux: a mistake in such a line must not run anything. tmux's full name follows, and
/// the flags that only tmux's command has.
const OURS: [(&str, &str, &[&str]); 2] =
    [("run", "run-shell", &["-b", "-C", "-d", "-E"]), ("wait", "wait-for", &["-L", "-S", "-U"])];

fn is_ours_alone(name: &str) -> bool {
    OURS.iter().any(|(ours, ..)| *ours == name)
}

/// tmux's full name of a command that means something else in fugue, if the line begins with a flag of tmux's.
fn tmux_only(line: &[String]) -> Option<&'static str> {
    let [name, flag, ..] = line else { return None };
    let (.., full, flags) = OURS.iter().find(|(ours, ..)| ours == name)?;
    flags.contains(&flag.as_str()).then_some(*full)
}

/// Names that fugue and tmux share, but whose words mean something else: keys or text, `-s` as the source or the session;
/// and what their help says about that.
const TMUX_FIRST: [(&str, &str); 9] = [
    ("send-keys", KEYS),
    ("send", KEYS),
    ("break-pane", MOVES),
    ("move-window", MOVES),
    ("join-pane", MOVES),
    ("move-pane", MOVES),
    ("swap-window", MOVES),
    ("capture-pane", BUFFER),
    ("capturep", BUFFER),
];

const BUFFER: &str =
    "As `capture-pane`, without `-p` or long flags, it copies the text to a paste buffer, as in tmux.";

const KEYS: &str = "Without long flags, `send` and `send-keys` take keys and text, as in tmux.";

const MOVES: &str =
    "If no long flags or UUIDs are given, `-s` is the source and `-t` the destination, as in tmux.";

/// What the help of a command says about flags that mean something else in tmux.
pub(crate) fn help_note(names: &[&str]) -> Option<&'static str> {
    TMUX_FIRST.iter().find(|(name, _)| names.contains(name)).map(|(_, note)| *note)
}

/// tmux's flags before a command that fugue does not have.
const TMUX_GLOBAL: &str = "2CcDfLlNSTuv";

/// Names whose `-t` is a session to fugue, and a window or pane to tmux.
const CREATING: [&str; 2] = ["split-window", "new-window"];

/// The flags of `select-pane` that mean a side.
const SIDES: [char; 4] = ['L', 'R', 'U', 'D'];

/// Whether only tmux understands a line as it is meant: it has the format of a directory, a layout as `#{window_layout}`
/// has it, a window or pane where fugue expects a session, or a side beyond which `select-pane` wraps around.
fn has_tmux_value(line: &[String]) -> bool {
    let name = line[0].as_str();
    let value_of = |flag: &str| line.iter().skip_while(move |word| *word != flag).nth(1);
    let is_format = value_of("-c").is_some_and(|directory| directory.contains("#{"));
    let is_target = value_of("-t").is_some_and(|target| !target.chars().all(char::is_alphanumeric));
    let is_layout = name == "select-layout" && line.last().is_some_and(|layout| layout.contains(','));
    let is_side = |word: &String| word.strip_prefix('-').is_some_and(|flags| flags.starts_with(SIDES));
    let has_side = name == "select-pane" && line.iter().any(is_side);
    CREATING.contains(&name) && (is_format || is_target) || is_layout || has_side
}

/// Runs a line as tmux's if its words mean something else to fugue. Returns `None` if it is not such a line.
pub(crate) fn run_first(words: &[OsString]) -> Option<Result<(), CommandFailure>> {
    let (global, line) = split_global_flags(words);
    let name = line.first()?;
    if name.strip_prefix('-').is_some_and(|flags| flags.starts_with(|flag| TMUX_GLOBAL.contains(flag))) {
        return Some(run(&global, line));
    }
    let is_so = TMUX_FIRST.iter().any(|(first, _)| first == name) || has_tmux_value(&line);
    let is_json = global.iter().any(|flag| flag == "--json");
    let is_ours = is_json || names_host(words) || has_long_flags(&line) || moves_by_uuid(&line);
    let is_so = is_so && VerbInfo::by_name_or_alias(name).is_some() && !is_ours;
    (is_so && fugue_tmux::commands::understands(&line)).then(|| run(&global, line))
}

/// Runs a command line that failed as wrong usage, if it is one of tmux's; otherwise the failure stands.
pub(crate) fn run_failed(words: &[OsString], failure: CommandFailure) -> Result<(), CommandFailure> {
    let (global, line) = split_global_flags(words);
    let Some(name) = line.first() else { return Err(failure) };
    if let CommandFailure::Usage(_) = &failure
        && let Some(instead) = tmux_only(&line)
    {
        let why = format!("`fugue {name}` is not tmux's `{name}`\nhint: use `fugue {instead}`");
        return Err(CallError::Local(why).into());
    }
    let is_name = command_table::named(name).is_some() || is_short_name(name);
    let is_tmux = is_name && !is_ours_alone(name) && !has_long_flags(&line);
    let is_ours = VerbInfo::by_name_or_alias(name).is_some() || own_commands::find(name).is_some();
    match failure {
        CommandFailure::Usage(error)
            if is_tmux
                && !is_bad_value(&error)
                && !lacks_target(&line)
                && (!is_ours || fugue_tmux::commands::understands(&line)) =>
        {
            run(&global, line)
        }
        failure => Err(failure),
    }
}

/// Whether fugue understands a line, but not a value in it. Only sizes in percent are tmux's.
fn is_bad_value(error: &clap::Error) -> bool {
    let value = error.get(ContextKind::InvalidValue).map(ToString::to_string).unwrap_or_default();
    error.kind() == ErrorKind::ValueValidation && !value.ends_with('%')
}

/// Whether a line would kill sessions without naming one, from outside fugue. In tmux, that kills the session used last.
fn lacks_target(line: &[String]) -> bool {
    let kills = full_name(&line[0]) == Some("kill-session");
    let is_named = line.iter().any(|word| word.starts_with("-t"));
    kills && !is_named && std::env::var_os("FUGUE_PANE_ID").is_none()
}

/// Whether a name is the beginning of a tmux command that may be run for it at a shell. One that also begins a command of
/// fugue's may be a mistake, and whoever wants to kill or delete something says more than the first word.
fn is_short_name(name: &str) -> bool {
    let Some(full) = full_name(name) else { return false };
    let verbs = VERBS.iter().map(|verb| [&[verb.name], verb.properties.aliases].concat());
    let commands = verbs.chain(own_commands::OWN_COMMANDS.iter().map(|own| vec![own.name]));
    let means_same = |ours: &&str| !is_ours_alone(ours) && full_name(ours) == Some(full);
    let mut others = commands.filter(|names| !names.iter().any(means_same)).flatten();
    let is_ours = others.any(|ours| ours.starts_with(name));
    let is_removal =
        ["kill", "delete", "clear", "unbind", "unlink"].iter().any(|verb| full.starts_with(verb));
    let has_counterpart = fugue_tui::tmux_refusal(&[full.to_owned()]).is_none();
    name.len() > 1 && !is_ours && has_counterpart && (!is_removal || name.contains('-'))
}

/// Whether a line moves something that it names by its UUID: tmux has none.
fn moves_by_uuid(line: &[String]) -> bool {
    !line[0].starts_with("send") && line.iter().any(|word| word.parse::<PaneId>().is_ok())
}

/// Long flags are fugue's: tmux has none.
fn has_long_flags(line: &[String]) -> bool {
    line.iter().take_while(|word| *word != "--").any(|word| word.len() > 2 && word.starts_with("--"))
}

fn run(global: &[OsString], line: Vec<String>) -> Result<(), CommandFailure> {
    let args = context::with_global_flags(Command::new("fugue")).try_get_matches_from(global)?;
    if let Some(host) = args.get_one::<String>("host") {
        let name = &line[0];
        let hint = format!("hint: use `fugue --host {host} tmux {name} …`");
        return Err(CallError::Local(format!("tmux's `{name}` does not support --host\n{hint}")).into());
    }
    match tmux_shim::run_for_person(line, args.get_one::<String>("server").map(String::as_str)) {
        0 => Ok(()),
        code => Err(CommandFailure::ExitCode(code)),
    }
}

/// The program's name with its global flags, and the command line after them.
pub(crate) fn split_global_flags(words: &[OsString]) -> (Vec<OsString>, Vec<String>) {
    let mut count = 1;
    while let Some(word) =
        words.get(count).and_then(|word| word.to_str()).filter(|word| word.starts_with("--"))
    {
        count += if ["--server", "--host"].contains(&word) { 2 } else { 1 };
    }
    let (global, line) = words.split_at(count.min(words.len()));
    (global.to_vec(), line.iter().map(|word| word.to_string_lossy().into_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn global_flags_precede_the_line() {
        let split = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            let (global, line) = split_global_flags(&words);
            (global.len(), line.join(" "))
        };
        assert_eq!(split("fugue --server last neww -n x"), (3, "neww -n x".into()));
        assert_eq!(split("fugue --json splitw -h"), (2, "splitw -h".into()));
        assert_eq!(split("fugue --host box --json splitw -h"), (4, "splitw -h".into()));
        assert_eq!(split("fugue --server"), (2, String::new()));
    }
}
