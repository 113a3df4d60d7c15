//! Carries out the steps of a line, in this process.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use fugue_client::{BufferInfo, BufferStore, Connection, Paths};
use fugue_protocol::paths::tmux_state;
use fugue_protocol::{PaneId, SessionId};
use fugue_tmux::steps::{
    BufferRow, BufferStep, KeyRow, LeftBehind, SettingChange, ShellStep, Step, StepReply,
};
use fugue_tmux::{Line, Progress};
use fugue_tui::ListedKey;

use super::option_store::Options;
use super::{channels, pipes, shell_environment};
use crate::attach::ALIASES;
use crate::config_edit;
use crate::tmux_settings::{self, Counterpart};

/// The largest file that is read: a file of settings is far smaller.
const LARGEST: u64 = 4 << 20;

/// The characters of a buffer that a list shows.
const SAMPLE: usize = 200;

/// What became of a step; the error is for the person.
type Answer = Result<StepReply, String>;

/// Carries out steps.
pub(super) struct StepRunner {
    pub(super) connection: Connection,
    pub(super) paths: Paths,
    /// The name of the daemon, if it is not the usual one.
    server: Option<String>,
}

impl StepRunner {
    pub(super) fn new(connection: Connection, paths: Paths, server: Option<String>) -> Self {
        Self { connection, paths, server }
    }

    /// Runs a line, and returns its exit code.
    pub(super) fn run(&mut self, mut line: Line) -> Result<u8, String> {
        let mut answer = None;
        loop {
            match line.next(answer) {
                Progress::Ended(code) => return code,
                Progress::Needs(step) => answer = Some(self.carry_out(step)),
            }
        }
    }

    fn carry_out(&mut self, step: Step) -> Answer {
        match step {
            Step::Call { verb, args } => {
                let reply = self.connection.call_named(verb, &args).map_err(|why| why.message())?;
                return Ok(StepReply::Json(reply));
            }
            Step::Client(line) => return Err(format!("`{line}` works only in an attached client")),
            Step::Print(bytes) => drop(io::stdout().write_all(&bytes)),
            Step::Shell(shell) => return self.shell(&shell),
            Step::Read(path) => return read(&path).map(StepReply::Bytes),
            Step::ReadCommands(path) => return read_commands(&path).map(|text| StepReply::Text(Some(text))),
            Step::Write { path, content, append } => write(&path, &content, append)?,
            Step::Pause(time) => std::thread::sleep(time),
            Step::Attach { session, flags } => return Err(self.attach(session, &flags)),
            Step::Configure(change) => return self.configure(change).map(|said| StepReply::Text(Some(said))),
            Step::Keys => return Ok(StepReply::Keys(self.keys())),
            Step::Left => return Ok(StepReply::Left(self.left_behind())),
            Step::ChangeOption(change) => Options::change(&self.state_path("options"), &change)?,
            Step::Setting(name) => {
                return Ok(StepReply::Text(tmux_settings::configured(&name, &self.paths.config)));
            }
            Step::Mark(pane) => self.mark(pane)?,
            Step::Buffer(buffer) => return self.buffer(buffer),
            Step::Channel { name, act } => channels::act(&self.state_path("channels"), &name, act)?,
            Step::Pipe { pane, command, only_ends } => self.pipe(pane, command.as_deref(), only_ends)?,
        }
        Ok(StepReply::Done)
    }

    /// A file or directory of tmux's state, beside the daemon's socket.
    fn state_path(&self, name: &str) -> std::path::PathBuf {
        tmux_state(&self.paths.socket, name)
    }

    fn shell(&mut self, step: &ShellStep) -> Answer {
        let mut shell = shell_environment::shell(self, &step.command, step.about);
        shell.stdin(Stdio::null());
        if let Some(directory) = &step.directory {
            shell.env("PWD", directory).current_dir(directory);
        }
        if step.background {
            shell.stdout(Stdio::null()).stderr(Stdio::null());
            return shell.spawn().map(|_| StepReply::Done).map_err(|why| why.to_string());
        }
        let ended = shell.output().map_err(|why| why.to_string())?;
        Ok(StepReply::Ended { code: ended.status.code(), output: ended.stdout, errors: ended.stderr })
    }

    /// Attaches this terminal, in this process.
    fn attach(&self, session: SessionId, flags: &[&str]) -> String {
        let this = match std::env::current_exe() {
            Ok(this) => this,
            Err(why) => return why.to_string(),
        };
        let server = self.server.as_deref().map(|server| format!("--server={server}"));
        let mut fugue = Command::new(this);
        fugue.arg0("fugue").args(server).arg("attach").arg(session.to_string()).args(flags);
        format!("cannot attach: {}", fugue.exec())
    }

