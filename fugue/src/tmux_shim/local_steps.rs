//! Steps of a line that are about files, settings and processes of this host. At a shell they are carried out in the
//! process of the line, and in an attached client on a thread of its own.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use fugue_client::Paths;
use fugue_protocol::limits;
use fugue_tmux::steps::{KeyRow, SettingChange, ShellStep, Step, StepReply};
use fugue_tui::ListedKey;

use super::{pipes, shell_environment};
use crate::config_edit;
use crate::context::ALIASES;
use crate::tmux_settings::{self, Counterpart};

/// The most of a file that becomes the content of a buffer.
const LARGEST_BUFFER: u64 = limits::BUFFER_BYTES as u64;

/// What became of a step; the error is for the person.
type Answer = Result<StepReply, String>;

/// Carries out steps.
#[derive(Debug)]
pub(crate) struct LocalSteps {
    /// The name of the daemon, if it is not the usual one.
    pub(crate) server: Option<String>,
    /// The most bytes of a shell command's output that are kept.
    pub(crate) most_output: u64,
}

impl LocalSteps {
    pub(crate) fn carry_out(&self, paths: &Paths, step: Step) -> Answer {
        match step {
            Step::Shell(step) => return self.shell(paths, &step),
            Step::Read(path) => return read(&path).map(StepReply::Bytes),
            Step::ReadCommands(path) => return read_commands(&path).map(|text| StepReply::Text(Some(text))),
            Step::Write { path, content, append } => write(&path, &content, append)?,
            Step::Pause(time) => std::thread::sleep(time),
            Step::Configure(change) => {
                return configure(paths, change).map(|said| StepReply::Text(Some(said)));
            }
            Step::Keys => return Ok(StepReply::Keys(keys(paths))),
            Step::Setting(name) => {
                return Ok(StepReply::Text(tmux_settings::configured(&name, &paths.config)));
            }
            Step::Pipe { pane, command } => {
                pipes::start(self.server.as_deref(), pane, &command)
                    .map_err(|why| format!("cannot start the pipe: {why}"))?;
            }
            Step::Call { .. } | Step::Client(_) | Step::Print(_) | Step::Attach { .. } => {
                return Err("this is not a step of this host".to_owned());
            }
        }
        Ok(StepReply::Done)
    }

    fn shell(&self, paths: &Paths, step: &ShellStep) -> Answer {
        let mut shell = shell_environment::shell(paths, step);
        shell.stdin(Stdio::null());
        if let Some(directory) = &step.directory {
            shell.env("PWD", directory).current_dir(directory);
        }
        let (status, output, errors) = output_of(shell, self.most_output).map_err(|why| why.to_string())?;
        if step.background {
            return Ok(StepReply::Done);
        }
        Ok(StepReply::Ended { code: status.code(), output, errors })
    }
}

/// Runs a command to its end. Returns how it ended, and what it printed, of which so much is kept.
fn output_of(mut command: Command, most: u64) -> io::Result<(ExitStatus, Vec<u8>, Vec<u8>)> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (output, errors) = std::thread::scope(|scope| {
        let errors = scope.spawn(move || err.map(|err| kept(err, most)).unwrap_or_default());
        (out.map(|out| kept(out, most)).unwrap_or_default(), errors.join().unwrap_or_default())
    });
    Ok((child.wait()?, output, errors))
}

/// What a program printed, as far as it is kept. The rest is read all the same: the program must not wait for a reader.
fn kept(mut from: impl Read, most: u64) -> Vec<u8> {
    let mut kept = Vec::new();
    let _ = from.by_ref().take(most).read_to_end(&mut kept);
    let dropped = io::copy(&mut from, &mut io::sink()).unwrap_or_default();
    if dropped > 0 {
        kept.extend_from_slice(format!("\n[{dropped} more bytes of output were dropped]").as_bytes());
    }
    kept
}

