//! DirtyRows of the terminal: which of them a picture draws.

/// A set of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DirtyRows {
    /// Every one.
    All,
    /// Those whose place holds true; rows beyond the end are not among them.
    Some(Vec<bool>),
}

impl DirtyRows {
    /// None of this many.
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

    /// Whether a row is among them.
    pub(crate) fn has(&self, row: u16) -> bool {
        match self {
            Self::All => true,
            Self::Some(rows) => rows.get(usize::from(row)).copied().unwrap_or(false),
        }
    }
}