    /// Changes a person's settings, and returns what was changed.
    fn configure(&self, change: SettingChange) -> Result<String, String> {
        let edits = match change {
            SettingChange::Bind(words) => tmux_settings::bind(&words)?,
            SettingChange::Unbind(words) => tmux_settings::unbind(&words)?,
            SettingChange::Set { name, value, append, quiet } => {
                return self.set_setting(&name, &value, append, quiet);
            }
            SettingChange::Unset(name) => {
                if let Some((section, key)) = tmux_settings::setting_of(&name) {
                    config_edit::remove(&self.paths.config, section.unwrap_or_default(), key)?;
                }
                return Ok(String::new());
            }
        };
        config_edit::set(&self.paths.config, &edits)?;
        let lines = edits.iter().map(|edit| format!("{} in {}", edit.line(), self.paths.config.display()));
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    /// Sets an option of a person, if fugue has it.
    fn set_setting(&self, name: &str, value: &str, append: bool, quiet: bool) -> Result<String, String> {
        match tmux_settings::counterpart(name, value) {
            Counterpart::Entry(_) if append => Err(format!(
                "fugue cannot append to {name}\nhint: `set-option -g {name} …` replaces the whole value"
            )),
            Counterpart::Entry(entry) => {
                config_edit::set(&self.paths.config, std::slice::from_ref(&entry))?;
                Ok(format!("{} in {}", entry.line(), self.paths.config.display()))
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

    fn keys(&self) -> Vec<KeyRow> {
        let row = |ListedKey { table, key, command, about, repeats }: ListedKey| KeyRow {
            table: table.to_string(),
            key,
            command,
            about,
            repeats,
        };
        fugue_tui::key_list(&self.paths.config, &ALIASES).into_iter().map(row).collect()
    }

    fn left_behind(&self) -> LeftBehind {
        let marked = std::fs::read_to_string(self.state_path("mark")).ok();
        LeftBehind {
            options: Options::load(&self.state_path("options")),
            marked: marked.and_then(|marked| marked.trim().parse().ok()),
            piped: pipes::of(&self.state_path("pipes")),
        }
    }

    fn mark(&self, pane: Option<PaneId>) -> Result<(), String> {
        let file = self.state_path("mark");
        let Some(pane) = pane else {
            let _ = std::fs::remove_file(file);
            return Ok(());
        };
        let written = std::fs::write(&file, pane.to_string());
        written.map_err(|why| format!("cannot write {}: {why}", file.display()))
    }

    fn pipe(&self, pane: PaneId, command: Option<&str>, only_ends: bool) -> Result<(), String> {
        let file = self.state_path("pipes").join(pane.to_string());
        let cannot = |why: io::Error| format!("cannot start the pipe: {why}");
        let _turn = pipes::turn(&file).map_err(cannot)?;
        let ended = pipes::stop(&file);
        let Some(command) = command.filter(|_| !(only_ends && ended)) else { return Ok(()) };
        pipes::start(self.server.as_deref(), pane, &file, command).map_err(cannot)
    }

    fn buffer(&self, step: BufferStep) -> Answer {
        let store = BufferStore::of(&self.paths.socket);
        let missing = |name: Option<&str>| {
            name.map_or_else(|| "no buffers".to_owned(), |name| format!("no buffer {name}"))
        };
        match step {
            BufferStep::List => {
                return Ok(StepReply::Buffers(store.list().iter().map(|info| row(&store, info)).collect()));
            }
            BufferStep::Get(name) => {
                let content = store.get(name.as_deref()).ok_or_else(|| missing(name.as_deref()))?;
                return Ok(StepReply::Bytes(content));
            }
            BufferStep::Set(name, content) => {
                let set = store.set(name.as_deref(), &content);
                set.map_err(|why| format!("cannot set the buffer: {why}"))?;
            }
            BufferStep::Rename(name, new) => {
                let content = store.get(name.as_deref()).ok_or_else(|| missing(name.as_deref()))?;
                let old = store.find(name.as_deref()).map(|buffer| buffer.name);
                store.set(Some(&new), &content).map_err(|why| why.to_string())?;
                store.delete(old.as_deref());
            }
            BufferStep::Delete(name) if !store.delete(name.as_deref()) => {
                return Err(missing(name.as_deref()));
            }
            BufferStep::Delete(_) => {}
        }
        Ok(StepReply::Done)
    }
}

fn row(store: &BufferStore, info: &BufferInfo) -> BufferRow {
    let text = store.get(Some(&info.name)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).replace('\n', "\\n");
    let created = info.created.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs();
    BufferRow {
        name: info.name.clone(),
        size: info.size,
        created: i64::try_from(created).unwrap_or_default(),
        sample: text.chars().take(SAMPLE).collect(),
    }
}

/// The content of a file of any kind; `-` is standard input.
fn read(path: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = match path {
        "-" => io::stdin().read_to_end(&mut bytes).map(drop),
        path => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map(drop),
    };
    read.map(|()| bytes).map_err(|why| format!("{path}: {why}"))
}

fn read_commands(path: &str) -> Result<String, String> {
    match path {
        "-" => io::read_to_string(io::stdin()).map_err(|why| why.to_string()),
        path => read_file(Path::new(path)).map_err(|why| format!("{path}: {why}")),
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

/// Reads a file of commands. What the caller's shell passes (`<(…)`) is a pipe with a writer; any other pipe is refused,
/// because it may have none.
pub(crate) fn read_file(path: &Path) -> io::Result<String> {
    if path.starts_with("/dev/fd") || path == Path::new("/dev/stdin") {
        let mut text = String::new();
        return File::open(path)?.take(LARGEST).read_to_string(&mut text).map(|_| text);
    }
    fugue_config::read_regular_text(path, LARGEST)
}
