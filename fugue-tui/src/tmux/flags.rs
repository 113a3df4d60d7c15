//! Flags as tmux parses them: letters, alone or grouped, some with a value.

use fugue_screen::keys::Key;

use super::command_row::TmuxFlag;

/// The flags of a line with their values, and the operands behind them.
pub(super) struct ParsedFlags<'a> {
    pub(super) flags: Vec<(char, &'static TmuxFlag, &'a str)>,
    pub(super) rest: &'a [String],
}

impl ParsedFlags<'_> {
    pub(super) fn has(&self, wanted: &TmuxFlag) -> bool {
        self.flags.iter().any(|(_, flag, _)| *flag == wanted)
    }
}

/// Parses flags; an unknown flag is the error.
pub(super) fn read<'a>(
    words: &'a [String],
    known: &'static [(char, TmuxFlag)],
) -> Result<ParsedFlags<'a>, String> {
    let mut given = ParsedFlags { flags: Vec::new(), rest: words };
    while let Some((word, rest)) = given.rest.split_first() {
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else { break };
        given.rest = rest;
        if letters == "-" {
            break;
        }
        cluster(letters, known, &mut given)?;
    }
    Ok(given)
}

fn cluster<'a>(
    letters: &'a str,
    known: &'static [(char, TmuxFlag)],
    given: &mut ParsedFlags<'a>,
) -> Result<(), String> {
    for (at, letter) in letters.char_indices() {
        let unknown = || format!("-{letter}");
        let (_, flag) = known.iter().find(|(name, _)| *name == letter).ok_or_else(unknown)?;
        if !flag.has_value() {
            given.flags.push((letter, flag, ""));
            continue;
        }
        // The value is the rest of the word, or the next word.
        let behind = &letters[at + letter.len_utf8()..];
        let (value, rest) = match (behind, given.rest) {
            ("", []) => return Err(format!("-{letter} needs a value")),
            ("", [value, rest @ ..]) => (value.as_str(), rest),
            (value, rest) => (value, rest),
        };
        given.flags.push((letter, flag, value));
        given.rest = rest;
        break;
    }
    Ok(())
}

/// The arguments of `send-keys`: names of keys are pressed, text before them is typed.
pub(super) fn keys(words: &[String]) -> Result<Vec<String>, String> {
    let is_key = |word: &&String| word.chars().count() > 1 && word.parse::<Key>().is_ok();
    let text: String = words.iter().take_while(|word| !is_key(word)).map(String::as_str).collect();
    let named: Vec<&String> = words.iter().skip_while(|word| !is_key(word)).collect();
    if let Some(late) = named.iter().find(|word| !is_key(word)) {
        return Err(format!("`{late}` comes after a key; put text before keys"));
    }
    let pressed = named.into_iter().flat_map(|key| ["--key".to_owned(), key.clone()]);
    let typed = if text.is_empty() { Vec::new() } else { vec!["--".to_owned(), text] };
    Ok(pressed.chain(typed).collect())
}
