//! tmux's command language: the words of commands in configuration files, bindings and arguments. Quotes, escapes,
//! variables, comments, braces and `;` are read as tmux reads them.

mod blocks;
mod conditions;

use std::collections::BTreeMap;

use conditions::{Conditions, Expand, is_directive, is_whole};

/// The most commands that one text may hold; a file of settings has far fewer.
const COMMANDS: usize = 10_000;

/// A command of a text, and the line on which it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptCommand {
    /// The line, the first of which is 1.
    pub line: usize,
    /// The name of the command and what follows it.
    pub words: Vec<String>,
    /// The places of the words that are blocks.
    blocks: Vec<usize>,
    /// For a `%if` or `%elif` that could not be evaluated: why. Its branches are left out.
    pub undecided: Option<String>,
}

impl ScriptCommand {
    fn new(line: usize, words: Vec<String>) -> Self {
        Self { line, words, blocks: Vec::new(), undecided: None }
    }
}

/// Reads the commands of a text. `variable` returns the value of `$NAME`, and `expand` that of a condition's format.
pub fn parse(
    text: &str,
    variable: &dyn Fn(&str) -> Option<String>,
    expand: &Expand<'_>,
) -> Result<Vec<ScriptCommand>, String> {
    let (set, conditions) = (BTreeMap::new(), Conditions::default());
    let mut reader = ScriptReader { rest: text, line: 1, variable, expand, set, conditions, blocks: 0 };
    let mut commands = Vec::new();
    while let Some(command) = reader.command()? {
        if commands.len() == COMMANDS {
            return Err(format!("line {}: too many commands", command.line));
        }
        commands.push(command);
    }
    Ok(commands)
}

/// Splits the words of a command line at the words that end in a semicolon.
pub fn split(words: &[String]) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    for word in words {
        let ends = word.ends_with(';') && !word.ends_with("\\;");
        let kept = if ends { word[..word.len() - 1].to_owned() } else { word.replace("\\;", ";") };
        if let Some(last) = commands.last_mut().filter(|_| !ends || !kept.is_empty()) {
            last.push(kept);
        }
        if ends {
            commands.push(Vec::new());
        }
    }
    commands.into_iter().filter(|words| !words.is_empty()).collect()
}

/// Whether a word sets a variable.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a condition is the next word.
fn is_condition(words: &[String]) -> bool {
    matches!(words, [name] if name == "%if" || name == "%elif")
}

struct ScriptReader<'a> {
    rest: &'a str,
    line: usize,
    variable: &'a dyn Fn(&str) -> Option<String>,
    expand: &'a Expand<'a>,
    /// The variables that the text sets: `NAME=value`.
    set: BTreeMap<String, String>,
    conditions: Conditions,
    /// How many blocks are open.
    blocks: usize,
}

/// What ends a word.
enum Ending {
    Word,
    Command,
}

