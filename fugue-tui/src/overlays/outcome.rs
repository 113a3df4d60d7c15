//! What a key or click in an overlay leads to.

/// The outcome of a key or click.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Stay,
    Close,
    /// Close, and handle the key as if nothing had been open.
    Pass,
    /// Close, and run this line.
    Run(String),
    /// Close, and show this message.
    Say(String),
    /// Close, and copy this text.
    Copy(String),
    /// Close, and append this text to what was copied before.
    Append(String),
}
