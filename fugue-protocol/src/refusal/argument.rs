//! What can be wrong with an argument of a verb, beyond its type.

use std::fmt;

use super::Hint;
use crate::agent_messages::DeliveryMethod;
use crate::verbs::{ListClients, ListPanes, MessageStatus};

/// The reason why the value of an argument was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the display text says what each one means")]
pub enum ArgumentProblem {
    /// A number above its maximum.
    AboveMaximum {
        given: u64,
        maximum: u64,
        quantity: Quantity,
    },
    ZeroDuration,
    NotAWindowIndex {
        given: usize,
        lowest: usize,
        highest: usize,
    },
    NotAPercentage {
        given: u8,
    },
    EmptyName,
    /// `:` separates a session from its window in targets.
    ColonInName,
    /// The name of a session, a window or a pane begins as an id does.
    SignInName,
    /// A name has a character that nobody can see.
    InvisibleInName {
        character: char,
    },
    EmptyKey,
    EmptyCommand,
    EmptyProgramName,
    EmptyDirectory,
    EmptyVariableName,
    NoCommands,
    NoPanes,
    NulCharacter,
    /// A command that is typed at a prompt.
    ControlInCommand {
        character: char,
    },
    /// A text that is typed into a field of one line.
    NotOneLine {
        maximum: usize,
    },
    InvalidVariable {
        name: String,
    },
    InvalidPattern {
        why: String,
    },
    PatternTooComplex,
    PatternTooSlow,
    InvalidLayout {
        why: String,
    },
    PatternRequired,
    PatternWithoutMatch,
    StatesWithoutAgentState,
    PaneAndPanes,
    MessagesOfSeveralPanes,
    LeaseEventAndName,
    CursorPerPane,
    CommandAndArgv,
    DirectionAndSize,
    DirectionOrSizeRequired,
    BeforeAndSince,
    DirectoryOfRunningShell,
    SessionOfNamedPane,
    NothingToSend,
    NothingToWaitFor,
    NoInboxForReply,
    LeaseNeedsDuration,
    NoPaneOnThatSide,
    BesideItself,
    OnlyPaneInWindow,
    Popup,
    ClientRequired,
    TargetRequired,
    NotTheAsker,
    DeliveryNotRequested {
        method: DeliveryMethod,
    },
    PushUnavailable,
    OnlyForNewSession,
    SplitNeedsPane,
    PromptRequired,
    PictureTooLarge,
    PictureFailed {
        why: String,
    },
}

/// The kind of number that has a maximum; it decides how the caller gets along with less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// The duration of a wait.
    Wait,
    /// A number of lines to read.
    Lines,
    /// The lifetime of a lease or message.
    Lifetime,
}

