//! A command as a line for a shell: people can read what is run, and whatever the command contains, the shell takes it as
//! one.

use fugue_screen::Modes;

/// Words that begin a compound command, which continues until another word ends it.
const COMPOUND_WORDS: [&str; 12] =
    ["if", "then", "else", "for", "while", "until", "case", "select", "function", "do", "time", "coproc"];

/// Returns the line for a shell that marks its prompts: the command itself if nothing in it can be misread, or else an
/// `eval`, with a space before it that keeps it out of the history of shells that support that.
pub(crate) fn plain(command: &str, shell: &str) -> String {
    let command = command.trim();
    if is_plain(command) { command.to_owned() } else { format!(" eval {}", quoted(command, shell)) }
}

/// The longest part of a command that is typed as one line where the terminal, not the shell, edits lines: of a line, it
/// keeps 4,095 bytes, and each quote in the command is typed as four.
const PIECE: usize = 900;

/// Returns the line for a shell that does not mark its prompts: the line prints the marks itself, with these keys. The
/// first one ends the command before it, of which the end was not marked if it was interrupted or started this shell. It
/// exits with the command's code, since a shell that was only slow to start may mark it once more. A shell that does not
/// edit its lines itself gets a long one in pieces.
pub(super) fn with_marks(
    command: &str,
    shell: &str,
    [before, begin, end]: &[String; 3],
    edits: bool,
) -> String {
    let mark = format!("printf '\\033]133;D;%s;k={end}\\007'");
    // `command` keeps a syntax error from ending the whole line where `eval` is a special builtin.
    let (eval, then) = match shell {
        // No other program is started, which would hold the terminal for a moment after the mark. Old versions of fish cannot
        // return outside a function; there the code is lost, but not the mark.
        "fish" => {
            ("eval", format!("begin; set -l s $status; {mark} $s; eval \"return $s\" 2>/dev/null; end"))
        }
        "zsh" => ("eval", format!("(s=$?; {mark} \"$s\"; exit \"$s\")")),
        _ => ("command eval", format!("(s=$?; {mark} \"$s\"; exit \"$s\")")),
    };
    let command = match edits {
        true => quoted(command.trim(), shell),
        false => pieces(command.trim()).map(|piece| quoted(piece, shell)).collect::<Vec<_>>().join("\\\n"),
    };
    format!(" printf '\\033]133;D;;k={before}\\007\\033]133;C;k={begin}\\007'; {eval} {command}; {then}")
}

/// Returns a text in pieces that are short enough for one line.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (piece, later) = text.split_at(text.floor_char_boundary(PIECE));
        rest = Some(later).filter(|later| !later.is_empty());
        Some(piece)
    })
}

/// Returns the bytes that type a line and press Enter, as every shell takes it, whatever keyboard modes a program that was
/// killed has left. Leading spaces are typed, since some shells strip them from a
/// paste.
pub(crate) fn typed(line: &str, modes: &Modes) -> Vec<u8> {
    let text = line.trim_start_matches(' ');
    let mut bytes = vec![b' '; line.len() - text.len()];
    bytes.extend(fugue_screen::paste(text, modes));
    bytes.push(b'\r');
    bytes
}

/// Whether a command consists of words without any character that is special to a shell, and of single-quoted text.
fn is_plain(command: &str) -> bool {
    let bare = |c: char| c.is_ascii_alphanumeric() || " _./:,@%+-=".contains(c);
    let outside = command.split('\'').step_by(2).all(|part| part.chars().all(bare));
    let inside = command
        .split('\'')
        .skip(1)
        .step_by(2)
        .all(|part| !part.contains(|c: char| c.is_control() || c == '\\'));
    let closed = command.split('\'').count() % 2 == 1;
    let first = command.split(' ').next().unwrap_or_default();
    outside && inside && closed && !COMPOUND_WORDS.contains(&first)
}

fn quoted(command: &str, shell: &str) -> String {
    match shell {
        "fish" => format!("'{}'", command.replace('\\', "\\\\").replace('\'', "\\'")),
        _ => format!("'{}'", command.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unambiguous_command_is_typed_as_it_is() {
        for command in ["make -j4 test", "printf 'no newline'", "false", "grep -rn 'a b' src/x.rs"] {
            assert_eq!(plain(command, "bash"), command);
        }
    }

    #[test]
    fn any_other_command_is_quoted() {
        for (command, line) in [
            ("echo it's", " eval 'echo it'\\''s'"),
            ("git commit -m \"fix!\"", " eval 'git commit -m \"fix!\"'"),
            ("a\nb", " eval 'a\nb'"),
            ("if true", " eval 'if true'"),
            ("ls | wc", " eval 'ls | wc'"),
        ] {
            assert_eq!(plain(command, "bash"), line);
        }
        assert_eq!(plain("echo 'it\\'s", "fish"), " eval 'echo \\'it\\\\\\'s'");
    }

    #[test]
    fn for_a_shell_without_marks_the_line_prints_them() {
        let line = " printf '\\033]133;D;;k=a.1\\007\\033]133;C;k=a.2\\007'; command eval 'ls'; \
                    (s=$?; printf '\\033]133;D;%s;k=a.3\\007' \"$s\"; exit \"$s\")";
        let keys = ["a.1".into(), "a.2".into(), "a.3".into()];
        assert_eq!(with_marks("ls", "dash", &keys, false), line);
        assert_eq!(with_marks("ls", "bash", &keys, true), line);
    }

    #[test]
    fn a_line_that_the_terminal_edits_is_short_enough_for_it() {
        let (command, keys) =
            (format!("echo {}", "'ä".repeat(3_000)), ["a.1".into(), "a.2".into(), "a.3".into()]);
        let line = with_marks(&command, "dash", &keys, false);
        assert!(line.lines().all(|line| line.len() < 4_096) && line.lines().count() > 2);
        let joined = line.replace("'\\\n'", "");
        assert_eq!(joined, with_marks(&command, "dash", &keys, true), "the shell joins them");
    }
}
