//! The differences that are meant. `docs/tmux.md` gives their reasons.

/// Whether a script is not compared from this line on, by what tmux has after it: fugue's panes have two columns or more, it
/// merges splits along the same axis, where tmux may keep one in the other, and it makes room along the window's edge where
/// tmux refuses to. After a window or a pane was moved without the focus, it is not the last one in tmux, which shows later.
/// tmux 3.3a deletes and renames the newest buffer where none has the name, and refuses a new name that another buffer has.
pub(crate) fn ends(lines: &[String], ours: &str, theirs: &str) -> bool {
    let Some((line, before)) = lines.split_last() else { return false };
    let is_refused = line.starts_with("split-window -f") && !theirs.starts_with("done");
    let is_different = |word: &str| word.starts_with("1x") || is_nested(word);
    // tmux looks for a pane or a window of this name.
    let is_exact = line.contains(" -t '=") && !line.contains(':') && !theirs.starts_with("done");
    // The last session is closed, and with it tmux's server.
    let is_over = theirs.trim() == "done";
    let is_of_buffer =
        line.starts_with("delete-buffer -b") || line.starts_with("set-buffer -b") && line.contains(" -n ");
    let is_of_no_buffer = is_of_buffer && !is_done(ours) && is_done(theirs);
    let takes_name = line.starts_with("set-buffer") && line.contains(" -n ");
    let is_taken = takes_name && is_done(ours) && !is_done(theirs);
    is_refused
        || is_of_no_buffer
        || is_taken
        || is_exact
        || is_over
        || before.iter().any(|line| stays(line))
        || theirs.split_whitespace().any(is_different)
}

/// Whether a line succeeded.
fn is_done(state: &str) -> bool {
    state.lines().any(|line| line == "done")
}

/// Whether a line moves a window or a pane and not the focus.
fn stays(line: &str) -> bool {
    let moves = ["move-window", "break-pane", "join-pane", "move-pane"];
    let is_detached = |word: &str| word.starts_with('-') && word.contains('d') && word.len() < 4;
    moves.iter().any(|name| line.starts_with(name)) && line.split(' ').any(is_detached)
}

/// Whether a layout has a split directly in another one along the same axis.
fn is_nested(layout: &str) -> bool {
    let mut outer = Vec::new();
    layout.chars().any(|sign| match sign {
        '{' | '[' => {
            let nested = outer.last() == Some(&sign);
            outer.push(sign);
            nested
        }
        '}' | ']' => {
            outer.pop();
            false
        }
        _ => false,
    })
}

/// What is compared after a line. A window or a pane that was moved without the focus is still the last one in fugue.
pub(crate) fn compared(state: &str, lines: &[String]) -> String {
    let is_ignored = lines.iter().any(|line| stays(line));
    let rows = state.lines().map(|row| {
        let words = row.split(' ').filter(|word| !word.starts_with("layout="));
        let words = words.map(|word| if is_ignored { word.trim_end_matches('-') } else { word });
        words.collect::<Vec<_>>().join(" ")
    });
    rows.collect::<Vec<_>>().join("\n")
}
