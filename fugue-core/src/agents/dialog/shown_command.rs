//! The command that a dialog asks about. A rule of the user may allow it, so it is read only if the screen leaves no
//! doubt about it: the command's own text is on the screen, too, and may imitate any part of a dialog. What it cannot
//! imitate is where the agent draws: each line of a command is indented or framed.

use fugue_screen::ScreenView;

use super::dialog_row::DialogRow;

/// The first words of a request of Codex to run a command.
const CODEX_ASKS: &str = "Would you like to run the following command?";

/// Returns the command, if the dialog whose choices begin in this row shows all of it.
pub(super) fn find(agent: &str, view: &ScreenView, choices: usize) -> Option<String> {
    let rows: Vec<String> = view.rows[..choices].iter().map(|row| row.text().trim_end().to_owned()).collect();
    let faint: Vec<bool> = view.rows[..choices].iter().map(|row| DialogRow::of(row).is_faint).collect();
    let command = match agent {
        "claude" => claude(&rows, &faint, usize::from(view.size.cols)),
        "codex" => codex(&rows),
        "gemini" => gemini(&rows),
        "opencode" => opencode(&rows),
        _ => None,
    };
    command.filter(|command| !command.is_empty() && !command.contains('…'))
}

/// Whether a row is a line over the whole width.
fn is_line(row: &str, part: char, cols: usize) -> bool {
    row.chars().count() == cols && row.chars().all(|c| c == part)
}

fn last_text(rows: &[String]) -> Option<usize> {
    rows.iter().rposition(|row| !row.is_empty())
}

/// The last row whose text is not indented.
fn last_unindented(rows: &[String]) -> Option<usize> {
    rows.iter().rposition(|row| row.starts_with(|c: char| !c.is_whitespace()))
}

/// A line, the heading, what the agent says about the command, the command between two dashed lines, the question. Older
/// versions have no dashed lines, but the line above the dialog names the command, and below the command is only what the
/// agent says about it, drawn as a hint: any other row there is another line of the command.
fn claude(rows: &[String], faint: &[bool], cols: usize) -> Option<String> {
    let edge = rows.iter().rposition(|row| is_line(row, '─', cols))?;
    let question = last_text(rows).filter(|at| rows[*at].trim() == "Do you want to proceed?")?;
    if rows.get(edge + 1)?.trim() != "Bash command" {
        return None;
    }
    let inside = &rows[edge + 2..question];
    let dashed: Vec<_> = (0..inside.len()).filter(|at| is_line(&inside[*at], '╌', cols)).collect();
    match dashed.as_slice() {
        [from, to] if to - from == 2 => Some(inside[from + 1].trim().to_owned()),
        [] => {
            let mut texts = (edge + 2..question).filter(|row| !rows[*row].is_empty());
            let command = rows[texts.next().filter(|row| !faint[*row])?].trim();
            if !texts.all(|row| faint[row]) {
                return None;
            }
            let announced = &rows[last_unindented(&rows[..edge])?];
            (*announced == format!("● Bash({command})")).then(|| command.to_owned())
        }
        _ => None,
    }
}

/// The question, some notes, and the command with `$ ` in front of its first line. The line above the dialog names it.
fn codex(rows: &[String]) -> Option<String> {
    let announced = last_unindented(rows)?;
    let inside = &rows[announced + 1..];
    let mut texts = inside.iter().map(|row| row.trim()).filter(|row| !row.is_empty());
    if texts.next()? != CODEX_ASKS {
        return None;
    }
    let commands: Vec<_> = texts.clone().filter_map(|row| row.strip_prefix("$ ")).collect();
    let [command] = commands.as_slice() else { return None };
    let is_last = texts.next_back()?.strip_prefix("$ ") == Some(command);
    (is_last && rows[announced] == format!("• Running {command}")).then(|| (*command).to_owned())
}

/// A frame, the heading, a frame in it with the command, the question.
fn gemini(rows: &[String]) -> Option<String> {
    let asks = rows.iter().rposition(|row| row.starts_with("│ Allow execution of "))?;
    let [top, heading, inner_top, command, inner_bottom] = rows.get(asks.checked_sub(5)?..asks)? else {
        return None;
    };
    let begins = [(top, "╭─"), (heading, "│ ? Shell "), (inner_top, "│ ╭─"), (inner_bottom, "│ ╰─")];
    let is_whole = begins.iter().all(|(row, begin)| row.starts_with(begin));
    let command = command.strip_prefix("│ │ ").filter(|_| is_whole)?;
    Some(command.trim_end_matches(['│', ' ']).to_owned())
}

/// A panel with a bar on its left: the heading, what the agent says about the command, the command.
fn opencode(rows: &[String]) -> Option<String> {
    let inside = |row: &String| row.trim_start().strip_prefix('┃').map(|text| text.trim().to_owned());
    let above = rows.iter().rposition(|row| inside(row).is_none())?;
    let texts: Vec<_> = rows[above + 1..].iter().filter_map(inside).filter(|text| !text.is_empty()).collect();
    match texts.as_slice() {
        [heading, about, command] if heading == "△ Permission required" && about.starts_with("# ") => {
            command.strip_prefix("$ ").map(str::to_owned)
        }
        _ => None,
    }
}
