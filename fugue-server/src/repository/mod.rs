//! Which repository and worktree a directory is in: git is asked, on other threads, and never twice within a moment.
//! The manager sends panes and their directories here and is told where they are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fugue_protocol::PaneId;
use fugue_protocol::orchestration::GitLocation;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::session::{Desk, News};

mod git;

/// What git said holds for so long: a branch or a new repository is seen a moment later.
pub(crate) const FRESH: Duration = Duration::from_secs(2);

/// Gits at a time: a look at many panes must not take the whole machine.
const AT_A_TIME: usize = 4;

/// Looks that may wait; what does not fit is looked at another time.
const LOOKS: usize = 64;

/// Directories remembered. More are seldom at once, and all of them are asked about again soon.
const KNOWN: usize = 1_024;

/// Panes and their directories, and what is to be done once it is known where they are.
pub(crate) struct Look {
    pub(crate) panes: Vec<(PaneId, PathBuf)>,
    pub(crate) then: Option<Box<News>>,
}

/// Where looks are sent.
#[derive(Clone)]
pub(crate) struct Surveyor(mpsc::Sender<Look>);

impl Surveyor {
    /// A surveyor that tells this desk.
    pub(crate) fn new(desk: Desk) -> Self {
        let (looks, wanted) = mpsc::channel(LOOKS);
        tokio::task::spawn_local(survey(wanted, desk));
        Self(looks)
    }

    /// Looks; gives the look back when too many wait.
    pub(crate) fn look(&self, look: Look) -> Result<(), Look> {
        self.0.try_send(look).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(look) | mpsc::error::TrySendError::Closed(look) => look,
        })
    }
}

type Known = BTreeMap<PathBuf, (Instant, Option<GitLocation>)>;

async fn survey(mut wanted: mpsc::Receiver<Look>, desk: Desk) {
    let mut known = Known::new();
    while let Some(Look { panes, then }) = wanted.recv().await {
        ask(&mut known, panes.iter().map(|(_, directory)| directory.clone()).collect()).await;
        let place = |directory: &PathBuf| known.get(directory).and_then(|(_, place)| place.clone());
        let places = panes.iter().map(|(pane, directory)| (*pane, place(directory))).collect();
        if desk.send(News::Located { places, then }).await.is_err() {
            return;
        }
    }
}

/// Asks git about those directories of which nothing fresh is known.
async fn ask(known: &mut Known, directories: BTreeSet<PathBuf>) {
    if known.len() + directories.len() > KNOWN {
        known.clear();
    }
    let stale = |directory: &PathBuf| known.get(directory).is_none_or(|(at, _)| at.elapsed() > FRESH);
    let mut unknown: Vec<_> = directories.into_iter().filter(stale).collect();
    let mut gits = JoinSet::new();
    loop {
        while gits.len() < AT_A_TIME
            && let Some(directory) = unknown.pop()
        {
            gits.spawn_blocking(move || (git::place(&directory), directory));
        }
        match gits.join_next().await {
            Some(Ok((place, directory))) => drop(known.insert(directory, (Instant::now(), place))),
            Some(Err(why)) => tracing::warn!("a directory could not be looked at: {why}"),
            None => return,
        }
    }
}
