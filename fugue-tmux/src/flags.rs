//! Flags as tmux parses them: letters, alone or grouped, of which some have a value.

/// The flags of a command and its operands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    flags: Vec<(char, String)>,
    /// The words after the flags.
    pub operands: Vec<String>,
}

impl Flags {
    /// Whether a flag was given.
    pub fn has(&self, letter: char) -> bool {
        self.flags.iter().any(|(given, _)| *given == letter)
    }

    /// Returns the value of a flag; of several, the last one.
    pub fn value(&self, letter: char) -> Option<&str> {
        self.values(letter).last()
    }

    /// Returns all values of a flag that may be repeated.
    pub fn values(&self, letter: char) -> impl Iterator<Item = &str> {
        self.flags.iter().filter(move |(given, _)| *given == letter).map(|(_, value)| value.as_str())
    }

    /// An operand that the command must have; [`CommandRow::parse`](crate::command_table::CommandRow::parse) has refused a line without it.
    pub fn operand(&self, at: usize) -> &str {
        self.operands.get(at).map_or("", String::as_str)
    }

    /// The flags and operands as words again.
    pub fn words(&self) -> Vec<String> {
        self.words_without('\0')
    }

    /// The flags but one, and the operands.
    pub fn words_without(&self, omitted: char) -> Vec<String> {
        let flag = |(letter, value): &(char, String)| {
            let value = Some(value.clone()).filter(|value| !value.is_empty());
            std::iter::once(format!("-{letter}")).chain(value).collect::<Vec<_>>()
        };
        let flags = self.flags.iter().filter(|(letter, _)| *letter != omitted);
        flags.flat_map(flag).chain(self.operands.iter().cloned()).collect()
    }

    /// The target that `-t` names.
    pub fn target(&self) -> Option<&str> {
        self.value('t')
    }
}

/// Parses words. `known` lists the letters; a colon follows those that have a value, as for getopt.
pub fn parse(command: &str, known: &str, words: &[String]) -> Result<Flags, String> {
    let mut parsed = Flags::default();
    let mut rest = words.iter();
    while let Some(letters) = rest.as_slice().first().and_then(|word| word.strip_prefix('-')) {
        if letters.is_empty() {
            break;
        }
        rest.next();
        if letters == "-" {
            break;
        }
        for (at, letter) in letters.char_indices() {
            let place = known.find(letter).filter(|_| letter != ':');
            let place = place.ok_or_else(|| format!("command {command}: unknown flag -{letter}"))?;
            if !known[place + letter.len_utf8()..].starts_with(':') {
                parsed.flags.push((letter, String::new()));
                continue;
            }
            let behind = &letters[at + letter.len_utf8()..];
            let value = if behind.is_empty() { rest.next().cloned() } else { Some(behind.to_owned()) };
            let missing = || format!("command {command}: -{letter} expects an argument");
            parsed.flags.push((letter, value.ok_or_else(missing)?));
            break;
        }
    }
    parsed.operands = rest.cloned().collect();
    Ok(parsed)
}

/// Reads a name.
pub fn parsed<T: std::str::FromStr>(name: &str, what: &str) -> Result<T, String> {
    name.parse().map_err(|_| format!("invalid {what}: {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn flags_are_grouped_and_values_are_attached_or_separate() {
        let parsed = parse("x", "dhvl:PF:t:e:", &words("-dh -l70% -t %1 -e A=1 -e B=2 -P -F #{x} -- cat -n"))
            .expect("valid");
        assert!(parsed.has('d') && parsed.has('h') && parsed.has('P') && !parsed.has('v'));
        assert_eq!(
            (parsed.value('l'), parsed.target(), parsed.value('F')),
            (Some("70%"), Some("%1"), Some("#{x}"))
        );
        assert_eq!(parsed.values('e').collect::<Vec<_>>(), ["A=1", "B=2"]);
        assert_eq!(parsed.operands, ["cat", "-n"]);
    }

    #[test]
    fn an_unknown_flag_and_a_missing_value_are_errors() {
        assert_eq!(parse("x", "a", &words("-b")), Err("command x: unknown flag -b".into()));
        assert_eq!(parse("x", "t:", &words("-t")), Err("command x: -t expects an argument".into()));
        assert_eq!(parse("x", "t:", &words("-:")), Err("command x: unknown flag -:".into()));
        assert_eq!(parse("x", "", &words("- -a")).expect("a dash").operands, ["-", "-a"]);
    }
}
