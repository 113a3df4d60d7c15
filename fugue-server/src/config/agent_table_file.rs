//! `agents.toml`, beside `config.toml`: the user's rows in the table of agents. It is read again when it changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::{Context, Poll};

use super::settings;
use crate::channels::local_watch::{WatchReceiver, WatchSender};
use crate::tasks;
use fugue_agents::AgentTable;
use fugue_config::ConfigSource;

/// The table of agents, as all panes see it.
#[derive(Clone)]
pub(crate) struct SharedAgentTable(WatchReceiver<LoadedTable>);

#[derive(Debug, Clone)]
struct LoadedTable {
    table: Arc<AgentTable>,
    /// What is wrong with the file, if anything.
    mistake: Option<String>,
}

impl SharedAgentTable {
    /// Reads the file beside a configuration file, and reads it again when it may have changed.
    pub(crate) fn start(config: &Path, changes: WatchReceiver<()>) -> Self {
        let path = path(config);
        let source = ConfigSource::read(&path);
        let sender = WatchSender::new(LoadedTable::new(read(&source), None));
        let shared = sender.subscribe();
        tasks::spawn_local(settings::follow_file(path, source, changes, read, move |read| {
            let loaded = LoadedTable::new(read, Some(&sender.borrow()));
            loaded.mistake.iter().for_each(|mistake| tracing::warn!("{mistake}"));
            sender.send(loaded);
            std::future::ready(true)
        }));
        Self(shared)
    }

    /// The table as it is now.
    pub(crate) fn table(&self) -> Arc<AgentTable> {
        self.0.borrow().table.clone()
    }

    /// Ready when the table has changed.
    pub(crate) fn poll_changed(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match self.0.poll_changed(context) {
            Poll::Ready(true) => Poll::Ready(()),
            Poll::Ready(false) | Poll::Pending => Poll::Pending,
        }
    }

    /// What is wrong with the file, if anything.
    pub(crate) fn mistake(&self) -> Option<String> {
        self.0.borrow().mistake.clone()
    }
}

impl LoadedTable {
    /// A file that cannot be used changes nothing.
    fn new(read: Result<AgentTable, String>, before: Option<&Self>) -> Self {
        match read {
            Ok(table) => Self { table: Arc::new(table), mistake: None },
            Err(mistake) => {
                let table = before
                    .map_or_else(|| Arc::new(AgentTable::built_in().clone()), |last| last.table.clone());
                Self { table, mistake: Some(mistake) }
            }
        }
    }
}

/// Returns the path of the file, given that of the configuration file.
pub fn path(config: &Path) -> PathBuf {
    config.with_file_name("agents.toml")
}

/// Returns the built-in table with the file's rows, or what is wrong with the file.
pub fn read(source: &ConfigSource) -> Result<AgentTable, String> {
    let ignored = "the file is ignored until this is fixed";
    match source {
        ConfigSource::Missing => Ok(AgentTable::built_in().clone()),
        ConfigSource::Unreadable(why) => Err(format!("agents.toml: {why}; {ignored}")),
        ConfigSource::Text(text) => AgentTable::with_file(text).map_err(|mistake| {
            let line = mistake.line.map(|line| format!(", line {line}")).unwrap_or_default();
            format!("agents.toml{line}: {}; {ignored}", mistake.text)
        }),
    }
}
