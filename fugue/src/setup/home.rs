//! The home directory in which agents look for their files, and the directories of their commands.

use std::path::PathBuf;

use fugue_agents::setup::SetupFile;
use fugue_agents::{Environment, KnownAgent};

/// Where the agents look for their files.
#[derive(Debug, Clone)]
pub(super) struct Home {
    pub(super) directory: PathBuf,
    pub(super) variable: fn(&str) -> Option<PathBuf>,
    /// The directories of commands.
    pub(super) path: Vec<PathBuf>,
}

impl Home {
    /// The home of the user who runs this process; `None` without one.
    pub(super) fn of_this_process() -> Option<Self> {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        Some(Self { directory: variable("HOME")?, variable, path: std::env::split_paths(&path).collect() })
    }

    /// Returns the file that runs as this command.
    pub(super) fn find_command(&self, name: &str) -> Option<PathBuf> {
        self.path.iter().map(|directory| directory.join(name)).find(|path| path.is_file())
    }

    /// Returns what determines where the agents look for their files.
    pub(super) fn environment(&self) -> Environment<'_> {
        Environment::new(&self.directory, &self.variable)
    }

    /// Whether an agent is installed.
    pub(super) fn has(&self, agent: &KnownAgent) -> bool {
        self.find_command(agent.name).is_some()
    }

    /// Returns an agent's files, for a fugue that runs as `command`.
    pub(super) fn files(&self, agent: &KnownAgent, command: &str) -> Vec<SetupFile> {
        let found = |mut file: SetupFile| {
            if let Some(path) = file.other_paths.iter().find(|path| path.is_file()) {
                file.path.clone_from(path);
            }
            file
        };
        (agent.setup.files)(&self.environment(), command).into_iter().map(found).collect()
    }

    /// Returns how agents run fugue: by its name if that finds this very program, otherwise by its path.
    pub(super) fn fugue_command(&self) -> String {
        let this = std::env::current_exe().unwrap_or_else(|_| "fugue".into());
        let same =
            |found: PathBuf| found.canonicalize().is_ok_and(|found| Some(found) == this.canonicalize().ok());
        if self.find_command("fugue").is_some_and(same) { "fugue".into() } else { this.display().to_string() }
    }
}
