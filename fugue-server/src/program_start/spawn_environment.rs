//! The command line, environment and directory of a pane's program. They are built here and nowhere else, so every pane
//! has the same, however it was created.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fugue_config::DaemonSettings;
use fugue_core::ChildSpec;
use fugue_keeper::SpawnRequest;
use fugue_protocol::RunId;

use super::setup_script;
use super::shell_integration::{self, ShellIntegration, short_name};
use super::{ssh_agent, tmux_link};
use crate::processes::pane_keys::PaneKeys;

/// What the daemon adds to every program it starts, besides the ids of its pane.
#[derive(Debug, Clone)]
pub(crate) struct SpawnEnvironment {
    /// The environment that the daemon was started with.
    pub(crate) inherited: Vec<(OsString, OsString)>,
    /// The daemon's socket.
    pub(crate) socket: PathBuf,
    /// The shell that runs when no command is given.
    pub(crate) shell: String,
    /// Whether new shells get prompt marks.
    prompt_marks: bool,
    /// The startup files for prompt marks, once they are installed. They stay when the setting is turned off: running shells
    /// may still need them.
    pub(crate) shell_integration: Option<ShellIntegration>,
    /// The keys of panes.
    pub(crate) pane_keys: PaneKeys,
    /// The directory of the link named `tmux`, if it comes first in the `PATH` of programs.
    tmux_link: Option<PathBuf>,
}

/// The search path if the environment has no `PATH`, as in the keeper.
const DEFAULT_PATH: &str = "/usr/local/bin:/bin:/usr/bin";

/// Variables that a program must not see: they belong to the daemon's own start, or to another terminal.
const REMOVED: [&str; 14] = [
    fugue_keeper::KEEPER_FD,
    fugue_keeper::LISTEN_FD,
    fugue_keeper::REAPER_PID,
    fugue_keeper::PROGRAM_SETTINGS,
    "OLDPWD",
    "SHLVL",
    "_",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "TERM_PROGRAM_VERSION",
    "WINDOWID",
    "COLUMNS",
    "LINES",
];

/// Whether a variable of the daemon's environment is passed on to what it starts.
pub(crate) fn is_passed_on(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !name.starts_with("FUGUE_") && !REMOVED.contains(&name.as_ref())
}

impl SpawnEnvironment {
    /// The environment of this process, before any setting is applied.
    pub(crate) fn of_this_process(socket: PathBuf, pane_keys: PaneKeys) -> Self {
        let inherited =
            std::env::vars_os().map(|(name, value)| ssh_agent::linked(name, value, &socket)).collect();
        let (shell, shell_integration) = (default_shell(), None);
        Self { inherited, socket, shell, prompt_marks: false, shell_integration, pane_keys, tmux_link: None }
    }

    /// Applies the settings for new panes. The error is a warning for the user: without the startup files, shells get no
    /// prompt marks, and without the link, `tmux` is another program.
    pub(crate) fn apply(&mut self, settings: &DaemonSettings) -> Result<(), String> {
        self.shell = configured_shell(settings);
        self.prompt_marks = settings.prompt_marks;
        let marks = self.install_marks();
        marks.and(self.install_tmux_link(settings.tmux_link))
    }

    fn install_marks(&mut self) -> Result<(), String> {
        if self.prompt_marks && self.shell_integration.is_none() {
            let installed = ShellIntegration::install(&self.socket);
            let installed =
                installed.map_err(|why| format!("Cannot set up prompt marks for shells: {why}"))?;
            self.shell_integration = Some(installed);
        }
        Ok(())
    }

    fn install_tmux_link(&mut self, wanted: bool) -> Result<(), String> {
        let installed = wanted.then(|| tmux_link::install(&self.socket)).transpose();
        self.tmux_link = installed.map_err(|why| format!("Cannot create the `tmux` symlink: {why}"))?;
        Ok(())
    }