/// Changes a person's settings, and returns what was changed.
fn configure(paths: &Paths, change: SettingChange) -> Result<String, String> {
    let edits = match change {
        SettingChange::Bind(words) => tmux_settings::bind(&words)?,
        SettingChange::Unbind(words) => {
            let text = config_edit::read(&paths.config)?;
            if let Some(names) = tmux_settings::unbound_table(&words, &text)? {
                names
                    .iter()
                    .try_for_each(|name| config_edit::remove(&paths.config, "keys", name).map(drop))?;
                return Ok(String::new());
            }
            tmux_settings::unbind(&words)?
        }
        SettingChange::Set { name, value, append, quiet } => {
            return set_setting(paths, &name, &value, append, quiet);
        }
        SettingChange::Unset(name) => {
            if let Some((section, key)) = tmux_settings::setting_of(&name) {
                config_edit::remove(&paths.config, section.unwrap_or_default(), key)?;
            }
            return Ok(String::new());
        }
    };
    config_edit::set(&paths.config, &edits)?;
    let lines = edits.iter().map(|edit| format!("{} in {}", edit.line(), paths.config.display()));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Sets an option of a person, if fugue has it.
fn set_setting(paths: &Paths, name: &str, value: &str, append: bool, quiet: bool) -> Result<String, String> {
    match tmux_settings::counterpart(name, value) {
        Counterpart::Entry(_) if append => Err(format!(
            "fugue cannot append to {name}\nhint: `set-option -g {name} …` replaces the whole value"
        )),
        Counterpart::Entry(entry) => {
            config_edit::set(&paths.config, std::slice::from_ref(&entry))?;
            Ok(format!("{} in {}", entry.line(), paths.config.display()))
        }
        Counterpart::NotNeeded(why) => Ok(format!("{name} is not needed: {why}")),
        Counterpart::Missing(_) if quiet => Ok(String::new()),
        Counterpart::Missing("") => Err(format!("fugue has no {name}")),
        Counterpart::Missing(instead) => Err(format!("fugue has no {name}: {instead}")),
        Counterpart::Invalid(expected) => {
            Err(format!("fugue cannot set {name} to `{value}`: it must be {expected}"))
        }
    }
}

fn keys(paths: &Paths) -> Vec<KeyRow> {
    let row = |ListedKey { table, key, command, about, repeats }: ListedKey| KeyRow {
        table,
        key,
        command,
        about,
        repeats,
    };
    fugue_tui::key_list(&paths.config, &ALIASES).into_iter().map(row).collect()
}

/// The content of a file of any kind; `-` is standard input.
fn read(path: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = match path {
        "-" => io::stdin().read_to_end(&mut bytes).map(drop),
        path => {
            File::open(path).and_then(|file| file.take(LARGEST_BUFFER + 1).read_to_end(&mut bytes)).map(drop)
        }
    };
    read.map_err(|why| format!("{path}: {why}"))?;
    match bytes.len() as u64 > LARGEST_BUFFER {
        true => Err(format!("{path}: larger than {} MiB", LARGEST_BUFFER >> 20)),
        false => Ok(bytes),
    }
}

fn read_commands(path: &str) -> Result<String, String> {
    match path {
        "-" => io::read_to_string(io::stdin()).map_err(|why| why.to_string()),
        // As after `tmux -f`: a file without commands.
        "/dev/null" => Ok(String::new()),
        path => tmux_settings::read_file(Path::new(path)).map_err(|why| format!("{path}: {why}")),
    }
}

fn write(path: &str, content: &[u8], append: bool) -> Result<(), String> {
    if path == "-" {
        let _ = io::stdout().write_all(content);
        return Ok(());
    }
    let file = OpenOptions::new().write(true).create(true).append(append).truncate(!append).open(path);
    file.and_then(|mut file| file.write_all(content)).map_err(|why| format!("{path}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_commands_are_read_from_dev_null_and_none_from_other_devices() {
        assert_eq!(read_commands("/dev/null"), Ok(String::new()));
        assert_eq!(read_commands("/dev/zero"), Err("/dev/zero: it is not a regular file".into()));
    }
}
