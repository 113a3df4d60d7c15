//! Revisions: what changed since a viewer last looked, and synchronized updates, during which viewers see no change.

use crate::cursor::Cursor;

/// The revision of the screen and what is known about earlier ones.
#[derive(Clone, Debug)]
pub(crate) struct Revisions {
    pub current: u64,
    /// Changes before this revision cannot be told apart: there was a resize or a switch of screens.
    pub full_since: u64,
    /// The synchronized update that is open (mode 2026).
    pub sync: Option<SyncUpdate>,
}

/// A synchronized update that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SyncUpdate {
    /// The last revision before it began.
    pub since: u64,
    /// The cursor as it was then; unknown after a snapshot was restored.
    pub cursor: Option<Cursor>,
}

impl Revisions {
    /// A screen begins at revision 1; viewers that have seen nothing are at 0.
    pub(crate) fn starting_at(current: u64) -> Self {
        Self { current, full_since: current, sync: None }
    }

    /// Records that viewers need every row again.
    pub(crate) fn mark_full(&mut self) {
        self.full_since = self.current;
    }

    /// Whether a viewer at `revision` needs every row.
    pub(crate) fn needs_full(&self, revision: u64) -> bool {
        revision < self.full_since || revision > self.current
    }

    /// Opens a synchronized update unless one is open already.
    pub(crate) fn begin_sync(&mut self, cursor: Cursor) {
        self.sync.get_or_insert(SyncUpdate { since: self.current - 1, cursor: Some(cursor) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewer_gets_every_row_if_it_is_too_old_or_of_another_screen() {
        let mut revisions = Revisions::starting_at(1);
        assert!(revisions.needs_full(0) && !revisions.needs_full(1));
        revisions.current = 9;
        revisions.mark_full();
        assert!(revisions.needs_full(8) && !revisions.needs_full(9) && revisions.needs_full(10));
    }

    #[test]
    fn a_second_begin_does_not_restart_a_synchronized_update() {
        let mut revisions = Revisions::starting_at(5);
        revisions.begin_sync(Cursor::default());
        revisions.current = 6;
        revisions.begin_sync(Cursor { row: 3, ..Cursor::default() });
        let sync = revisions.sync.expect("it is open");
        assert_eq!((sync.since, sync.cursor), (4, Some(Cursor::default())));
    }
}
