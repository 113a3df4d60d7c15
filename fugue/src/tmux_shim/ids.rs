//! tmux's numbers for panes (`%3`), windows (`@1`) and sessions (`$0`). A number is given once and never to another; the
//! numbers of a daemon are kept in a file beside its socket.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fugue_protocol::views::SessionView;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

/// When there are more numbers, those of what is gone are forgotten. They are not forgotten at once: another process may
/// have created what this one has not seen yet.
const MANY: usize = 4_096;

/// Whether a number is one of a pane, a window or a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdKind {
    Pane,
    Window,
    Session,
}

impl IdKind {
    fn sign(self) -> char {
        match self {
            Self::Pane => '%',
            Self::Window => '@',
            Self::Session => '$',
        }
    }
}

/// The numbers of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Numbers {
    next: u64,
    /// By fugue's id.
    given: BTreeMap<String, u64>,
}

/// The numbers of a daemon.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TmuxIds {
    numbers: [Numbers; 3],
    file: PathBuf,
}

impl TmuxIds {
    /// Reads the numbers of the daemon at this socket.
    pub(super) fn load(socket: &Path) -> Result<Self, String> {
        let mut ids = Self { numbers: Default::default(), file: socket.with_extension("tmux-ids") };
        ids.locked(|_| {})?;
        Ok(ids)
    }

    /// Gives a number to every pane, window and session that has none.
    pub(super) fn update(&mut self, sessions: &[SessionView]) -> Result<(), String> {
        let windows = || sessions.iter().flat_map(|session| &session.windows);
        let panes = windows().flat_map(|window| &window.panes);
        let ids = [
            panes.map(|pane| pane.pane_id.to_string()).collect::<Vec<_>>(),
            windows().map(|window| window.window_id.to_string()).collect(),
            sessions.iter().map(|session| session.session_id.to_string()).collect(),
        ];
        if self.numbers.iter().zip(&ids).all(|(numbers, ids)| numbers.cover(ids)) {
            return Ok(());
        }
        self.locked(|numbers| numbers.iter_mut().zip(&ids).for_each(|(numbers, ids)| numbers.update(ids)))
    }

    /// Returns tmux's name of an id: `%3`.
    pub(super) fn name(&self, kind: IdKind, id: &str) -> String {
        let number = self.numbers[kind as usize].given.get(id);
        number.map(|number| format!("{}{number}", kind.sign())).unwrap_or_default()
    }

    /// Returns the id that a name stands for, and its kind; `None` if the word is not such a name.
    pub(super) fn find(&self, word: &str) -> Option<(IdKind, Option<&str>)> {
        let kind = [IdKind::Pane, IdKind::Window, IdKind::Session].into_iter();
        let (kind, number) = kind.filter_map(|kind| Some((kind, word.strip_prefix(kind.sign())?))).next()?;
        let number: u64 = number.parse().ok()?;
        let given = self.numbers[kind as usize].given.iter();
        Some((kind, given.filter(|(_, of)| **of == number).map(|(id, _)| id.as_str()).next()))
    }

    /// Reads the file, changes the numbers and writes them, while nobody else does.
    fn locked(&mut self, change: impl FnOnce(&mut [Numbers; 3])) -> Result<(), String> {
        let cannot = |why: std::io::Error| format!("cannot use {}: {why}", self.file.display());
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&self.file).map_err(cannot)?;
        flock(&file, FlockOperation::LockExclusive).map_err(|why| cannot(why.into()))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(cannot)?;
        let old: [Numbers; 3] = serde_json::from_str(&text).unwrap_or_default();
        let mut new = old.clone();
        change(&mut new);
        if new != old {
            rewrite(&mut file, &new).map_err(cannot)?;
        }
        self.numbers = new;
        Ok(())
    }
}

fn rewrite(file: &mut File, numbers: &[Numbers; 3]) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&serde_json::to_vec(numbers)?)
}

impl Numbers {
    fn cover(&self, ids: &[String]) -> bool {
        ids.iter().all(|id| self.given.contains_key(id))
    }

    fn update(&mut self, ids: &[String]) {
        if self.given.len() > MANY {
            self.given.retain(|id, _| ids.contains(id));
        }
        for id in ids {
            if !self.given.contains_key(id) {
                self.given.insert(id.clone(), self.next);
                self.next += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_never_given_twice() {
        let ids = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let mut numbers = Numbers::default();
        numbers.update(&ids(&["a", "b"]));
        assert!(numbers.cover(&ids(&["b"])) && !numbers.cover(&ids(&["c"])));
        numbers.update(&ids(&["b", "c"]));
        assert_eq!(numbers.given, BTreeMap::from([("a".into(), 0), ("b".into(), 1), ("c".into(), 2)]));
        let many: Vec<_> = (0..=MANY).map(|number| number.to_string()).collect();
        numbers.update(&many);
        numbers.update(&ids(&["c", "d"]));
        assert_eq!(numbers.given, BTreeMap::from([("c".into(), 2), ("d".into(), 4 + MANY as u64)]));
    }
}
