//! How far the agents of a session reach.

/// What the agents of a session may change outside it, the strictest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Nothing. They may read everything.
    Observe,
    /// The sessions that were created from theirs.
    Descendants,
    /// Everything: orchestrators work across sessions.
    #[default]
    All,
}

impl Scope {
    /// The word for it in `config.toml` and in refusals.
    pub fn name(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Descendants => "descendants",
            Self::All => "all",
        }
    }
}
