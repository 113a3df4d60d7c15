//! The environment variables by which a process finds its daemon. Some agents strip them from the programs they start;
//! the process's ancestors still have them then.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use fugue_keeper::ProcessStat;
use fugue_protocol::messages::{PaneClaim, PaneKey};

/// The variables that say where a daemon is and in which pane the caller is.
const NAMES: [&str; 7] = [
    "FUGUE_SOCKET",
    "FUGUE_PANE_ID",
    "FUGUE_PANE_KEY",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "HOME",
];

/// An environment with at least one of these was not stripped.
const MARKERS: [&str; 3] = ["FUGUE_SOCKET", "FUGUE_PANE_ID", "XDG_RUNTIME_DIR"];

/// How far up ancestors are searched: deeper than any agent nests its helpers, and a bound should `/proc` change
/// meanwhile and form a loop.
const MAX_ANCESTORS: usize = 32;

/// The environment of a process, as far as fugue reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Env(BTreeMap<&'static str, OsString>);

impl Env {
    /// The environment of this process.
    pub fn own() -> Self {
        Self::select(env::var_os)
    }

    /// The environment of this process or, if it was stripped, of the nearest ancestor that still has one.
    pub fn own_or_inherited() -> Self {
        let own = Self::own();
        if own.has_marker() {
            return own;
        }
        let found = ancestors().find_map(|pid| Self::of_process(pid).filter(Self::has_marker));
        found.map_or(own.clone(), |found| Self(found.0.into_iter().chain(own.0).collect()))
    }

    /// Returns a variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<OsString> {
        self.0.get(name).cloned()
    }

    /// The pane that the process claims to be in, if that is a pane of the daemon at this socket.
    pub fn claimed_pane(&self, socket: &Path) -> Option<PaneClaim> {
        let of_this_daemon = self.get("FUGUE_SOCKET").is_none_or(|named| Path::new(&named) == socket);
        let pane = self.get("FUGUE_PANE_ID").filter(|_| of_this_daemon)?.into_string().ok()?;
        let key = self.get("FUGUE_PANE_KEY").and_then(|key| key.into_string().ok()).map(PaneKey);
        Some(PaneClaim { pane, key })
    }

    /// The pane of this process's own daemon in which it says that it is.
    pub(crate) fn pane(&self) -> Option<String> {
        self.get("FUGUE_PANE_ID")?.into_string().ok()
    }

    fn select(value: impl Fn(&'static str) -> Option<OsString>) -> Self {
        let set = |name| Some((name, value(name).filter(|value| !value.is_empty())?));
        Self(NAMES.into_iter().filter_map(set).collect())
    }

    fn has_marker(&self) -> bool {
        MARKERS.iter().any(|name| self.0.contains_key(name))
    }

    /// The environment of another process of this user; none if it cannot be read.
    fn of_process(pid: u32) -> Option<Self> {
        let bytes = fs::read(format!("/proc/{pid}/environ")).ok()?;
        Some(Self::parse(&bytes))
    }

    fn parse(environ: &[u8]) -> Self {
        let value = |name: &str| {
            let prefix = format!("{name}=");
            let entry =
                environ.split(|byte| *byte == 0).find(|entry| entry.starts_with(prefix.as_bytes()))?;
            Some(OsStr::from_bytes(&entry[prefix.len()..]).to_owned())
        };
        Self::select(|name| value(name).map(|value| OsString::from_vec(value.into_vec())))
    }
}

/// The name of the process from which everything in panes descends.
const REAPER: &str = "pane-reaper";

/// Whether this process is in a pane of any daemon of this host, according to its environment or its ancestors.
pub(crate) fn is_in_pane() -> bool {
    let is_reaper = |pid: u32| {
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == REAPER)
    };
    env::var_os("FUGUE_PANE_ID").is_some() || ancestors().any(is_reaper)
}

/// The parent of this process, its parent, and so on, up to init.
pub fn ancestors() -> impl Iterator<Item = u32> {
    let parent = |pid: &u32| ProcessStat::of(*pid).map(|stat| stat.parent).filter(|parent| *parent > 1);
    std::iter::successors(parent(&std::process::id()), parent).take(MAX_ANCESTORS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_matched_by_their_whole_names() {
        let read = Env::parse(b"MY_FUGUE_SOCKET=/no\0FUGUE_SOCKET=/run/f.sock\0XDG_RUNTIME_DIR=\0");
        assert_eq!(read.get("FUGUE_SOCKET"), Some("/run/f.sock".into()));
        assert_eq!(read.get("XDG_RUNTIME_DIR"), None, "empty counts as not set");
    }

    #[test]
    fn a_pane_is_claimed_only_to_the_daemon_it_belongs_to() {
        let read = Env::parse(b"FUGUE_SOCKET=/run/f.sock\0FUGUE_PANE_ID=p\0FUGUE_PANE_KEY=k\0");
        let claim = PaneClaim { pane: "p".into(), key: Some(PaneKey("k".into())) };
        assert_eq!(read.claimed_pane(Path::new("/run/f.sock")), Some(claim));
        assert_eq!(read.claimed_pane(Path::new("/run/other.sock")), None);
    }

    #[test]
    fn the_first_ancestor_is_the_parent() {
        let parent = std::os::unix::process::parent_id();
        assert_eq!(ancestors().next(), Some(parent).filter(|parent| *parent > 1));
    }
}
