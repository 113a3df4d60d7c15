//! Splitting a command line: words are separated by blanks, quotes and braces keep words together, semicolons end
//! commands.

const UNCLOSED_QUOTE: &str = "Unclosed quote";
const UNCLOSED_BRACE: &str = "Unclosed brace";

/// The words of a line. A `~` that begins a word is the home directory, if it is given.
pub(super) fn split(line: &str, home: Option<&str>) -> Result<Vec<String>, String> {
    let (mut words, takes_blocks) = (Vec::new(), takes_blocks(line));
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => word.get_or_insert_default().push_str(&quoted(&mut chars, '\'')?),
            '"' => word.get_or_insert_default().push_str(&quoted(&mut chars, '"')?),
            '\\' => word.get_or_insert_default().extend(chars.next()),
            '~' if word.is_none() && begins_path(chars.as_str()) => {
                word = Some(home.unwrap_or("~").to_owned());
            }
            '{' if takes_blocks && word.is_none() && begins_block(chars.as_str()) => {
                word = Some(block(&mut chars)?);
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Whether a `~` before this text is the home directory, and not that of another user.
fn begins_path(rest: &str) -> bool {
    rest.chars().next().is_none_or(|next| next == '/' || next.is_whitespace())
}

/// Whether a line begins with a command that takes other commands, which may be in braces.
fn takes_blocks(line: &str) -> bool {
    const NAMES: [&str; 9] = [
        "if",
        "if-shell",
        "bind",
        "bind-key",
        "confirm",
        "confirm-before",
        "command-prompt",
        "display-menu",
        "menu",
    ];
    line.split_whitespace().next().is_some_and(|name| NAMES.contains(&name))
}

/// Whether a `{` before this text begins a block of commands, and not a placeholder such as `{next-pane}`.
fn begins_block(rest: &str) -> bool {
    rest.starts_with(char::is_whitespace)
}

/// The commands up to the brace that ends the block, as they are.
fn block(chars: &mut std::str::Chars<'_>) -> Result<String, String> {
    let text = chars.as_str();
    let end = block_end(text).ok_or(UNCLOSED_BRACE)?;
    *chars = text[end + 1..].chars();
    Ok(text[..end].trim().to_owned())
}

/// The place of the brace that ends a block. Braces in quotes do not count.
fn block_end(text: &str) -> Option<usize> {
    let (mut quote, mut escaped, mut open) = (None, false, 1_usize);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            _ if std::mem::take(&mut escaped) => {}
            ('\\', None | Some('"')) => escaped = true,
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(end)) if c == end => quote = None,
            ('{', None) => open += 1,
            ('}', None) => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// The first command of a line, and the rest after the semicolon, which may also be written `\;`. In `bind-key`, a `\;`
/// is between the commands of the key.
pub(super) fn first(line: &str) -> (&str, &str) {
    let is_binding = matches!(line.split_whitespace().next(), Some("bind" | "bind-key"));
    let takes_blocks = takes_blocks(line);
    let (mut quote, mut escaped) = (None, false);
    // The place up to which a block goes.
    let mut block = 0;
    for (at, c) in line.char_indices() {
        if at < block {
            continue;
        }
        let begins_word = line[..at].chars().next_back().is_none_or(char::is_whitespace);
        match (c, quote) {
            ('{', None) if takes_blocks && begins_word && begins_block(&line[at + 1..]) => {
                // One that is not closed goes to the end of the line.
                block = block_end(&line[at + 1..]).map_or(line.len(), |end| at + 1 + end);
            }
            (';', None) if is_binding && escaped => escaped = false,
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
        assert_eq!(first(r"bind y a \; b; c"), (r"bind y a \; b", " c"));
    }

    #[test]
    fn quotes_keep_words_together() {
        let words = split(r#"ask 'a  b' "c \" d" e\ f ''"#, None).unwrap();
        assert_eq!(words, ["ask", "a  b", "c \" d", "e f", ""]);
        assert_eq!(split("say 'what", None), Err(UNCLOSED_QUOTE.into()));
    }

    #[test]
    fn braces_keep_the_commands_of_a_block_together() {
        let line = r#"if -F 1 { a; if x { b '}' } { c } } {last-pane}; d"#;
        assert_eq!(first(line), (&line[..line.len() - 3], " d"));
        let words = split(first(line).0, None).unwrap();
        assert_eq!(words, ["if", "-F", "1", "a; if x { b '}' } { c }", "{last-pane}"]);
        assert_eq!(split("if -F 1 { a; b", None), Err(UNCLOSED_BRACE.into()));
        assert_eq!(first("if a { b; c"), ("if a { b; c", ""));
        assert_eq!(split("rename-window a { b", None).unwrap(), ["rename-window", "a", "{", "b"]);
        assert_eq!(first("display { ; b"), ("display { ", " b"));
    }

    #[test]
    fn a_tilde_that_begins_a_word_is_the_home_directory() {
        let words = split("source ~/a ~ ~other '~/b' c~/d", Some("/home/me")).unwrap();
        assert_eq!(words, ["source", "/home/me/a", "/home/me", "~other", "~/b", "c~/d"]);
        assert_eq!(split("source ~/a", None).unwrap(), ["source", "~/a"]);
    }
}
