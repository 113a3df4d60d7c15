//! The rows of the terminal that a frame draws.

/// A set of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DirtyRows {
    /// All rows.
    All,
    /// The rows whose entry is true; rows beyond the end are not among them.
    Some(Vec<bool>),
}

impl DirtyRows {
    /// No row, of this many.
    pub(crate) fn none(count: u16) -> Self {
        Self::Some(vec![false; usize::from(count)])
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: u16) {
        if let Self::Some(rows) = self
            && let Some(row) = rows.get_mut(usize::from(row))
        {
            *row = true;
        }
    }

    /// Whether a row is in the set.
    pub(crate) fn has(&self, row: u16) -> bool {
        match self {
            Self::All => true,
            Self::Some(rows) => rows.get(usize::from(row)).copied().unwrap_or(false),
        }
    }
}
