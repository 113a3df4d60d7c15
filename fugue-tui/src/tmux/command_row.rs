//! A row of the table of tmux's commands: its name, the fugue command that takes its place, and what its flags mean.

/// A tmux command.
#[derive(Clone, Copy)]
pub(crate) struct TmuxCommand {
    /// Its full name.
    pub(crate) name: &'static str,
    pub(crate) becomes: Translation,
    pub(crate) flags: &'static [(char, TmuxFlag)],
    pub(crate) rest: Operands,
    /// What is meant when a flag is omitted.
    pub(crate) defaults: &'static [(char, &'static str)],
    /// The flags that fugue lacks, and why.
    pub(crate) lacks: &'static [(&'static str, &'static str)],
}

impl TmuxCommand {
    pub(super) const fn defaults(self, defaults: &'static [(char, &'static str)]) -> Self {
        Self { defaults, ..self }
    }

    pub(super) const fn lacks(self, lacks: &'static [(&'static str, &'static str)]) -> Self {
        Self { lacks, ..self }
    }

    /// Why fugue has not this flag (`-x`), if it is one of those that it lacks.
    pub(super) fn lacking(&self, flag: &str) -> Option<String> {
        let letter = flag.strip_prefix('-')?;
        let (_, why) = self.lacks.iter().find(|(letters, _)| letters.contains(letter))?;
        Some(format!("fugue has no `{} {flag}`: {why}", self.name))
    }
}

/// What a tmux command becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Translation {
    /// This fugue command.
    Line(&'static str),
    /// The same command, run by `fugue tmux`, whose output is shown.
    Job,
    /// Nothing; the text says what to do instead.
    Nothing(&'static str),
}

/// The meaning of a flag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TmuxFlag {
    /// These words.
    Is(&'static str),
    /// This word and the flag's value.
    With(&'static str),
    /// This word and the pane, window or session that the value names.
    Pane(&'static str),
    Window(&'static str),
    Session(&'static str),
    /// The session in which something is created.
    Into(&'static str),
    /// A window's new position.
    Place,
    /// The size of a new pane; in percent in any case.
    Share,
    Percent,
    /// The name of something new, which may be a format.
    Name(&'static str),
    /// The name of a new session.
    SessionName(&'static str),
    /// A directory.
    Directory,
    /// The directory of a new pane.
    PaneDirectory,
    /// Before, not after.
    Before,
    /// Another command altogether; and one with the flag's value.
    Instead(&'static str),
    InsteadWith(&'static str),
    /// No effect here; and no effect, with a value.
    Idle,
    IdleWith,
}

impl TmuxFlag {
    pub(crate) fn has_value(&self) -> bool {
        !matches!(self, Self::Is(_) | Self::Before | Self::Instead(_) | Self::Idle)
    }
}

/// The operands after the flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    /// tmux takes none; with some it is a fugue command.
    None,
    /// The same as in fugue.
    Words,
    /// The name of a layout.
    Layout,
    /// A name, which may begin with a dash.
    Name,
    /// The name of a session, which may begin with a dash.
    SessionName,
    /// How far a border moves.
    Amount,
    /// A line for the shell, or a program with its arguments.
    Program,
    /// The same for a popup.
    Boxed,
    /// Text and keys.
    Keys,
    /// A command for the choice; fugue's lists and prompts have their own, and take a text.
    Template,
    /// A command for the answer to a question, in which `%%` stands for the answer.
    Question,
    /// A message; a format in it is for `fugue tmux` to expand.
    Plain,
}

pub(super) const fn row(
    name: &'static str,
    becomes: &'static str,
    flags: &'static [(char, TmuxFlag)],
    rest: Operands,
) -> TmuxCommand {
    TmuxCommand { name, becomes: Translation::Line(becomes), flags, rest, defaults: &[], lacks: &[] }
}

pub(super) const fn no(name: &'static str, why: &'static str) -> TmuxCommand {
    TmuxCommand {
        name,
        becomes: Translation::Nothing(why),
        flags: &[],
        rest: Operands::None,
        defaults: &[],
        lacks: &[],
    }
}

/// A command that has no counterpart in the client, but is run all the same.
pub(super) const fn job(name: &'static str) -> TmuxCommand {
    TmuxCommand {
        name,
        becomes: Translation::Job,
        flags: &[],
        rest: Operands::None,
        defaults: &[],
        lacks: &[],
    }
}
