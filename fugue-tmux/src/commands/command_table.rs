//! tmux's commands as rows: names, flags as for getopt, how many words may come after the flags, and the function.

use std::ops::RangeInclusive;

use super::{
    CommandFn, buffers, channels, clients, environment, hooks, input, keys, listings, panes, pipes, popups,
    sessions, set_options, shell, show_options, windows,
};
use crate::flags::{self, Flags};

/// As many words as one likes.
const MANY: usize = usize::MAX;

/// A command of tmux.
#[derive(Debug)]
pub struct CommandRow {
    /// Its name, its abbreviation, and other commands that mean the same.
    pub names: &'static [&'static str],
    /// The letters of its flags; a colon follows those that have a value.
    pub flags: &'static str,
    /// How many words may come after the flags.
    pub operands: RangeInclusive<usize>,
    /// Whether it starts a daemon.
    pub starts_daemon: bool,
    /// What runs it; none if only an attached client can.
    pub(super) run: Option<CommandFn>,
}

impl CommandRow {
    /// Its full name.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// Its flags as tmux lists them: `[-ad] [-t value]`.
    pub fn usage(&self) -> String {
        let (mut plain, mut with) = (String::new(), String::new());
        let mut letters = self.flags.chars().peekable();
        while let Some(letter) = letters.next() {
            if letters.next_if_eq(&':').is_some() {
                with += &format!(" [-{letter} value]");
            } else {
                plain.push(letter);
            }
        }
        let plain = if plain.is_empty() { String::new() } else { format!("[-{plain}]") };
        (plain + &with).trim_start().to_owned()
    }

    /// Whether only an attached client can run it.
    pub fn is_of_client(&self) -> bool {
        self.run.is_none()
    }

    /// Parses the words after its name. Too many or too few are refused, as tmux does: `kill-session NAME` must not kill the
    /// current one.
    pub fn parse(&self, words: &[String]) -> Result<Flags, String> {
        let parsed = flags::parse(self.name(), self.flags, words)?;
        self.check_operands(parsed.operands.len())?;
        Ok(parsed)
    }

    /// Refuses too many or too few words after the flags.
    pub fn check_operands(&self, count: usize) -> Result<(), String> {
        let (name, least, most) = (self.name(), *self.operands.start(), *self.operands.end());
        if count > most {
            return Err(format!("command {name}: too many arguments (need at most {most})"));
        }
        if count < least {
            return Err(format!("command {name}: too few arguments (need at least {least})"));
        }
        Ok(())
    }
}

const fn row(
    names: &'static [&'static str],
    flags: &'static str,
    operands: RangeInclusive<usize>,
    run: CommandFn,
) -> CommandRow {
    CommandRow { names, flags, operands, starts_daemon: false, run: Some(run) }
}

/// A command that starts a daemon.
const fn starting(
    names: &'static [&'static str],
    flags: &'static str,
    operands: RangeInclusive<usize>,
    run: CommandFn,
) -> CommandRow {
    CommandRow { names, flags, operands, starts_daemon: true, run: Some(run) }
}

/// A command that only an attached client can carry out.
const fn of_client(
    names: &'static [&'static str],
    flags: &'static str,
    operands: RangeInclusive<usize>,
) -> CommandRow {
    CommandRow { names, flags, operands, starts_daemon: false, run: None }
}

/// The function of a row.
macro_rules! run {
    ($function:path) => {
        |cx, given| Box::pin($function(cx, given))
    };
}