impl fmt::Display for ArgumentProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::AboveMaximum { given, maximum, .. } => {
                return write!(f, "{given} exceeds the maximum of {maximum}");
            }
            Self::NotAPercentage { given } => return write!(f, "{given} is not between 1 and 99"),
            Self::NotAWindowIndex { given, lowest, .. } if given < lowest => {
                return write!(f, "window indexes start at {lowest}");
            }
            Self::NotAWindowIndex { given, lowest, highest } => {
                return write!(f, "{given} is not between {lowest} and {highest}");
            }
            Self::InvalidVariable { name } => {
                return write!(f, "{name:?} is not a valid environment variable");
            }
            Self::InvalidPattern { why } | Self::InvalidLayout { why } | Self::PictureFailed { why } => why,
            Self::DeliveryNotRequested { method } => {
                return write!(f, "`{method}` is not supported here");
            }
            Self::ControlInCommand { character } => {
                return write!(
                    f,
                    "contains the control character {character:?}, which cannot be typed at a prompt"
                );
            }
            Self::NotOneLine { maximum } => {
                return write!(f, "must be one line of 1 to {maximum} visible characters");
            }
            Self::ZeroDuration => "must be at least 1",
            Self::EmptyName
            | Self::EmptyKey
            | Self::EmptyCommand
            | Self::EmptyDirectory
            | Self::NoCommands
            | Self::NoPanes => "must not be empty",
            Self::EmptyProgramName => "the program name is empty",
            Self::EmptyVariableName => "the variable name is empty",
            Self::NulCharacter => "contains a NUL character",
            Self::PatternTooComplex => "pattern too complex",
            Self::PatternTooSlow => "pattern too complex: matching it takes too long",
            Self::PatternRequired => "required when waiting for a match",
            Self::PatternWithoutMatch => "only valid when waiting for a match",
            Self::StatesWithoutAgentState => "only valid when waiting for agent_state",
            Self::PaneAndPanes => "specify either one pane or several, not both",
            Self::MessagesOfSeveralPanes => "specify at most one pane when waiting for messages",
            Self::LeaseEventAndName => "the lease event and a lease name must be used together",
            Self::CursorPerPane => "specify one cursor for each pane, in the same order",
            Self::CommandAndArgv => "specify either a command line or argv, not both",
            Self::DirectionAndSize => "specify either a direction or a size, not both",
            Self::DirectionOrSizeRequired => "give a direction, or a size in `cols` or `rows`",
            Self::BeforeAndSince => "cannot be combined with since",
            Self::DirectoryOfRunningShell => "cannot be set for a shell that is already running",
            Self::SessionOfNamedPane => "cannot be combined with a pane",
            Self::NothingToSend => "nothing to send",
            Self::NothingToWaitFor => "cannot be combined with a limit of 0",
            Self::NoInboxForReply => "callers outside any session have no inbox for replies",
            Self::LeaseNeedsDuration => {
                "required outside any pane, because a lease claimed there ends only when it expires"
            }
            Self::ColonInName => "a session name cannot contain `:`",
            Self::SignInName => "a name cannot begin with `%`, `@`, `$` or `=`, which begin ids in targets",
            Self::InvisibleInName { character } => {
                return write!(f, "a name cannot contain the invisible character {character:?}");
            }
            Self::NoPaneOnThatSide => "there is no pane on that side",
            Self::BesideItself => "a pane cannot be placed next to itself",
            Self::OnlyPaneInWindow => "already the only pane in its window",
            Self::Popup => "is a popup, not one of the session's windows",
            Self::ClientRequired => "specify a client number or a session",
            Self::TargetRequired => "required unless reply_to is given",
            Self::NotTheAsker => "a reply goes to the sender of the message in reply_to",
            Self::PushUnavailable => "this agent has no messaging socket to push to",
            Self::OnlyForNewSession => "only valid for a new session",
            Self::SplitNeedsPane => "specify the pane to split",
            Self::PromptRequired => "only valid with a prompt",
            Self::PictureTooLarge => "the screen is too large for a picture",
        };
        f.write_str(text)
    }
}

impl ArgumentProblem {
    /// The next steps for the caller that gave the argument `what`.
    pub(super) fn hints(&self, what: &'static str) -> Vec<Hint> {
        let one = |hint| vec![hint];
        let step = |text: &'static str| vec![Hint::text(text)];
        match self {
            Self::AboveMaximum { quantity, .. } => quantity.hints(what),
            Self::ZeroDuration => one(Hint::omit(what, "to use the default")),
            Self::NotAPercentage { .. } => step("50 splits the pane in half"),
            Self::NotAWindowIndex { .. } => one(Hint::omit(what, "to use the first free index")),
            Self::EmptyName => one(Hint::omit(what, "to use the default")),
            Self::ColonInName => step("use another character, such as `-`"),
            Self::SignInName => step("begin it with a letter or a digit"),
            Self::InvisibleInName { .. } => step("remove that character, or type the name by hand"),
            Self::EmptyKey => step("use a word such as `task`"),
            Self::EmptyCommand | Self::NoCommands => {
                step("specify a shell command line, for example `make test 2>&1 | tail`")
            }
            Self::EmptyProgramName => step("put the program first in argv"),
            Self::EmptyDirectory => {
                vec![Hint::text("specify an existing directory"), Hint::omit(what, "to use the default")]
            }
            Self::EmptyVariableName | Self::InvalidVariable { .. } => {
                step("names must not be empty or contain `=`; names and values must not contain NUL")
            }
            Self::NoPanes => {
                vec![Hint::text("specify the panes"), Hint::omit(what, "to wait for a single pane")]
            }
            Self::NotOneLine { .. } => step("longer answers are typed into the agent's pane"),
            Self::ControlInCommand { .. } => vec![
                Hint::text("write it as an escape, for example `\\033` in the format of `printf`"),
                Hint::omit("pane", "to run in a new pane, where nothing is typed"),
            ],
            Self::NulCharacter => step("arguments cannot contain NUL; write the data to a file"),
            Self::InvalidPattern { .. } => {
                step("the pattern is a regular expression; escape literal ( [ { . * + ? | ^ $ with \\")
            }
            Self::PatternTooComplex | Self::PatternTooSlow => {
                step("use fewer and smaller counted repetitions, and [a-z] or [0-9] in place of \\w or \\d")
            }
            Self::InvalidLayout { .. } | Self::NoPaneOnThatSide => Vec::new(),
            _ => self.hints_for_combination(what),
        }
    }

