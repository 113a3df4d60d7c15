//! `fugue import-tmux`: imports the settings and keys of a tmux.conf. It shows what it would write and what it cannot
//! import, with the reason; `--write` writes it.

mod options;
mod report;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use fugue_client::CallError;
use fugue_protocol::escape::escape_lines;

use super::bindings::{COPY_COMMAND, check, place};
use super::{bind, parse, read_file, unbind};
use crate::config_edit::{self, ConfigEdit};
use crate::context::{self, CommandFailure};
use crate::project;
use fugue_tmux::reader::ScriptCommand;
use options::{FileOptions, OptionChange};

/// How deeply files may source other files.
const DEPTH: usize = 5;

/// The command line.
pub(crate) fn command() -> Command {
    Command::new("import-tmux")
        .about("Import a tmux.conf into config.toml")
        .after_help(
            "Shows the entries to be written, and what cannot be imported. In a terminal, the command asks before \
             writing; --write writes without asking. Entries that config.toml already has are replaced.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .help("The tmux.conf to import [default: ~/.tmux.conf or $XDG_CONFIG_HOME/tmux/tmux.conf]"),
        )
        .arg(Arg::new("write").long("write").action(ArgAction::SetTrue).help("Write without asking"))
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let config = context::paths(&args)?.config;
    let file = args.get_one::<String>("file").map(PathBuf::from).or_else(usual_file);
    let file = file.ok_or_else(|| {
        CallError::Local("No tmux.conf found\nhint: give its path: `fugue import-tmux FILE`".into())
    })?;
    let mut import = Import::default();
    import.read(&file, DEPTH).map_err(CallError::Local)?;
    let before = config_edit::read(&config).map_err(CallError::Local)?;
    let after = import.applied(&before);
    let after = after.map_err(|why| CallError::Local(format!("{}: {why}", config.display())))?;
    let print = |text: &str| drop(writeln!(std::io::stdout(), "{}", escape_lines(text)));
    print(&import.report(&file, &before, &config));
    if after == before {
        print("Nothing to write");
        return Ok(());
    }
    if !args.get_flag("write") && !confirmed(&config) {
        print(&format!("Nothing written; use `--write` to write {}", config.display()));
        return Ok(());
    }
    project::authorize(&args)?;
    let write = |now: &str| match now == before {
        true => Ok(Some(after.clone())),
        false => Err(format!("{} has changed in the meantime; run the command again", config.display())),
    };
    config_edit::change(&config, write).map_err(CallError::Local)?;
    print(&format!("Wrote {}", config.display()));
    Ok(())
}

/// The first of tmux's own files that exists.
fn usual_file() -> Option<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let config =
        std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).unwrap_or_else(|| home.join(".config"));
    let files = [home.join(".tmux.conf"), config.join("tmux/tmux.conf"), home.join(".config/tmux/tmux.conf")];
    files.into_iter().find(|file| file.exists())
}

/// Asks on a terminal.
fn confirmed(config: &Path) -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return false;
    }
    let _ = write!(std::io::stdout(), "Write this to {}? (y/N) ", config.display());
    let _ = std::io::stdout().flush();
    let mut answer = String::new();
    let _ = std::io::stdin().read_line(&mut answer);
    matches!(answer.trim(), "y" | "Y" | "yes")
}

/// A command of a file: its place, and its words.
#[derive(Debug, Clone)]
struct SourceLine {
    place: String,
    line: String,
}

/// What was found in a file.
#[derive(Default)]
struct Import {
    entries: Vec<(ConfigEdit, SourceLine)>,
    /// What could not be taken, and the reason.
    left_out: Vec<(SourceLine, String)>,
    /// What need not be taken.
    not_needed: Vec<(String, &'static str)>,
    options: FileOptions,
}

impl Import {
    fn read(&mut self, file: &Path, depth: usize) -> Result<(), String> {
        let unreadable = |why| format!("Cannot read {}: {why}", file.display());
        let text = read_file(file).map_err(unreadable)?;
        let commands = parse(&text);
        for command in commands.map_err(|why| format!("{}: {why}", file.display()))? {
            self.take(file, &command, depth);
        }
        Ok(())
    }

    fn take(&mut self, file: &Path, command: &ScriptCommand, depth: usize) {
        let origin = SourceLine {
            place: format!("{}:{}", file.display(), command.line),
            line: command.words.join(" "),
        };
        let taken = match &command.undecided {
            Some(why) => Err(why.clone()),
            None => self.entries_of(file, command, &origin, depth),
        };
        let taken = taken.and_then(|entries| check(&entries).map(|()| entries));
        match taken {
            Ok(entries) => entries.into_iter().for_each(|entry| self.add(entry, &origin)),
            Err(why) => {
                self.bind_again(&command.words);
                self.left_out.push((origin, why));
            }
        }
    }

