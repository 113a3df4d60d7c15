//! What is known of an agent beyond its row in `agents.toml`. Each agent's module has one such value; everybody else asks
//! it, and compares no names.

use std::path::{Path, PathBuf};

use fugue_protocol::dialogs::Dialog;

use crate::dialog::SelectionKeys;
use crate::hooks::HookKind;
use crate::inbox::AgentInbox;
use crate::named_conversation::ConversationIdSyntax;
use crate::prompt_parts::WholePaste;
use crate::record::ConversationRecord;
use crate::resume_arguments::ResumeArguments;
use crate::setup::AgentSetup;
use crate::shared_server::ServerMode;
use crate::shown_screen::ShownScreen;

/// An agent whose screens, command line and files are known.
#[derive(Debug)]
pub struct KnownAgent {
    /// Its name, which is also its command.
    pub name: &'static str,
    /// Reads its input field; none if that is not on the screen.
    pub(crate) composer: fn(&ShownScreen) -> Option<String>,
    /// The longest paste that it takes for the user's own words; none if it does not tell pasted text from typed text.
    pub(crate) whole_paste: Option<WholePaste>,
    /// Reads the dialog at the end of its screen.
    pub(crate) dialog: fn(&ShownScreen) -> Option<Dialog>,
    /// The keys that move the selection in a dialog.
    pub(crate) selection_keys: fn(&Dialog) -> SelectionKeys,
    /// The placeholder of an empty field for an answer of one's own in a dialog.
    pub(crate) empty_field: Option<&'static str>,
    /// The reason that it reports for most dialogs, which says less than its screen.
    pub(crate) vague_reason: Option<&'static str>,
    /// The keys that interrupt it at work.
    pub(crate) interrupt: &'static [&'static str],
    /// Whether its title shows both that it works and that it is at rest.
    pub titles_show_turns: bool,
    /// How its command line names a conversation.
    pub(crate) naming: ConversationIdSyntax,
    /// The arguments that are repeated when a conversation is resumed.
    pub(crate) arguments: ResumeArguments,
    /// How it becomes a server; none if it never is one.
    pub(crate) server: Option<ServerMode>,
    /// Its own directory, in which it keeps its records.
    pub data_directory: fn(&Environment<'_>) -> PathBuf,
    /// What else below the home directory it writes: settings, logins, caches.
    pub other_places: &'static [&'static str],
    /// Its record of its conversations.
    pub record: ConversationRecord,
    /// The name that it gives as an MCP client.
    pub(crate) mcp_client: &'static str,
    /// Its own inbox, through which fugue's MCP server or plugin can wake it, if it has one.
    pub inbox: Option<AgentInbox>,
    /// How it runs `fugue hook`.
    pub hooks: HookKind,
    /// How it is set up.
    pub setup: AgentSetup,
    /// How it shows its teammates in tmux, if it has any.
    pub team_mode: Option<TeamMode>,
}

/// How an agent that leads a team is made to show its teammates in panes of tmux.
#[derive(Debug)]
pub struct TeamMode {
    /// The variable that allows teams, and its value.
    pub variable: (&'static str, &'static str),
    /// The flag that says where teammates are shown.
    pub flag: &'static str,
    /// Its value for panes of tmux.
    pub value: &'static str,
    /// The variables of its own that teammates share.
    pub shares: &'static [&'static str],
}

impl KnownAgent {
    /// Returns everything that it writes for itself, in an environment.
    pub fn places(&self, environment: &Environment<'_>) -> Vec<PathBuf> {
        let others = self.other_places.iter().map(|place| environment.home.join(place));
        std::iter::once((self.data_directory)(environment)).chain(others).collect()
    }

    /// Whether it runs commands as hooks.
    pub fn has_hooks(&self) -> bool {
        matches!(self.hooks, HookKind::Events(_))
    }
}

/// The home directory and environment variables that determine where an agent keeps its files. The caller passes them in.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    home: &'a Path,
    variable: &'a dyn Fn(&str) -> Option<PathBuf>,
}

impl<'a> Environment<'a> {
    /// An environment with this home directory, in which variables have these values.
    pub fn new(home: &'a Path, variable: &'a dyn Fn(&str) -> Option<PathBuf>) -> Self {
        Self { home, variable }
    }

    /// Returns the directory that a variable names, or else one below the home directory.
    pub fn directory(&self, variable: &str, default: &str) -> PathBuf {
        (self.variable)(variable).unwrap_or_else(|| self.home.join(default))
    }
}