    /// Returns the whole environment of a child.
    fn variables(&self, child: &ChildSpec) -> Vec<(OsString, OsString)> {
        let inherited = self.inherited.iter().filter(|(name, _)| is_passed_on(name)).cloned();
        let mut all: BTreeMap<OsString, OsString> = inherited.collect();
        let requested = child.environment.iter().chain(&child.launch.environment);
        all.extend(requested.map(|(name, value)| (name.into(), value.into())));
        if let Some(directory) = &self.tmux_link {
            let path = all.get(OsStr::new("PATH")).cloned().unwrap_or_else(|| DEFAULT_PATH.into());
            let variables = tmux_link::variables(directory, &self.socket, child.numbers, &path);
            all.extend(variables.into_iter().map(|(name, value)| (name.into(), value)));
        }
        all.extend(self.identity(child).map(|(name, value)| (name.into(), value)));
        all.into_iter().collect()
    }

    /// Whether a program can be found, with the `PATH` of a child in this directory.
    pub(crate) fn has_program(&self, child: &ChildSpec, program: &str, cwd: &Path) -> bool {
        let is_executable = |path: &Path| {
            path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
        };
        if program.contains('/') {
            return is_executable(&cwd.join(program));
        }
        let variables = self.variables(child);
        let path = variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        let path = path.unwrap_or_else(|| DEFAULT_PATH.into());
        std::env::split_paths(&path).any(|directory| is_executable(&cwd.join(directory).join(program)))
    }