    /// If a key was unbound and its new binding cannot be imported, keeps the key as it was: it would do nothing.
    fn bind_again(&mut self, words: &[String]) {
        let [name, words @ ..] = words else { return };
        if let Some((section, key)) = place(words).filter(|_| matches!(name.as_str(), "bind" | "bind-key")) {
            let is_unbinding = |entry: &ConfigEdit| {
                entry.section == Some(section) && entry.key == key && entry.value.as_str() == Some("")
            };
            self.entries.retain(|(entry, _)| !is_unbinding(entry));
        }
    }

    /// The entries that a command becomes.
    fn entries_of(
        &mut self,
        file: &Path,
        command: &ScriptCommand,
        origin: &SourceLine,
        depth: usize,
    ) -> Result<Vec<ConfigEdit>, String> {
        match command.words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["set" | "set-option" | "setw" | "set-window-option", ..] => self.option(&command.words[1..]),
            ["bind" | "bind-key", ..] => bind(&reloading(&command.words[1..], file)),
            ["unbind" | "unbind-key", ..] => unbind(&command.words[1..]),
            ["source" | "source-file", paths @ ..] => {
                self.files(paths, origin, depth);
                Ok(Vec::new())
            }
            ["run" | "run-shell", ..] => Err("plugins and scripts are not run".into()),
            ["set-hook", ..] => Err("hooks are entries of [hooks]: add `EVENT = { tmux = \"LINE\" }`".into()),
            ["setenv" | "set-environment", rest @ ..] => Err(environment_hint(rest)),
            ["if" | "if-shell", ..] => Err("conditions are not evaluated".into()),
            [name, ..] => Err(fugue_tui::tmux_refusal(&command.words)
                .unwrap_or_else(|| format!("`{name}` is a command, not a setting"))),
            [] => Ok(Vec::new()),
        }
    }

    /// Adds an entry; a later one for the same key takes its place.
    fn add(&mut self, entry: ConfigEdit, origin: &SourceLine) {
        let is_same = |(other, _): &mut (ConfigEdit, SourceLine)| {
            (other.section, &other.key) == (entry.section, &entry.key)
        };
        for (other, origin) in self.entries.extract_if(.., is_same) {
            // tmux has a command for each key.
            if (other.section, other.key.as_str()) == (Some(COPY_COMMAND.0), COPY_COMMAND.1)
                && other.value != entry.value
            {
                let why =
                    format!("fugue has one command for everything that is copied: {} is used", entry.value);
                self.left_out.push((origin, why));
            }
        }
        self.entries.push((entry, origin.clone()));
    }

    /// A text with the entries in it.
    fn applied(&self, text: &str) -> Result<String, String> {
        self.entries.iter().try_fold(text.to_owned(), |text, (entry, _)| entry.apply(&text))
    }

    /// Reads the files of `source-file`. With `-q`, a file may be missing.
    fn files(&mut self, words: &[&str], origin: &SourceLine, depth: usize) {
        let (flags, paths): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with('-'));
        let may_be_missing = flags.iter().any(|flag| flag.contains('q'));
        for path in paths.into_iter().map(Path::new) {
            let outcome = match depth {
                _ if may_be_missing && !path.exists() => Ok(()),
                0 => Err("sourced files are nested too deeply".into()),
                depth => self.read(path, depth - 1),
            };
            if let Err(why) = outcome {
                self.left_out.push((origin.clone(), why));
            }
        }
    }

    fn option(&mut self, words: &[String]) -> Result<Vec<ConfigEdit>, String> {
        match self.options.take(words)? {
            OptionChange::Set(entry) => return Ok(vec![entry]),
            OptionChange::Unset(section, key) => {
                self.entries.retain(|(entry, _)| (entry.section, entry.key.as_str()) != (section, key));
            }
            OptionChange::NotNeeded(name, why) => self.not_needed.push((name, why)),
            OptionChange::Nothing => {}
        }
        Ok(Vec::new())
    }
}

/// The command that sets a variable: variables are part of the daemon's state, not of its settings.
fn environment_hint(words: &[&str]) -> String {
    let is_flag = |word: &&&str| word.starts_with('-');
    let removes = words.iter().take_while(is_flag).any(|flag| flag.contains(['u', 'r']));
    let mut rest = words.iter().skip_while(is_flag);
    let name = rest.next().unwrap_or(&"NAME");
    let value = rest.next().filter(|_| !removes).map(|value| format!(" '{}'", value.replace('\'', "'\\''")));
    let value = value.unwrap_or_default();
    format!(
        "config.toml does not set environment variables: run `fugue set-global-environment {name}{value}`"
    )
}

/// The words of a binding; where it reads the file again in which it is, that file is imported again.
fn reloading(words: &[String], file: &Path) -> Vec<String> {
    let mut words = words.to_vec();
    let is_file = |word: &str| Path::new(word).canonicalize().ok() == file.canonicalize().ok();
    let is_reload =
        |pair: &[String]| matches!(pair[0].as_str(), "source" | "source-file") && is_file(&pair[1]);
    if let Some(at) = words.windows(2).position(is_reload) {
        let path = words[at + 1].replace(' ', "\\ ");
        let import = format!("fugue import-tmux --write {path} > /dev/null");
        words.splice(at..at + 2, ["run-shell".to_owned(), import]);
    }
    words
}

#[cfg(test)]
mod tests;
