//! tmux's targets, `session:window.pane`, which every command understands: names, indexes, ids (`$0`, `@1`, `%2` and
//! UUIDs), `=name` for an exact match, prefixes and patterns, offsets (`+`, `-2`) and tokens (`{last}`, `{left-of}`).
//! The daemon finds them in its world, and the client in the tree that it shows.

mod neighbors;
mod parts;
mod pattern;
mod search;
mod tree;

pub use parts::{TargetKind, TargetMissing, TargetOrigin, TargetParts, TargetPlace};
pub use pattern::matches_pattern;
pub use tree::{TargetPane, TargetSession, TargetTree, TargetWindow};

use search::Search;

impl TargetTree<'_> {
    /// Finds a target. One that names only a session or a window means its current pane.
    pub fn find(
        &self,
        target: &str,
        kind: TargetKind,
        origin: TargetOrigin,
    ) -> Result<TargetPlace, TargetMissing> {
        let missing = |kind: TargetKind| TargetMissing { kind, part: target.to_owned() };
        match target {
            "" | "@" | "{active}" | "{current}" => origin.place.ok_or_else(|| missing(kind)),
            "~" | "{marked}" => origin
                .marked
                .and_then(|pane| self.place_of_pane(pane))
                .ok_or_else(|| missing(TargetKind::Pane)),
            _ => {
                let parts = TargetParts::of(target, kind);
                let find = |origin| Search { tree: self, origin }.find(&parts, kind);
                // A window and a pane that are named exactly come before a session whose name has a dot.
                let exact = Some(TargetOrigin { inexact: false, ..origin }).filter(|_| {
                    parts.session.is_none() && parts.pane.is_some() && kind != TargetKind::Session
                });
                let exact = exact.and_then(|origin| find(origin).ok());
                exact.or_else(|| self.place_of_session(target)).map_or_else(|| find(origin), Ok)
            }
        }
    }

    /// The current pane of the session that has exactly this name, if there is a dot in it.
    fn place_of_session(&self, name: &str) -> Option<TargetPlace> {
        let name = name.strip_prefix('=').unwrap_or(name);
        let name = Some(name).filter(|name| name.contains('.'))?;
        let session = self.sessions.iter().find(|session| session.name == name)?;
        let window = session.current()?;
        Some(TargetPlace { session: session.id, window: window.id, pane: window.current()?.id })
    }
}

#[cfg(test)]
mod tests;
