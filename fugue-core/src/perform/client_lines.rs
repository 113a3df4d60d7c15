//! What a program in a pane may have a client run: a single command that changes what the person sees, and does nothing
//! in the person's name. Anything else would let an agent answer dialogs, leave its scope, or start programs as the
//! person. The whole line is checked, since a flag can turn a command into another.

/// What may come after the name of a command.
#[derive(Debug, Clone, Copy)]
enum Rest {
    /// Flags of one letter, each perhaps with a value, and operands.
    Words(&'static str),
    /// Pairs of a flag and a value.
    Pairs(&'static [&'static str]),
    /// A session and perhaps a pane.
    Target,
    /// Any text.
    Text,
}

/// The flags of a list to choose from.
const CHOOSE: &str = "FfGKNOrstwZ";

/// The commands. A popup shows a window that the program itself has created, as far as its own scope allows.
const HARMLESS: [(&str, Rest); 15] = [
    ("attach", Rest::Target),
    ("choose-buffer", Rest::Words(CHOOSE)),
    ("choose-client", Rest::Words(CHOOSE)),
    ("choose-tree", Rest::Words(CHOOSE)),
    ("clock", Rest::Words("")),
    ("clock-mode", Rest::Words("")),
    ("copy-mode", Rest::Words("eHu")),
    ("display-panes", Rest::Words("bdN")),
    ("display-popup", Rest::Pairs(&["-h", "--pane", "-w", "--window", "-x", "-y"])),
    ("find-window", Rest::Words("CiNrTtZ")),
    ("help", Rest::Words("")),
    ("redraw", Rest::Words("")),
    ("refresh-client", Rest::Words("S")),
    ("say", Rest::Text),
    ("show-messages", Rest::Words("")),
];

impl Rest {
    fn allows(self, words: &[String]) -> bool {
        match self {
            Self::Words(letters) => words.iter().all(|word| match word.strip_prefix('-') {
                None | Some("") => true,
                Some("-sessions" | "-up") => true,
                Some(flag) => flag.starts_with(|letter| letters.contains(letter)),
            }),
            Self::Pairs(flags) => {
                let has = |flag: &str| words.iter().step_by(2).any(|word| word == flag);
                let is_flag = |pair: &[String]| pair.len() == 2 && flags.contains(&pair[0].as_str());
                words.chunks(2).all(is_flag) && has("--pane") && has("--window")
            }
            Self::Target => {
                let targets =
                    if words.first().is_some_and(|word| word == "-t") { &words[1..] } else { words };
                (1..=2).contains(&targets.len()) && !targets.iter().any(|word| word.starts_with('-'))
            }
            Self::Text => true,
        }
    }
}

/// Whether a line is one command that is harmless.
pub(super) fn is_harmless(line: &str) -> bool {
    let Some(words) = words(line) else { return false };
    let Some((name, rest)) = words.split_first() else { return false };
    HARMLESS.iter().any(|(harmless, allowed)| harmless == name && allowed.allows(rest))
}

/// The name of the first command of a line, for people: without the quotes that keep its words apart.
pub(super) fn command_name(line: &str) -> String {
    line.split_whitespace().next().unwrap_or_default().trim_matches('\'').to_owned()
}

/// The words of a line that is a single command in a form that every client reads in the same way: plain words, text
/// between single quotes, and escaped single quotes.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            c if is_quoted => word.get_or_insert_default().push(c),
            '\\' => word.get_or_insert_default().push(chars.next().filter(|c| *c == '\'')?),
            ';' | '"' | '\n' | '\r' => return None,
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (!is_quoted).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_command_is_told_without_quotes() {
        for line in ["'confirm-before' '-p' 'sure?' 'kill-pane'", "confirm-before kill-pane"] {
            assert_eq!(command_name(line), "confirm-before");
        }
    }

    #[test]
    fn what_only_changes_the_picture_is_harmless() {
        for line in [
            "say hello",
            "say 'a; b \"c\"' it\\'s",
            "'choose-tree' '-Zs'",
            "choose-tree --sessions",
            "copy-mode -u",
            "attach work",
            "attach '{next-session}'",
            "attach -t work",
            "display-popup -w '50%' --pane 1 --window 2",
            "find-window -rC 'two words'",
        ] {
            assert!(is_harmless(line), "{line}");
        }
    }

    #[test]
    fn a_line_that_could_start_a_program_or_act_as_the_person_is_not_harmless() {
        for line in [
            "",
            "answer-permission x 1",
            "tmux run-shell x",
            "send-prefix",
            "say a; kill-server",
            "say a \\'; detach '",
            "say \"a\"",
            "say 'a",
            "display-popup -- top",
            "display-popup top",
            "display-popup -E top --pane 1 --window 2",
            "display-popup -T '#(touch x)' -E true",
            "display-popup -w 50% --pane 1 --window 2 -T '#(touch x)'",
            "display-popup -t other -E top",
            "display-popup -C",
            "display-popup --pane 1",
            "attach -c '#(touch x)' work",
            "attach",
            "attach work -x",
            "choose-tree -y",
            "refresh-client -l",
        ] {
            assert!(!is_harmless(line), "{line}");
        }
    }
}
