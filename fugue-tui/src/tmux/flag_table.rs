//! The flags of the tmux commands that `fugue tmux` runs, as for getopt: a colon follows those that have a value; and how
//! many words may come after them.

use std::ops::RangeInclusive;

/// As many words as one likes.
const MANY: usize = usize::MAX;

/// Names, flags, and the number of words after the flags.
const FLAGS: &[(&[&str], &str, RangeInclusive<usize>)] = &[
    (&["attach-session", "attach"], "c:dEf:rt:x", 0..=0),
    (&["bind-key", "bind"], "nrN:T:", 1..=MANY),
    (&["break-pane", "breakp"], "abdPF:n:s:t:", 0..=0),
    (&["capture-pane", "capturep"], "ab:CeE:JNpPqS:Tt:", 0..=0),
    (&["clear-history", "clearhist"], "Ht:", 0..=0),
    (&["delete-buffer", "deleteb"], "b:", 0..=0),
    (&["detach-client", "detach"], "aE:Ps:t:", 0..=0),
    (&["display-message", "display"], "aCc:d:F:IlNpt:v", 0..=1),
    (&["display-popup", "popup"], "BCb:c:d:e:Eh:ks:S:t:T:w:x:y:", 0..=MANY),
    (&["has-session", "has"], "t:", 0..=0),
    (&["if-shell", "if"], "bFt:", 2..=3),
    (&["join-pane", "joinp", "move-pane", "movep"], "bdfhl:p:s:t:v", 0..=0),
    (&["kill-pane", "killp"], "at:", 0..=0),
    (&["kill-server"], "", 0..=0),
    (&["kill-session"], "aCt:", 0..=0),
    (&["kill-window", "killw"], "at:", 0..=0),
    (&["last-pane", "lastp"], "det:Z", 0..=0),
    (&["last-window", "last"], "t:", 0..=0),
    (&["list-buffers", "lsb"], "F:f:", 0..=0),
    (&["list-clients", "lsc"], "F:f:t:", 0..=0),
    (&["list-commands", "lscm"], "F:", 0..=1),
    (&["list-keys", "lsk"], "1aNP:T:", 0..=1),
    (&["list-panes", "lsp"], "aF:f:st:", 0..=0),
    (&["list-sessions", "ls"], "F:f:", 0..=0),
    (&["list-windows", "lsw"], "aF:f:t:", 0..=0),
    (&["load-buffer", "loadb"], "b:t:w", 1..=1),
    (&["move-window", "movew"], "abdkrs:t:", 0..=0),
    (&["new-session", "new"], "Ac:dDe:EF:f:n:Ps:t:x:Xy:", 0..=MANY),
    (&["new-window", "neww"], "abc:de:F:kn:PSt:", 0..=MANY),
    (&["next-layout", "nextl"], "t:", 0..=0),
    (&["next-window", "next"], "at:", 0..=0),
    (&["paste-buffer", "pasteb"], "b:dprs:t:", 0..=0),
    (&["pipe-pane", "pipep"], "IOot:", 0..=1),
    (&["previous-layout", "prevl"], "t:", 0..=0),
    (&["previous-window", "prev"], "at:", 0..=0),
    (&["rename-session", "rename"], "t:", 1..=1),
    (&["rename-window", "renamew"], "t:", 1..=1),
    (&["resize-pane", "resizep"], "DLMRTt:Ux:y:Z", 0..=1),
    (&["resize-window", "resizew"], "aADLRt:Ux:y:", 0..=1),
    (&["respawn-pane", "respawnp"], "c:e:kt:", 0..=MANY),
    (&["respawn-window", "respawnw"], "c:e:kt:", 0..=MANY),
    (&["rotate-window", "rotatew"], "DUt:Z", 0..=0),
    (&["run-shell", "run"], "bc:Cd:t:", 0..=2),
    (&["save-buffer", "saveb"], "ab:", 1..=1),
    (&["select-layout", "selectl"], "Enopt:", 0..=1),
    (&["select-pane", "selectp"], "DdegLlMmP:RT:t:UZ", 0..=0),
    (&["select-window", "selectw"], "lnpTt:", 0..=0),
    (&["send-keys", "send"], "c:FHKlMN:Rt:X", 0..=MANY),
    (&["set-buffer", "setb"], "ab:n:t:w", 0..=1),
    (&["set-environment", "setenv"], "Fghrt:u", 1..=2),
    (&["set-option", "set"], "aFgopqst:uUw", 1..=2),
    (&["set-window-option", "setw"], "aFgoqt:u", 1..=2),
    (&["show-buffer", "showb"], "b:", 0..=0),
    (&["show-environment", "showenv"], "ghst:", 0..=1),
    (&["show-options", "show"], "AgHpqst:vw", 0..=1),
    (&["show-window-options", "showw"], "gvt:", 0..=1),
    (&["source-file", "source"], "Fnqt:v", 1..=MANY),
    (&["split-window", "splitw"], "bc:de:fF:hIl:p:Pt:vZ", 0..=MANY),
    (&["start-server", "start"], "", 0..=0),
    (&["swap-pane", "swapp"], "dDs:t:UZ", 0..=0),
    (&["swap-window", "swapw"], "ds:t:", 0..=0),
    (&["switch-client", "switchc"], "c:EFlnO:prt:T:Z", 0..=0),
    (&["unbind-key", "unbind"], "anqT:", 0..=1),
    (&["wait-for", "wait"], "LSU", 1..=1),
];

/// The flags of a command that `fugue tmux` runs.
pub(crate) fn of(name: &str) -> Option<&'static str> {
    FLAGS.iter().find(|(names, ..)| names.contains(&name)).map(|(_, flags, _)| *flags)
}

/// How many words may come after its flags.
fn operands_of(name: &str) -> Option<RangeInclusive<usize>> {
    FLAGS.iter().find(|(names, ..)| names.contains(&name)).map(|(.., operands)| operands.clone())
}

/// Refuses too many or too few words after the flags, as tmux does: `kill-session NAME` must not kill the current one. A
/// command that `fugue tmux` does not run may have as many as `otherwise` says.
pub(crate) fn check_operands(command: &str, count: usize, otherwise: usize) -> Result<(), String> {
    let wanted = operands_of(command).unwrap_or(0..=otherwise);
    if count > *wanted.end() {
        return Err(format!("command {command}: too many arguments (need at most {})", wanted.end()));
    }
    if count < *wanted.start() {
        return Err(format!("command {command}: too few arguments (need at least {})", wanted.start()));
    }
    Ok(())
}
