//! A command as a line for a shell: people see what was run, and whatever the command is, the shell takes it as one.

use fugue_screen::Modes;
use fugue_screen::keys::{Code, Key};

/// Words that begin something which goes on until another word ends it.
const OPENERS: [&str; 12] =
    ["if", "then", "else", "for", "while", "until", "case", "select", "function", "do", "time", "coproc"];

/// The line for a shell that marks its prompts: the command as it is where nothing in it could be taken otherwise. Else a
/// space before it keeps it out of the shell's history, where the shell is so minded.
pub(super) fn marked(command: &str, shell: &str) -> String {
    let command = command.trim();
    if is_plain(command) { command.to_owned() } else { format!(" eval {}", quoted(command, shell)) }
}

/// The line for a shell that does not: it marks itself, with these keys. It ends as the command did, since a shell that
/// was only slow to begin may mark it once more.
pub(super) fn marking(command: &str, shell: &str, [begin, end]: &[String; 2]) -> String {
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

/// The bytes that type a line and press Enter. A space before it is typed, since some shells take it off what is pasted.
pub(super) fn typed(line: &str, modes: &Modes) -> Vec<u8> {
    let text = line.trim_start_matches(' ');
    let mut bytes = vec![b' '; line.len() - text.len()];
    bytes.extend(fugue_screen::paste(text, modes));
    bytes.extend(Key::plain(Code::Enter).encode(modes));
    bytes
}

/// Words of letters, digits and signs that mean nothing to any shell, and texts in single quotes.
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
    outside && inside && closed && !OPENERS.contains(&first)
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
    fn what_is_clear_is_typed_as_it_is() {
        for command in ["make -j4 test", "printf 'no newline'", "false", "grep -rn 'a b' src/x.rs"] {
            assert_eq!(marked(command, "bash"), command);
        }
    }

    #[test]
    fn what_could_be_taken_otherwise_is_handed_over_whole() {
        for (command, line) in [
            ("echo it's", " eval 'echo it'\\''s'"),
            ("git commit -m \"fix!\"", " eval 'git commit -m \"fix!\"'"),
            ("a\nb", " eval 'a\nb'"),
            ("if true", " eval 'if true'"),
            ("ls | wc", " eval 'ls | wc'"),
        ] {
            assert_eq!(marked(command, "bash"), line);
        }
        assert_eq!(marked("echo 'it\\'s", "fish"), " eval 'echo \\'it\\\\\\'s'");
    }

    #[test]
    fn a_shell_without_marks_is_given_them_with_the_line() {
        let line = " printf '\\033]133;C;k=a.1\\007'; command eval 'ls'; \
                    (s=$?; printf '\\033]133;D;%s;k=a.2\\007' \"$s\"; exit \"$s\")";
        assert_eq!(marking("ls", "dash", &["a.1".into(), "a.2".into()]), line);
    }
}
