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
                let search = Search { tree: self, origin };
                let found = search.find(&TargetParts::of(target, kind), kind);
                found.or_else(|why| self.place_of_session(target).ok_or(why))
            }
        }
    }

    /// The current pane of the session that has exactly this name, which may contain a dot.
    fn place_of_session(&self, name: &str) -> Option<TargetPlace> {
        let name = name.strip_prefix('=').unwrap_or(name);
        let session = self.sessions.iter().find(|session| session.name == name)?;
        let window = session.current()?;
        Some(TargetPlace { session: session.id, window: window.id, pane: window.current()?.id })
    }
}

#[cfg(test)]
mod tests;