    /// The next steps where arguments do not fit each other or the situation.
    fn hints_for_combination(&self, what: &'static str) -> Vec<Hint> {
        let one = |hint| vec![hint];
        let step = |text: &'static str| vec![Hint::text(text)];
        match self {
            Self::PatternRequired => {
                step("specify a regular expression, or wait for exit, idle or command_done instead")
            }
            Self::PatternWithoutMatch | Self::StatesWithoutAgentState => {
                one(Hint::omit_one_of(what, "until"))
            }
            Self::PaneAndPanes => one(Hint::omit_one_of("pane", "panes")),
            Self::MessagesOfSeveralPanes => one(Hint::omit("panes", "to wait for one session's messages")),
            Self::LeaseEventAndName => one(Hint::text("specify both events and lease")),
            Self::CursorPerPane => one(Hint::text("use `since` for one pane and `cursors` for several")),
            Self::CommandAndArgv => one(Hint::omit("command", "to run argv")),
            Self::DirectionAndSize => one(Hint::omit("direction", "to set a size")),
            Self::DirectionOrSizeRequired => vec![
                Hint::give("direction", "right", "to move the right border"),
                Hint::give("cols", 80, "to set the width"),
            ],
            Self::BeforeAndSince => one(Hint::omit_one_of("before", "since")),
            Self::DirectoryOfRunningShell => {
                vec![Hint::text("use `cd` in the command"), Hint::omit("pane", "to run in a new pane")]
            }
            Self::SessionOfNamedPane => one(Hint::omit_one_of("session", "pane")),
            Self::NothingToSend => step("specify text, keys, or both"),
            Self::NothingToWaitFor => one(Hint::omit_one_of("wait_ms", "limit")),
            Self::NoInboxForReply => vec![
                Hint::omit("wait_ms", "to send without waiting"),
                Hint::use_verb::<MessageStatus>("shows the message's delivery status"),
            ],
            Self::LeaseNeedsDuration => {
                one(Hint::give("ttl_ms", 300_000, "to claim the lease for five minutes"))
            }
            Self::BesideItself => one(Hint::use_verb::<ListPanes>("lists panes")),
            Self::OnlyPaneInWindow => vec![
                Hint::text("specify a pane whose window has other panes"),
                Hint::use_verb::<ListPanes>("lists panes"),
            ],
            Self::ClientRequired => one(Hint::use_verb::<ListClients>("lists clients")),
            Self::TargetRequired => step("specify a tag, session or worktree, or use parent or broadcast"),
            Self::NotTheAsker => step("omit the target to reply to the sender"),
            Self::DeliveryNotRequested { .. } => step("use the `hook` or `push` method"),
            Self::PushUnavailable => step("use the `count`, `hook` or `type` method"),
            Self::OnlyForNewSession => one(Hint::omit_one_of(what, "pane")),
            Self::SplitNeedsPane => one(Hint::omit(what, "to start the agent in a new session")),
            Self::PromptRequired => one(Hint::omit(what, "to return as soon as the agent is ready")),
            Self::PictureTooLarge => step("use text"),
            Self::PictureFailed { .. } => step("use svg or text"),
            _ => Vec::new(),
        }
    }
}

impl Quantity {
    fn hints(self, what: &'static str) -> Vec<Hint> {
        match self {
            Self::Wait => vec![Hint::text("call again to wait longer")],
            Self::Lines => vec![Hint::text("read fewer lines at a time and page backward")],
            Self::Lifetime => {
                vec![
                    Hint::omit(what, "to use the default"),
                    Hint::text("use a shorter duration; you can renew the lease"),
                ]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_above_its_maximum_has_a_next_step() {
        for quantity in [Quantity::Wait, Quantity::Lines, Quantity::Lifetime] {
            let problem = ArgumentProblem::AboveMaximum { given: 9, maximum: 8, quantity };
            assert_eq!(problem.to_string(), "9 exceeds the maximum of 8");
            assert!(!problem.hints("ttl_ms").is_empty(), "{quantity:?}");
        }
    }
}
