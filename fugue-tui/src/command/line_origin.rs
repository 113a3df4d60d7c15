//! Where a command line comes from. A line carries it to the last step: through semicolons, questions and waiting.

/// Where a command line comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum LineOrigin {
    /// A person, who typed it, chose it from a list, or bound it to a key.
    #[default]
    Person,
    /// A program that had the daemon send it; the daemon's host, if that is another one.
    Program { host: Option<String> },
}

impl LineOrigin {
    pub(crate) fn is_program(&self) -> bool {
        *self != Self::Person
    }
}