    /// Returns the variables that identify the pane and its terminal.
    fn identity(&self, child: &ChildSpec) -> [(&'static str, OsString); 9] {
        [
            ("FUGUE_PANE_ID", child.pane.to_string().into()),
            ("FUGUE_PANE_KEY", self.pane_keys.of(child.pane).0.into()),
            ("FUGUE_WINDOW_ID", child.window.to_string().into()),
            ("FUGUE_SESSION_ID", child.session.to_string().into()),
            ("FUGUE_SESSION_NAME", child.session_name.as_str().into()),
            ("FUGUE_SOCKET", self.socket.clone().into()),
            ("TERM", "xterm-256color".into()),
            ("COLORTERM", "truecolor".into()),
            ("TERM_PROGRAM", "fugue".into()),
        ]
    }

    /// Returns the request that makes the keeper start a child in this directory.
    pub(crate) fn request(&self, child: &ChildSpec, cwd: PathBuf) -> SpawnRequest {
        let (program, mut argv) = self.command(child);
        let mut env = self.variables(child);
        env.retain(|(name, _)| name != "PWD");
        env.push(("PWD".into(), cwd.clone().into()));
        if let Some(shells) = self.shell_integration.as_ref().filter(|_| self.prompt_marks) {
            shells.apply(&program, &shell_integration::key(child.run), &mut argv, &mut env);
        }
        let (program, argv) = match &child.setup {
            Some(setup) => self.with_setup(setup, child, program, argv),
            None => (program, argv),
        };
        let (program, argv) = self.confined(child, program, argv);
        let (cols, rows) = (child.size.cols, child.size.rows);
        SpawnRequest {
            pane: *child.run.as_bytes(),
            program: program.into(),
            argv,
            env,
            cwd,
            cols,
            rows,
            placement: None,
        }
    }

    /// Returns the directory with a file for each program whose worktree is not set up yet.
    pub(crate) fn setup_marks(&self) -> PathBuf {
        self.socket.with_extension("setup")
    }

    /// Returns the file that exists until the worktree of a program is set up.
    pub(crate) fn setup_mark(&self, run: RunId) -> PathBuf {
        self.setup_marks().join(run.to_string())
    }

    /// Returns program and argv that set the worktree up first.
    fn with_setup(
        &self,
        setup: &str,
        child: &ChildSpec,
        program: String,
        argv: Vec<OsString>,
    ) -> (String, Vec<OsString>) {
        let mark = self.setup_mark(child.run);
        let created = std::fs::create_dir_all(self.setup_marks()).and_then(|()| std::fs::write(&mark, ""));
        if let Err(why) = created {
            tracing::warn!("Cannot create {}: {why}", mark.display());
        }
        (setup_script::SHELL.into(), setup_script::argv(&self.shell, setup, &mark, program, argv))
    }

    /// Returns program and argv that confine the program first, if it is to be confined. What sets its worktree up is confined
    /// with it.
    fn confined(&self, child: &ChildSpec, program: String, argv: Vec<OsString>) -> (String, Vec<OsString>) {
        if child.confined_by.is_empty() {
            return (program, argv);
        }
        let mut words: Vec<OsString> = ["fugue", "confine", "run"].map(OsString::from).into();
        let mut flag = |name: &str, value: OsString| words.extend([name.into(), value]);
        child.confined_by.iter().for_each(|profile| flag("--profile", profile.as_str().into()));
        child.agent.iter().for_each(|agent| flag("--agent", agent.into()));
        let read = self.shell_integration.as_ref().map(|shells| shells.directory().to_owned());
        read.into_iter().chain(self.tmux_link.clone()).for_each(|path| flag("--read", path.into()));
        if child.setup.is_some() {
            flag("--write", self.setup_marks().into());
        }
        // A login shell's begins with a dash.
        let mut named = OsString::from("--argv0=");
        named.push(argv.first().cloned().unwrap_or_default());
        words.push(named);
        words.extend(["--".into(), program.into()]);
        words.extend(argv.into_iter().skip(1));
        (own_program(), words)
    }

    /// Returns program and argv: an argv as it is, a command line run by the shell, or a login shell, as in tmux.
    fn command(&self, child: &ChildSpec) -> (String, Vec<OsString>) {
        let launch = &child.launch;
        let shell = || self.shell.clone();
        match (&launch.command, launch.argv.first()) {
            (Some(line), _) if shell_integration::is_bare_shell(child) => {
                (line.trim().into(), vec![line.trim().into()])
            }
            (Some(line), _) => (shell(), vec![shell().into(), "-c".into(), line.into()]),
            (None, Some(program)) => (program.clone(), launch.argv.iter().map(OsString::from).collect()),
            (None, None) => (shell(), vec![format!("-{}", short_name(&self.shell)).into()]),
        }
    }

    /// Returns the short name of a child's program, after which its window is named.
    pub(crate) fn program(&self, child: &ChildSpec) -> String {
        let first = child.launch.command.as_deref().and_then(|line| line.split_whitespace().next());
        let word = first.or_else(|| child.launch.argv.first().map(String::as_str)).unwrap_or(&self.shell);
        let clean: String = short_name(word).chars().filter(|c| !c.is_control()).take(40).collect();
        if clean.is_empty() { "shell".into() } else { clean }
    }
}

/// Returns the shell that runs when no command is given.
pub(crate) fn configured_shell(settings: &DaemonSettings) -> String {
    settings.shell.clone().unwrap_or_else(default_shell)
}

/// Returns the path of this program, which may have been replaced by an upgrade since it was started.
fn own_program() -> String {
    let path = std::env::current_exe().unwrap_or_else(|_| "/proc/self/exe".into());
    let path = text(&path);
    path.strip_suffix(" (deleted)").map(str::to_owned).unwrap_or(path)
}

/// Returns the shell of the person who started the daemon.
fn default_shell() -> String {
    std::env::var("SHELL").ok().filter(|shell| !shell.is_empty()).unwrap_or_else(|| "/bin/sh".into())
}

/// Returns the directory a child starts in: the requested one, relative to that of the pane it was opened from, or else
/// that pane's directory.
pub(crate) fn directory(requested: Option<&str>, opened_from: Option<PathBuf>) -> PathBuf {
    let home = || std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_dir());
    let base = opened_from.or_else(home).unwrap_or_else(|| "/".into());
    match requested {
        Some(requested) => base.join(from_home(Path::new(requested))),
        None if base.is_dir() => base,
        None => home().unwrap_or_else(|| "/".into()),
    }
}

/// Returns a path that begins with `~` in the home directory; others as they are.
pub(crate) fn from_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::var_os("HOME")) {
        (Ok(rest), Some(home)) => [Path::new(&home), rest].iter().collect(),
        _ => path.to_owned(),
    }
}

/// Returns the first of these directories that exists, or else the home directory.
pub(crate) fn existing_directory<'a>(wanted: impl Iterator<Item = &'a str>) -> PathBuf {
    let mut wanted = wanted.map(PathBuf::from);
    wanted.find(|path| path.is_absolute() && path.is_dir()).unwrap_or_else(|| directory(None, None))
}

/// Returns a path as text, for people and for the journal.
pub(crate) fn text(path: &Path) -> String {
    String::from_utf8(path.to_path_buf().into_os_string().into_vec())
        .unwrap_or_else(|raw| String::from_utf8_lossy(raw.as_bytes()).into_owned())
}
