//! Splitting a command line: words are separated by blanks, quotes keep words together, semicolons end commands.

const UNCLOSED_QUOTE: &str = "Unclosed quote";

/// The words of a line.
pub(super) fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => word.get_or_insert_default().push_str(&quoted(&mut chars, '\'')?),
            '"' => word.get_or_insert_default().push_str(&quoted(&mut chars, '"')?),
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// The first command of a line, and the rest after the semicolon, which may also be written `\;`.
pub(super) fn first(line: &str) -> (&str, &str) {
    let (mut quote, mut escaped) = (None, false);
    for (at, c) in line.char_indices() {
        match (c, quote) {
            (';', None) => return (line[..at].trim_end_matches('\\'), &line[at + 1..]),
            _ if std::mem::take(&mut escaped) => {}
            ('\\', None | Some('"')) => escaped = true,
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(end)) if c == end => quote = None,
            _ => {}
        }
    }
    (line, "")
}

fn quoted(chars: &mut std::str::Chars<'_>, end: char) -> Result<String, String> {
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            c if c == end => return Ok(text),
            '\\' if end == '"' => text.extend(chars.next()),
            c => text.push(c),
        }
    }
    Err(UNCLOSED_QUOTE.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_semicolon_ends_a_command_unless_it_is_quoted() {
        assert_eq!(first("a -b; c"), ("a -b", " c"));
        assert_eq!(first(r"a \; b ; c"), ("a ", " b ; c"));
        assert_eq!(first(r#"a ';' "\";" b"#), (r#"a ';' "\";" b"#, ""));
        assert_eq!(first("it\\'s; b"), ("it\\'s", " b"));
    }

    #[test]
    fn quotes_keep_words_together() {
        let words = split(r#"ask 'a  b' "c \" d" e\ f ''"#).unwrap();
        assert_eq!(words, ["ask", "a  b", "c \" d", "e f", ""]);
        assert_eq!(split("say 'what"), Err(UNCLOSED_QUOTE.into()));
    }
}