impl ScriptReader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn error<T>(&self, why: &str) -> Result<T, String> {
        Err(format!("line {}: {why}", self.line))
    }

    /// The next command that a condition does not leave out, or the next condition that could not be evaluated.
    fn command(&mut self) -> Result<Option<ScriptCommand>, String> {
        loop {
            let Some(command) = self.any_command()? else { return Ok(None) };
            match self.conditions.take(&command.words, self.expand) {
                Err(why) => return Ok(Some(ScriptCommand { undecided: Some(why), ..command })),
                Ok(true) => continue,
                Ok(false) if !self.conditions.include() => continue,
                Ok(false) => {}
            }
            match command.words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                ["%hidden", assignment] | [assignment] if is_assignment(assignment) => {
                    let (name, value) = assignment.split_once('=').unwrap_or_default();
                    self.set.insert(name.to_owned(), value.to_owned());
                }
                _ => return Ok(Some(command)),
            }
        }
    }

    fn any_command(&mut self) -> Result<Option<ScriptCommand>, String> {
        let mut blocks = Vec::new();
        let command = self.words_of_command(&mut blocks)?;
        Ok(command.map(|command| ScriptCommand { blocks, ..command }))
    }

    fn words_of_command(&mut self, blocks: &mut Vec<usize>) -> Result<Option<ScriptCommand>, String> {
        let mut words = Vec::new();
        let mut line = self.line;
        loop {
            match self.peek() {
                None if words.is_empty() => return Ok(None),
                None => return Ok(Some(ScriptCommand::new(line, words))),
                _ if is_whole(&words) => return Ok(Some(ScriptCommand::new(line, words))),
                Some('%') if !words.is_empty() && self.is_at_directive() => {
                    return Ok(Some(ScriptCommand::new(line, words)));
                }
                Some(';' | '\n') => {
                    self.next();
                    if !words.is_empty() {
                        return Ok(Some(ScriptCommand::new(line, words)));
                    }
                    line = self.line;
                }
                Some(c) if c.is_whitespace() => drop(self.next()),
                Some('\\') if self.rest.starts_with("\\\n") => {
                    self.next();
                    self.next();
                }
                // Only after `%if` and `%elif` does it begin a format; elsewhere, it begins a comment.
                Some('#') if self.rest.starts_with("#{") && is_condition(&words) => {
                    words.push(self.format()?);
                }
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.next();
                    }
                }
                Some('{') if !words.is_empty() && self.is_at_block() => {
                    blocks.push(words.len());
                    words.push(self.block()?);
                }
                Some('}') if self.blocks > 0 => {
                    return Ok(Some(words)
                        .filter(|words| !words.is_empty())
                        .map(|words| ScriptCommand::new(line, words)));
                }
                Some(_) => match self.word(&mut words)? {
                    Ending::Word => {}
                    Ending::Command => return Ok(Some(ScriptCommand::new(line, words))),
                },
            }
        }
    }

    /// Whether `%if`, `%elif`, `%else` or `%endif` follows.
    fn is_at_directive(&self) -> bool {
        self.rest.split(|c: char| c.is_whitespace() || c == ';').next().is_some_and(is_directive)
    }

    /// A format that is not quoted, as it is: up to the brace that ends it.
    fn format(&mut self) -> Result<String, String> {
        let (mut text, mut open) = (String::new(), 0_usize);
        while let Some(c) = self.peek().filter(|c| *c != '\n') {
            self.next();
            match c {
                '{' if text.ends_with('#') => open += 1,
                '}' => open -= 1,
                _ => {}
            }
            text.push(c);
            if open == 0 && c == '}' {
                return Ok(text);
            }
        }
        self.error("missing }")
    }

    fn word(&mut self, words: &mut Vec<String>) -> Result<Ending, String> {
        let mut word = String::new();
        if self.peek() == Some('~') {
            word += &self.home();
        }
        while let Some(c) = self.peek() {
            match c {
                '\'' => word += &self.literal()?,
                '"' => self.quoted(&mut word)?,
                '\\' if self.rest.starts_with("\\\n") => drop((self.next(), self.next())),
                '\\' if self.rest.starts_with("\\;") => {
                    // A lone `\;` separates commands in a binding, and is a word of its own there.
                    self.next();
                    self.next();
                    word += ";";
                }
                '\\' => {
                    self.next();
                    self.escape(&mut word);
                }
                '$' => word += &self.value(),
                ';' => {
                    self.next();
                    words.push(word);
                    return Ok(Ending::Command);
                }
                c if c.is_whitespace() => break,
                // The end of a block, unless it ends a name in braces such as `{last}` or a format.
                '}' if self.blocks > 0 && word.matches('{').count() <= word.matches('}').count() => break,
                c => {
                    word.push(c);
                    self.next();
                }
            }
        }
        words.push(word);
        Ok(Ending::Word)
    }

    fn home(&mut self) -> String {
        self.next();
        if self.peek().is_none_or(|c| c == '/' || c.is_whitespace()) {
            return (self.variable)("HOME").unwrap_or_default();
        }
        "~".to_owned()
    }

    fn literal(&mut self) -> Result<String, String> {
        self.next();
        let Some((text, rest)) = self.rest.split_once('\'') else { return self.error("unclosed quote") };
        self.line += text.matches('\n').count();
        self.rest = rest;
        Ok(text.to_owned())
    }

    fn quoted(&mut self, word: &mut String) -> Result<(), String> {
        self.next();
        loop {
            match self.peek() {
                Some('"') => {
                    self.next();
                    return Ok(());
                }
                Some('\\') => {
                    self.next();
                    self.escape(word);
                }
                Some('$') => *word += &self.value(),
                Some(_) => word.extend(self.next()),
                None => return self.error("unclosed quote"),
            }
        }
    }

    fn escape(&mut self, word: &mut String) {
        match self.next() {
            Some('n') => word.push('\n'),
            Some('t') => word.push('\t'),
            Some('e') => word.push('\u{1b}'),
            Some('\n') | None => {}
            Some(c) => word.push(c),
        }
    }

    /// The value of `$NAME` or `${NAME}`; a dollar sign before anything else means itself.
    fn value(&mut self) -> String {
        self.next();
        let braced = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (name, rest) = match braced {
            Some((name, rest)) => (name, rest),
            None => {
                let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                self.rest.split_at(end.unwrap_or(self.rest.len()))
            }
        };
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return "$".to_owned();
        }
        self.rest = rest;
        self.set.get(name).cloned().or_else(|| (self.variable)(name)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
