//! Settings whose value is one of a few words.

use fugue_protocol::Scope;
use fugue_protocol::permission_rules::RuleVerdict;
use fugue_protocol::views::OnExit;

/// A type with a word for each of its values.
pub(crate) trait Choice: Copy + PartialEq + 'static {
    /// The words, in the order in which they are listed.
    const WORDS: &'static [(&'static str, Self)];
}

/// Whether programs in panes may use the terminal's clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClipboardAccess {
    /// They may write to it.
    On,
    /// A person allows each text with a key.
    Ask,
    /// They may not.
    Off,
}

/// How a client shows images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageOutput {
    /// In the way that the terminal says it knows.
    Auto,
    /// With the kitty graphics protocol.
    Kitty,
    /// As sixel.
    Sixel,
    /// As placeholders.
    Off,
}

/// When typed characters are shown before their echo arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PredictEcho {
    /// Where the daemon is on another host and echoes are slow.
    Auto,
    /// In every session.
    Always,
    /// In none.
    Never,
}

/// The key table that copy mode searches first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyKeyStyle {
    /// The keys of vi.
    Vi,
    /// The keys of Emacs.
    Emacs,
}

/// Where the status line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusPosition {
    /// Above the panes.
    Top,
    /// Below the panes.
    Bottom,
}

/// What happens when a window that is not shown has activity or falls silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActivityAction {
    /// The window is marked.
    Mark,
    /// The mark, and a status message.
    Message,
    /// And the bell rings.
    Bell,
}

/// Which lost programs are started again when the daemon starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestorePrograms {
    /// None: `restore-panes` starts them.
    Never,
    /// Shells.
    Shells,
    /// All that `restore-panes` would start.
    All,
}

impl Choice for RestorePrograms {
    const WORDS: &'static [(&'static str, Self)] =
        &[("never", Self::Never), ("shells", Self::Shells), ("all", Self::All)];
}

impl Choice for StatusPosition {
    const WORDS: &'static [(&'static str, Self)] = &[("top", Self::Top), ("bottom", Self::Bottom)];
}

impl Choice for ActivityAction {
    const WORDS: &'static [(&'static str, Self)] =
        &[("mark", Self::Mark), ("message", Self::Message), ("bell", Self::Bell)];
}

impl Choice for ClipboardAccess {
    const WORDS: &'static [(&'static str, Self)] =
        &[("on", Self::On), ("ask", Self::Ask), ("off", Self::Off)];
}

impl Choice for ImageOutput {
    const WORDS: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("kitty", Self::Kitty), ("sixel", Self::Sixel), ("off", Self::Off)];
}

impl Choice for PredictEcho {
    const WORDS: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("always", Self::Always), ("never", Self::Never)];
}

impl Choice for CopyKeyStyle {
    const WORDS: &'static [(&'static str, Self)] = &[("vi", Self::Vi), ("emacs", Self::Emacs)];
}

impl Choice for OnExit {
    const WORDS: &'static [(&'static str, Self)] =
        &[("close", Self::Close), ("keep", Self::Keep), ("keep_failed", Self::KeepFailed)];
}

impl Choice for Scope {
    const WORDS: &'static [(&'static str, Self)] =
        &[("observe", Self::Observe), ("descendants", Self::Descendants), ("all", Self::All)];
}

impl Choice for RuleVerdict {
    const WORDS: &'static [(&'static str, Self)] = &[("allow", Self::Allow), ("deny", Self::Deny)];
}
