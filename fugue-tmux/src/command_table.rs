//! tmux's commands as rows: names, flags as for getopt, and how many words may come after the flags.

use std::ops::RangeInclusive;

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
    /// Whether only an attached client can run it.
    pub is_of_client: bool,
}

impl CommandRow {
    /// Its full name.
    pub fn name(&self) -> &'static str {
        self.names[0]
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
) -> CommandRow {
    CommandRow { names, flags, operands, starts_daemon: false, is_of_client: false }
}

const fn starting(
    names: &'static [&'static str],
    flags: &'static str,
    operands: RangeInclusive<usize>,
) -> CommandRow {
    CommandRow { names, flags, operands, starts_daemon: true, is_of_client: false }
}

const fn of_client(
    names: &'static [&'static str],
    flags: &'static str,
    operands: RangeInclusive<usize>,
) -> CommandRow {
    CommandRow { names, flags, operands, starts_daemon: false, is_of_client: true }
}

/// The commands.
pub const COMMANDS: &[CommandRow] = &[
    starting(&["attach-session", "attach"], "c:dEf:rt:x", 0..=0),
    row(&["bind-key", "bind"], "nrN:T:", 1..=MANY),
    row(&["break-pane", "breakp"], "abdPF:n:s:t:", 0..=0),
    row(&["capture-pane", "capturep"], "ab:CeE:JNpPqS:Tt:", 0..=0),
    of_client(&["choose-buffer"], "F:f:K:NO:rt:yZ", 0..=1),
    of_client(&["choose-client"], "F:f:K:NO:rt:yZ", 0..=1),
    of_client(&["choose-session"], "F:f:GK:NO:rst:wyZ", 0..=1),
    of_client(&["choose-tree"], "F:f:GK:NO:rst:wyZ", 0..=1),
    of_client(&["choose-window"], "F:f:GK:NO:rst:wyZ", 0..=1),
    row(&["clear-history", "clearhist"], "Ht:", 0..=0),
    of_client(&["clear-prompt-history", "clearphist"], "T:", 0..=0),
    of_client(&["clock-mode"], "t:", 0..=0),
    of_client(&["command-prompt"], "1bFkiI:Np:t:T:", 0..=MANY),
    of_client(&["confirm-before", "confirm"], "bc:p:t:y", 1..=1),
    of_client(&["copy-mode"], "deHMqs:St:u", 0..=0),
    of_client(&["customize-mode"], "F:f:Nt:yZ", 0..=0),
    row(&["delete-buffer", "deleteb"], "b:", 0..=0),
    row(&["detach-client", "detach"], "aE:Ps:t:", 0..=0),
    of_client(&["display-menu", "menu"], "b:c:C:H:s:S:MOt:T:x:y:", 1..=MANY),
    row(&["display-message", "display"], "aCc:d:F:IlNpt:v", 0..=1),
    of_client(&["display-panes", "displayp"], "bd:Nt:", 0..=1),
    row(&["display-popup", "popup"], "BCb:c:d:e:Eh:ks:S:t:T:w:x:y:", 0..=MANY),
    of_client(&["find-window", "findw"], "CiNrt:TZ", 1..=1),
    row(&["has-session", "has"], "t:", 0..=0),
    row(&["if-shell", "if"], "bFt:", 2..=3),
    row(&["join-pane", "joinp"], "bdfhl:p:s:t:v", 0..=0),
    row(&["kill-pane", "killp"], "at:", 0..=0),
    row(&["kill-server"], "", 0..=0),
    row(&["kill-session"], "aCt:", 0..=0),
    row(&["kill-window", "killw"], "at:", 0..=0),
    row(&["last-pane", "lastp"], "det:Z", 0..=0),
    row(&["last-window", "last"], "t:", 0..=0),
    of_client(&["link-window", "linkw"], "abdks:t:", 0..=0),
    row(&["list-buffers", "lsb"], "F:f:", 0..=0),
    row(&["list-clients", "lsc"], "F:f:t:", 0..=0),
    row(&["list-commands", "lscm"], "F:", 0..=1),
    row(&["list-keys", "lsk"], "1aNP:T:", 0..=1),
    row(&["list-panes", "lsp"], "aF:f:st:", 0..=0),
    row(&["list-sessions", "ls"], "F:f:", 0..=0),
    row(&["list-windows", "lsw"], "aF:f:t:", 0..=0),
    row(&["load-buffer", "loadb"], "b:t:w", 1..=1),
    of_client(&["lock-client", "lockc"], "t:", 0..=0),
    of_client(&["lock-server", "lock"], "", 0..=0),
    of_client(&["lock-session", "locks"], "t:", 0..=0),
    row(&["move-pane", "movep"], "bdfhl:p:s:t:v", 0..=0),
    row(&["move-window", "movew"], "abdkrs:t:", 0..=0),
    starting(&["new-session", "new"], "Ac:dDe:EF:f:n:Ps:t:x:Xy:", 0..=MANY),
    row(&["new-window", "neww"], "abc:de:F:kn:PSt:", 0..=MANY),
    row(&["next-layout", "nextl"], "t:", 0..=0),
    row(&["next-window", "next"], "at:", 0..=0),
    row(&["paste-buffer", "pasteb"], "b:dprs:t:", 0..=0),
    row(&["pipe-pane", "pipep"], "IOot:", 0..=1),
    row(&["previous-layout", "prevl"], "t:", 0..=0),
    row(&["previous-window", "prev"], "at:", 0..=0),
    of_client(&["refresh-client", "refresh"], "A:B:cC:Df:r:F:lLRSt:U", 0..=1),
    row(&["rename-session", "rename"], "t:", 1..=1),
    row(&["rename-window", "renamew"], "t:", 1..=1),
    row(&["resize-pane", "resizep"], "DLMRTt:Ux:y:Z", 0..=1),
    row(&["resize-window", "resizew"], "aADLRt:Ux:y:", 0..=1),
    row(&["respawn-pane", "respawnp"], "c:e:kt:", 0..=MANY),
    row(&["respawn-window", "respawnw"], "c:e:kt:", 0..=MANY),
    row(&["rotate-window", "rotatew"], "DUt:Z", 0..=0),
    row(&["run-shell", "run"], "bc:Cd:t:", 0..=2),
    row(&["save-buffer", "saveb"], "ab:", 1..=1),
    row(&["select-layout", "selectl"], "Enopt:", 0..=1),
    row(&["select-pane", "selectp"], "DdegLlMmP:RT:t:UZ", 0..=0),
    row(&["select-window", "selectw"], "lnpTt:", 0..=0),
    row(&["send-keys", "send"], "c:FHKlMN:Rt:X", 0..=MANY),
    of_client(&["send-prefix"], "2t:", 0..=0),
    of_client(&["server-access"], "adlrw", 0..=1),
    row(&["set-buffer", "setb"], "ab:n:t:w", 0..=1),
    row(&["set-environment", "setenv"], "Fghrt:u", 1..=2),
    row(&["set-hook"], "agpRt:uw", 1..=2),
    row(&["set-option", "set"], "aFgopqst:uUw", 1..=2),
    row(&["set-window-option", "setw"], "aFgoqt:u", 1..=2),
    row(&["show-buffer", "showb"], "b:", 0..=0),
    row(&["show-environment", "showenv"], "ghst:", 0..=1),
    row(&["show-hooks"], "gpt:w", 0..=1),
    of_client(&["show-messages", "showmsgs"], "JTt:", 0..=0),
    row(&["show-options", "show"], "AgHpqst:vw", 0..=1),
    of_client(&["show-prompt-history", "showphist"], "T:", 0..=0),
    row(&["show-window-options", "showw"], "gvt:", 0..=1),
    row(&["source-file", "source"], "Fnqt:v", 1..=MANY),
    row(&["split-window", "splitw"], "bc:de:fF:hIl:p:Pt:vZ", 0..=MANY),
    starting(&["start-server", "start"], "", 0..=0),
    of_client(&["suspend-client", "suspendc"], "t:", 0..=0),
    row(&["swap-pane", "swapp"], "dDs:t:UZ", 0..=0),
    row(&["swap-window", "swapw"], "ds:t:", 0..=0),
    row(&["switch-client", "switchc"], "c:EFlnO:prt:T:Z", 0..=0),
    row(&["unbind-key", "unbind"], "anqT:", 0..=1),
    of_client(&["unlink-window", "unlinkw"], "kt:", 0..=0),
    row(&["wait-for", "wait"], "LSU", 1..=1),
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
    fn an_unambiguous_beginning_means_a_command() {
        assert_eq!(full_name("splitw"), Some("split-window"));
        assert_eq!(full_name("split"), Some("split-window"));
        assert_eq!(find("frob").map(CommandRow::name), Err("unknown command: frob".into()));
        let why = find("swap").map(CommandRow::name);
        assert_eq!(why, Err("ambiguous command: swap, could be: swap-pane, swap-window".into()));
    }
}
