//! What an argument is, for whoever gave another. The words are those of tools and of the command line alike.

/// What the reader can do next.
pub(super) fn hint(what: &str, why: &str) -> Option<&'static str> {
    if why.contains("more than the most") {
        return too_much(what);
    }
    Some(match what {
        "pattern" if why.contains("needs one") => {
            "give a regular expression as pattern, or another until: exit, idle or command_done"
        }
        "pattern" if why.contains("match") => "leave the pattern out, or leave until out to wait for a match",
        "pattern" | "grep" => {
            "it is a regular expression: put \\ before a sign such as ( [ { . * + ? | ^ $ that is meant as itself"
        }
        "states" => "leave the states out, or leave until out to wait for one of them",
        "panes" if why.contains("in the list") => {
            "name the panes, or leave the list out to wait for one pane"
        }
        "panes" if why.contains("either") => "leave out the one or the other",
        "command" if why.contains("either") => "leave out the one or the other",
        "command" | "commands" if why.ends_with("empty") || why.ends_with("none") => {
            "a command is a line for the shell, as in `make test 2>&1 | tail`"
        }
        "command" | "argv" if why.contains("NUL") => {
            "no program can be given one; write it to a file instead"
        }
        "argv" => "its first word is the program",
        "cwd" if why.contains("own") => "change the directory in the command, or leave the pane out",
        "session" if why.contains("own") => "leave the session out, or leave the pane out",
        "cwd" => "name a directory that exists, or leave it out",
        "env" => "a variable has a name without = and a value, neither with a NUL",
        "key" => "a key is a word, as in `task`",
        "input" => "give a text, keys, or both",
        "ttl_ms" if why.contains("must be given") => "300000 is five minutes",
        "ttl_ms" => "leave it out for the usual time, or give 1 or more",
        "wait_ms" if why.contains("limit") => "leave one of them out",
        "wait_ms" => "leave it out, and ask what became of the message with `fugue message-status`",
        "lines" => "leave it out for the usual page, or give 1 or more",
        "before" => "since reads on from a line, before reads back from one: leave out the one or the other",
        "pane_id" | "session" | "window" if why.ends_with("empty") => "name it, or leave it out",
        "direction" if why.contains("side or a size") => "leave out the one or the other",
        "direction" if why.contains("cols or rows") => "as in direction right by 5, or cols 80",
        "pane" => "name a pane of a window with several; `fugue list-panes` shows what there is",
        "percent" => "50 is half",
        "client" => "`fugue list-clients` shows what there is",
        "target" if why.contains("missing") => "it is a tag, a session, a worktree, the parent or broadcast",
        "format" => "ask for svg or text",
        // What a key cannot do is said in the last row, where there is room for a sentence: a side without a pane, a border.
        _ => return None,
    })
}

fn too_much(what: &str) -> Option<&'static str> {
    Some(match what {
        "timeout_ms" | "wait_ms" => "call again to wait longer",
        "lines" | "context" => "ask for fewer, and page back with before",
        "ttl_ms" => "leave it out for the usual time, or give less and renew it",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_goes_too_far_is_told_how_to_go_on() {
        for what in ["timeout_ms", "wait_ms", "lines", "context", "ttl_ms"] {
            assert!(hint(what, "9 is more than the most, 8").is_some(), "{what}");
        }
    }
}