/// The commands.
pub const COMMANDS: &[CommandRow] = &[
    starting(&["attach-session", "attach"], "c:dEf:rt:x", 0..=0, run!(clients::attach)),
    row(&["bind-key", "bind"], "nrN:T:", 1..=MANY, run!(keys::bind)),
    row(&["break-pane", "breakp"], "abdPF:n:s:t:", 0..=0, run!(panes::break_out)),
    row(&["capture-pane", "capturep"], "ab:CeE:JNpPqS:Tt:", 0..=0, run!(input::capture)),
    of_client(&["choose-buffer"], "F:f:K:NO:rt:Z", 0..=1),
    of_client(&["choose-client"], "F:f:K:NO:rt:Z", 0..=1),
    of_client(&["choose-session"], "F:f:GK:NO:rst:wZ", 0..=1),
    of_client(&["choose-tree"], "F:f:GK:NO:rst:wZ", 0..=1),
    of_client(&["choose-window"], "F:f:GK:NO:rst:wZ", 0..=1),
    row(&["clear-history", "clearhist"], "Ht:", 0..=0, run!(input::clear_history)),
    of_client(&["clear-prompt-history", "clearphist"], "T:", 0..=0),
    of_client(&["clock-mode"], "t:", 0..=0),
    of_client(&["command-prompt"], "1bFkiI:Np:t:T:", 0..=MANY),
    of_client(&["confirm-before", "confirm"], "bc:p:t:y", 1..=1),
    of_client(&["copy-mode"], "deHMqs:t:u", 0..=0),
    of_client(&["customize-mode"], "F:f:Nt:Z", 0..=0),
    row(&["delete-buffer", "deleteb"], "b:", 0..=0, run!(buffers::delete)),
    row(&["detach-client", "detach"], "aE:Ps:t:", 0..=0, run!(clients::detach)),
    of_client(&["display-menu", "menu"], "b:c:C:H:s:S:MOt:T:x:y:", 1..=MANY),
    row(&["display-message", "display"], "ac:d:F:IlNpt:v", 0..=1, run!(listings::display)),
    of_client(&["display-panes", "displayp"], "bd:Nt:", 0..=1),
    row(&["display-popup", "popup"], "BCb:c:d:e:Eh:s:S:t:T:w:x:y:", 0..=MANY, run!(popups::popup)),
    of_client(&["find-window", "findw"], "CiNrt:TZ", 1..=1),
    row(&["has-session", "has"], "t:", 0..=0, run!(sessions::has)),
    row(&["if-shell", "if"], "bFt:", 2..=3, run!(shell::if_shell)),
    row(&["join-pane", "joinp"], "bdfhl:p:s:t:v", 0..=0, run!(panes::join)),
    row(&["kill-pane", "killp"], "at:", 0..=0, run!(panes::kill)),
    row(&["kill-server"], "", 0..=0, run!(sessions::kill_server)),
    row(&["kill-session"], "aCt:", 0..=0, run!(sessions::kill)),
    row(&["kill-window", "killw"], "at:", 0..=0, run!(windows::kill)),
    row(&["last-pane", "lastp"], "det:Z", 0..=0, run!(panes::last)),
    row(&["last-window", "last"], "t:", 0..=0, run!(windows::last)),
    of_client(&["link-window", "linkw"], "abdks:t:", 0..=0),
    row(&["list-buffers", "lsb"], "F:f:", 0..=0, run!(buffers::list)),
    row(&["list-clients", "lsc"], "F:f:t:", 0..=0, run!(listings::list_clients)),
    row(&["list-commands", "lscm"], "F:", 0..=1, run!(listings::list_commands)),
    row(&["list-keys", "lsk"], "1aNP:T:", 0..=1, run!(keys::list_keys)),
    row(&["list-panes", "lsp"], "aF:f:st:", 0..=0, run!(listings::list_panes)),
    row(&["list-sessions", "ls"], "F:f:", 0..=0, run!(listings::list_sessions)),
    row(&["list-windows", "lsw"], "aF:f:t:", 0..=0, run!(listings::list_windows)),
    row(&["load-buffer", "loadb"], "b:t:w", 1..=1, run!(buffers::load)),
    of_client(&["lock-client", "lockc"], "t:", 0..=0),
    of_client(&["lock-server", "lock"], "", 0..=0),
    of_client(&["lock-session", "locks"], "t:", 0..=0),
    row(&["move-pane", "movep"], "bdfhl:p:s:t:v", 0..=0, run!(panes::join)),
    row(&["move-window", "movew"], "abdkrs:t:", 0..=0, run!(windows::relocate)),
    starting(&["new-session", "new"], "Ac:dDe:EF:f:n:Ps:t:x:Xy:", 0..=MANY, run!(sessions::new)),
    row(&["new-window", "neww"], "abc:de:F:kn:PSt:", 0..=MANY, run!(windows::new)),
    row(&["next-layout", "nextl"], "t:", 0..=0, run!(windows::next_layout)),
    row(&["next-window", "next"], "at:", 0..=0, run!(windows::next)),
    row(&["paste-buffer", "pasteb"], "b:dprs:t:", 0..=0, run!(buffers::paste)),
    row(&["pipe-pane", "pipep"], "IOot:", 0..=1, run!(pipes::pipe)),
    row(&["previous-layout", "prevl"], "t:", 0..=0, run!(windows::previous_layout)),
    row(&["previous-window", "prev"], "at:", 0..=0, run!(windows::previous)),
    of_client(&["refresh-client", "refresh"], "A:B:cC:Df:r:F:lLRSt:U", 0..=1),
    row(&["rename-session", "rename"], "t:", 1..=1, run!(sessions::rename)),
    row(&["rename-window", "renamew"], "t:", 1..=1, run!(windows::rename)),
    row(&["resize-pane", "resizep"], "DLMRTt:Ux:y:Z", 0..=1, run!(panes::resize)),
    row(&["resize-window", "resizew"], "aADLRt:Ux:y:", 0..=1, run!(windows::resize)),
    row(&["respawn-pane", "respawnp"], "c:e:kt:", 0..=MANY, run!(panes::respawn)),
    row(&["respawn-window", "respawnw"], "c:e:kt:", 0..=MANY, run!(panes::respawn)),
    row(&["rotate-window", "rotatew"], "DUt:Z", 0..=0, run!(windows::rotate)),
    row(&["run-shell", "run"], "bc:Cd:t:", 0..=2, run!(shell::run_shell)),
    row(&["save-buffer", "saveb"], "ab:", 1..=1, run!(buffers::save)),
    row(&["select-layout", "selectl"], "Enopt:", 0..=1, run!(windows::layout)),
    row(&["select-pane", "selectp"], "DdegLlMmP:RT:t:UZ", 0..=0, run!(panes::select)),
    row(&["select-window", "selectw"], "lnpTt:", 0..=0, run!(windows::select)),
    row(&["send-keys", "send"], "c:FHKlMN:Rt:X", 0..=MANY, run!(input::send_keys)),
    of_client(&["send-prefix"], "2t:", 0..=0),
    of_client(&["server-access"], "adlrw", 0..=1),
    row(&["set-buffer", "setb"], "ab:n:t:w", 0..=1, run!(buffers::set)),
    row(&["set-environment", "setenv"], "Fghrt:u", 1..=2, run!(environment::set)),
    row(&["set-hook"], "agpRt:uw", 1..=2, run!(hooks::set)),
    row(&["set-option", "set"], "aFgopqst:uUw", 1..=2, run!(set_options::set)),
    row(&["set-window-option", "setw"], "aFgoqt:u", 1..=2, run!(set_options::set_window)),
    row(&["show-buffer", "showb"], "b:", 0..=0, run!(buffers::show)),
    row(&["show-environment", "showenv"], "ghst:", 0..=1, run!(environment::show)),
    row(&["show-hooks"], "gpt:w", 0..=1, run!(hooks::show)),
    of_client(&["show-messages", "showmsgs"], "JTt:", 0..=0),
    row(&["show-options", "show"], "AgHpqst:vw", 0..=1, run!(show_options::show)),
    of_client(&["show-prompt-history", "showphist"], "T:", 0..=0),
    row(&["show-window-options", "showw"], "gvt:", 0..=1, run!(show_options::show_window)),
    row(&["source-file", "source"], "Fnqt:v", 1..=MANY, run!(shell::source)),
    row(&["split-window", "splitw"], "bc:de:fF:hIl:p:Pt:vZ", 0..=MANY, run!(panes::split)),
    starting(&["start-server", "start"], "", 0..=0, run!(sessions::start_server)),
    of_client(&["suspend-client", "suspendc"], "t:", 0..=0),
    row(&["swap-pane", "swapp"], "dDs:t:UZ", 0..=0, run!(panes::swap)),
    row(&["swap-window", "swapw"], "ds:t:", 0..=0, run!(windows::swap)),
    row(&["switch-client", "switchc"], "c:EFlnprt:T:Z", 0..=0, run!(clients::switch)),
    row(&["unbind-key", "unbind"], "anqT:", 0..=1, run!(keys::unbind)),
    of_client(&["unlink-window", "unlinkw"], "kt:", 0..=0),
    row(&["wait-for", "wait"], "LSU", 1..=1, run!(channels::wait_for)),
];

