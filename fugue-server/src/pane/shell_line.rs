//! A command as a line for a shell: people can read what is run, and whatever the command contains, the shell takes it as
//! one.

use fugue_screen::Modes;
use fugue_screen::keys::{Code, Key};

/// Words that begin a compound command, which continues until another word ends it.
const COMPOUND_WORDS: [&str; 12] =
    ["if", "then", "else", "for", "while", "until", "case", "select", "function", "do", "time", "coproc"];

/// Returns the line for a shell that marks its prompts: the command itself if nothing in it can be misread, or else an
/// `eval`, with a space before it that keeps it out of the history of shells that support that.
pub(super) fn plain(command: &str, shell: &str) -> String {
    let command = command.trim();
    if is_plain(command) { command.to_owned() } else { format!(" eval {}", quoted(command, shell)) }
}

/// Returns the line for a shell that does not mark its prompts: the line prints the marks itself, with these keys. It
/// exits with the command's code, since a shell that was only slow to start may mark it once more.
pub(super) fn with_marks(command: &str, shell: &str, [begin, end]: &[String; 2]) -> String {
    let mark = format!("printf '\\033]133;D;%s;k={end}\\007'");
    // `command` keeps a syntax error from ending the whole line where `eval` is a special builtin.
    let (eval, then) = match shell {
        "fish" => ("eval", format!("sh -c \"{mark} \\$0; exit \\$0\" $status")),
        "zsh" => ("eval", format!("(s=$?; {mark} \"$s\"; exit \"$s\")")),
        _ => ("command eval", format!("(s=$?; {mark} \"$s\"; exit \"$s\")")),
    };
    let command = quoted(command.trim(), shell);
    format!(" printf '\\033]133;C;k={begin}\\007'; {eval} {command}; {then}")
}

/// Returns the bytes that type a line and press Enter. Leading spaces are typed, since some shells strip them from a
/// paste.
pub(super) fn typed(line: &str, modes: &Modes) -> Vec<u8> {
    let text = line.trim_start_matches(' ');
    let mut bytes = vec![b' '; line.len() - text.len()];
    bytes.extend(fugue_screen::paste(text, modes));
    bytes.extend(Key::plain(Code::Enter).encode(modes));
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
        let line = " printf '\\033]133;C;k=a.1\\007'; command eval 'ls'; \
                    (s=$?; printf '\\033]133;D;%s;k=a.2\\007' \"$s\"; exit \"$s\")";
        assert_eq!(with_marks("ls", "dash", &["a.1".into(), "a.2".into()]), line);
    }
}
