//! The characters that the terminal can show. In a locale that is not UTF-8, everything else becomes ASCII: lines of boxes
//! become dashes and bars, as in tmux on a terminal without line drawing, and unknown characters underscores.

/// The variables that decide the locale's encoding, the first one that is set counts.
const LOCALE: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// What the terminal can show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum TerminalCharset {
    #[default]
    Utf8,
    Ascii,
}

impl TerminalCharset {
    /// The character set of the locale. Where no locale is set, as in many containers, the terminal most likely knows
    /// UTF-8, as almost all do.
    pub(crate) fn of_locale(variable: impl Fn(&str) -> String) -> Self {
        let locale = LOCALE.into_iter().map(variable).find(|value| !value.is_empty()).unwrap_or_default();
        let locale = locale.to_ascii_uppercase();
        let is_utf8 = locale.is_empty() || locale.contains("UTF-8") || locale.contains("UTF8");
        if is_utf8 { Self::Utf8 } else { Self::Ascii }
    }
}

/// What is drawn for each column of a character that has no likeness in ASCII.
pub(super) const UNKNOWN: char = '_';

/// The ASCII character that looks most like another one.
pub(super) fn ascii(c: char) -> char {
    match c {
        ' '..='~' => c,
        '\u{a0}' => ' ',
        '─' | '━' | '┄' | '┅' | '┈' | '┉' | '╌' | '╍' | '═' | '╴' | '╶' | '╸' | '╺' | '╼' | '╾' => {
            '-'
        }
        '│' | '┃' | '┆' | '┇' | '┊' | '┋' | '╎' | '╏' | '║' | '╵' | '╷' | '╹' | '╻' | '╽' | '╿' => {
            '|'
        }
        '╱' => '/',
        '╲' => '\\',
        '╳' | '×' | '✗' | '✘' => 'x',
        '\u{2500}'..='\u{257f}' | '✓' | '✔' => '+',
        '\u{2580}'..='\u{2590}' | '▒' | '▓' | '\u{2594}'..='\u{259f}' | '■' => '#',
        '←' | '◂' | '◀' | '‹' | '«' => '<',
        '→' | '▸' | '▶' | '›' | '»' => '>',
        '↑' | '▴' | '▲' => '^',
        '↓' | '▾' | '▼' => 'v',
        '⇉' => '=',
        '⊘' => '!',
        '●' | '◉' | '◆' | '★' => '*',
        '○' | '◌' | '◦' | '◇' => 'o',
        '░' | '·' | '•' | '…' | '∙' => '.',
        '‐'..='―' | '−' => '-',
        '‘' | '’' => '\'',
        '“' | '”' | '„' => '"',
        _ => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charset(variables: &[(&str, &str)]) -> TerminalCharset {
        let value = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        TerminalCharset::of_locale(|name| value(name).unwrap_or_default().to_owned())
    }

    #[test]
    fn the_first_variable_that_is_set_decides() {
        assert_eq!(charset(&[("LANG", "C")]), TerminalCharset::Ascii);
        assert_eq!(charset(&[("LANG", "de_DE@euro")]), TerminalCharset::Ascii);
        assert_eq!(charset(&[("LANG", "C"), ("LC_CTYPE", "en_US.utf8")]), TerminalCharset::Utf8);
        assert_eq!(charset(&[("LANG", "C.UTF-8"), ("LC_ALL", "POSIX")]), TerminalCharset::Ascii);
        assert_eq!(charset(&[("LANG", "C.UTF-8"), ("LC_ALL", "")]), TerminalCharset::Utf8);
        assert_eq!(charset(&[]), TerminalCharset::Utf8, "nothing is known");
    }

    #[test]
    fn everything_has_a_character_of_one_column() {
        for c in ('\0'..='\u{2fff}').chain(['日', '🎉', '\u{10ffff}']) {
            assert!(matches!(ascii(c), ' '..='~'), "{c:?}");
        }
        let drawn: String = "╭─ Windows ─╮ │ ├ ◂ “a” é".chars().map(ascii).collect();
        assert_eq!(drawn, "+- Windows -+ | + < \"a\" _");
    }
}