/// The command of this name or abbreviation.
pub fn named(name: &str) -> Option<&'static CommandRow> {
    COMMANDS.iter().find(|row| row.names.contains(&name))
}

/// The command that a name, an abbreviation or an unambiguous beginning of a name means. The error says why there is none, in
/// tmux's words.
pub fn find(name: &str) -> Result<&'static CommandRow, String> {
    let begun: Vec<_> = COMMANDS.iter().filter(|row| row.name().starts_with(name)).collect();
    match (named(name), begun.as_slice()) {
        (Some(row), _) => Ok(row),
        (None, [row]) => Ok(row),
        (None, []) => Err(format!("unknown command: {name}")),
        (None, begun) => {
            let names: Vec<_> = begun.iter().map(|row| row.name()).collect();
            Err(format!("ambiguous command: {name}, could be: {}", names.join(", ")))
        }
    }
}

/// The full name of the command that a name means.
pub fn full_name(name: &str) -> Option<&'static str> {
    find(name).ok().map(CommandRow::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_each_means_one_command() {
        assert!(COMMANDS.is_sorted_by_key(CommandRow::name));
        for row in COMMANDS {
            for name in row.names {
                assert_eq!(named(name).map(CommandRow::name), Some(row.name()));
            }
        }
    }

    #[test]
    fn the_usage_lists_flags_without_values_first() {
        assert_eq!(named("kill-pane").map(CommandRow::usage).as_deref(), Some("[-a] [-t value]"));
        assert_eq!(named("kill-server").map(CommandRow::usage).as_deref(), Some(""));
    }

    #[test]
    fn an_unambiguous_beginning_means_a_command() {
        assert_eq!(full_name("splitw"), Some("split-window"));
        assert_eq!(full_name("split"), Some("split-window"));
        assert_eq!(find("frob").map(CommandRow::name), Err("unknown command: frob".into()));
        let why = find("swap").map(CommandRow::name);
        assert_eq!(why, Err("ambiguous command: swap, could be: swap-pane, swap-window".into()));
    }
}
