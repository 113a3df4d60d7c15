//! Notices changes of the daemon's files: the configuration, the table of agents and the socket. All of them are watched with
//! one inotify instance. If there is none, or a file cannot be watched, the files are looked at regularly instead.

use std::path::Path;

use fugue_config::{FileChange, FileWatch, POLL_INTERVAL};
use tokio::io::Interest;

use super::agent_table_file;
use crate::channels::local_watch::{WatchReceiver, WatchSender};
use crate::fd_readiness;
use crate::tasks;

/// Receivers that learn that a file may have changed.
pub(crate) struct FileChanges {
    pub(crate) config: WatchReceiver<()>,
    pub(crate) agents: WatchReceiver<()>,
    /// The socket may be gone.
    pub(crate) socket: WatchReceiver<()>,
    /// The warning while the files cannot be watched.
    pub(crate) warning: WatchReceiver<Option<String>>,
}

impl FileChanges {
    /// Starts to watch the files of a daemon.
    pub(crate) fn start(config: &Path, socket: &Path) -> Self {
        let (content, removal) = (FileChange::Content, FileChange::Removal);
        let agents = agent_table_file::path(config);
        let files = [(config.to_owned(), content), (agents, content), (socket.to_owned(), removal)];
        let changed = [(); 3].map(WatchSender::new);
        let [config, agents, socket] = changed.each_ref().map(WatchSender::subscribe);
        let shown = WatchSender::new(None);
        let warning = shown.subscribe();
        tasks::spawn_local(watch(FileWatch::new(files), changed, shown));
        Self { config, agents, socket, warning }
    }
}

async fn watch(mut files: FileWatch, changed: [WatchSender<()>; 3], warning: WatchSender<Option<String>>) {
    loop {
        report(files.problem(), &warning);
        wait(&files).await;
        // On another thread: a home directory on the network may be slow.
        let look = tokio::task::spawn_blocking(move || (files.take_changes(), files)).await;
        let Ok((changes, looked)) = look else {
            return tracing::error!("Cannot watch config.toml; changes take effect when the daemon restarts");
        };
        files = looked;
        let is_changed = |number: usize| changes & (1 << number) != 0;
        changed
            .iter()
            .enumerate()
            .filter(|(number, _)| is_changed(*number))
            .for_each(|(_, file)| file.send(()));
    }
}

/// Waits until a file may have changed. A daemon that can watch its files is not woken in between.
async fn wait(files: &FileWatch) {
    let ready = files.fd().and_then(|fd| fd_readiness::watch(fd, Interest::READABLE).ok());
    match ready {
        Some(ready) if files.problem().is_none() => drop(ready.readable().await),
        Some(ready) => drop(tokio::time::timeout(POLL_INTERVAL, ready.readable()).await),
        None => tokio::time::sleep(POLL_INTERVAL).await,
    }
}

/// Logs that the files cannot be watched, or that they can be again, and keeps the warning for the daemon's status.
fn report(problem: Option<&str>, warning: &WatchSender<Option<String>>) {
    let now = problem.map(|why| {
        let seconds = POLL_INTERVAL.as_secs();
        format!("Cannot watch config.toml, agents.toml and the socket; checking them every {seconds} seconds: {why}")
    });
    if *warning.borrow() == now {
        return;
    }
    match &now {
        Some(text) => tracing::warn!("{text}"),
        None => tracing::info!("config.toml, agents.toml and the socket are watched again"),
    }
    warning.send(now);
}
