//! The environment of a pane's program and the program itself, built in one place: however a pane came to be,
//! it has these.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use fugue_core::ChildSpec;
use fugue_keeper::SpawnRequest;

use crate::shells::{self, Shells};

/// What the daemon adds to every pane's environment besides the ids.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    /// The environment the daemon was started with.
    pub(crate) inherited: Vec<(OsString, OsString)>,
    /// Its socket.
    pub(crate) socket: PathBuf,
    /// The shell that runs when nothing else is asked for.
    pub(crate) shell: String,
    /// What gives shells prompt marks, unless a person wants none.
    pub(crate) shells: Option<Shells>,
}

/// Variables of the daemon's own start, or of a terminal it does not show, that a program must not see.
const NOT_OURS: [&str; 12] = [
    fugue_keeper::KEEPER_FD,
    fugue_keeper::LISTEN_FD,
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

impl Surroundings {
    /// As they are when the daemon starts.
    pub(crate) fn of_this_process(socket: PathBuf, shell: Option<String>) -> Self {
        let shell = shell.or_else(|| std::env::var("SHELL").ok().filter(|shell| !shell.is_empty()));
        let inherited = std::env::vars_os().collect();
        Self { inherited, socket, shell: shell.unwrap_or_else(|| "/bin/sh".into()), shells: None }
    }

    /// The whole environment of a child.
    fn environment(&self, child: &ChildSpec) -> Vec<(OsString, OsString)> {
        let ours = |name: &OsString| {
            let name = name.to_string_lossy();
            !name.starts_with("FUGUE_") && !NOT_OURS.contains(&name.as_ref())
        };
        let inherited = self.inherited.iter().filter(|(name, _)| ours(name)).cloned();
        let mut all: BTreeMap<OsString, OsString> = inherited.collect();
        let asked = child.environment.iter().chain(&child.launch.environment);
        all.extend(asked.map(|(name, value)| (name.into(), value.into())));
        all.extend(self.identity(child).map(|(name, value)| (name.into(), value)));
        all.into_iter().collect()
    }

    /// Who the pane is, and what terminal it is in.
    fn identity(&self, child: &ChildSpec) -> [(&'static str, OsString); 8] {
        [
            ("FUGUE_PANE_ID", child.pane.to_string().into()),
            ("FUGUE_WINDOW_ID", child.window.to_string().into()),
            ("FUGUE_SESSION_ID", child.session.to_string().into()),
            ("FUGUE_SESSION_NAME", child.session_name.as_str().into()),
            ("FUGUE_SOCKET", self.socket.clone().into()),
            ("TERM", "xterm-256color".into()),
            ("COLORTERM", "truecolor".into()),
            ("TERM_PROGRAM", "fugue".into()),
        ]
    }

    /// What the keeper must start for a child, in this directory.
    pub(crate) fn request(&self, child: &ChildSpec, cwd: PathBuf) -> SpawnRequest {
        let (program, mut argv) = self.words(child);
        let mut env = self.environment(child);
        env.retain(|(name, _)| name != "PWD");
        env.push(("PWD".into(), cwd.clone().into()));
        if let Some(shells) = &self.shells {
            shells.dress(&program, &shells::key(child.run), &mut argv, &mut env);
        }
        let (cols, rows) = (child.size.cols, child.size.rows);
        SpawnRequest { pane: *child.run.as_bytes(), program: program.into(), argv, env, cwd, cols, rows }
    }

    /// Words as they are, a line by the shell, or the shell itself as a login shell, as tmux starts it.
    fn words(&self, child: &ChildSpec) -> (String, Vec<OsString>) {
        let launch = &child.launch;
        let shell = || self.shell.clone();
        match (&launch.command, launch.argv.first()) {
            (Some(line), _) if shells::is_bare_shell(child) => (line.trim().into(), vec![line.trim().into()]),
            (Some(line), _) => (shell(), vec![shell().into(), "-c".into(), line.into()]),
            (None, Some(program)) => (program.clone(), launch.argv.iter().map(OsString::from).collect()),
            (None, None) => (shell(), vec![format!("-{}", short_name(&self.shell)).into()]),
        }
    }

    /// The short name of what a child runs: what its window is called after.
    pub(crate) fn program(&self, child: &ChildSpec) -> String {
        let first = child.launch.command.as_deref().and_then(|line| line.split_whitespace().next());
        let word = first.or_else(|| child.launch.argv.first().map(String::as_str)).unwrap_or(&self.shell);
        let clean: String = short_name(word).chars().filter(|c| !c.is_control()).take(40).collect();
        if clean.is_empty() { "shell".into() } else { clean }
    }
}

pub(crate) fn short_name(program: &str) -> &str {
    Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program)
}

/// The directory a child starts in: as asked, a relative one counted from where it comes from; else that place.
pub(crate) fn directory(asked: Option<&str>, comes_from: Option<PathBuf>) -> PathBuf {
    let home = || std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_dir());
    let base = comes_from.or_else(home).unwrap_or_else(|| "/".into());
    match asked {
        Some(asked) => base.join(asked),
        None if base.is_dir() => base,
        None => home().unwrap_or_else(|| "/".into()),
    }
}

/// A path as text for people and for the journal.
pub(crate) fn text(path: &Path) -> String {
    String::from_utf8(path.to_path_buf().into_os_string().into_vec())
        .unwrap_or_else(|raw| String::from_utf8_lossy(raw.as_bytes()).into_owned())
}
