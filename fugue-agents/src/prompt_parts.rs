//! Prompts in parts. An agent may tell pasted text from what the user typed, and follow instructions in it with caution. It
//! cannot know that a prompt was pasted by fugue, so that its own keys do not change it; short pastes it takes as typed.

/// The longest paste that an agent takes for the user's own words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WholePaste {
    /// In UTF-16 code units.
    pub(crate) chars: usize,
    pub(crate) lines: usize,
    /// The most parts. A prompt that needs more is pasted as a whole.
    pub(crate) parts: usize,
}

impl WholePaste {
    /// Returns a prompt in parts that are not longer, cut behind a line if possible.
    pub(crate) fn parts(self, prompt: &str) -> Vec<&str> {
        let (mut parts, mut rest) = (Vec::new(), prompt);
        while !rest.is_empty() {
            let (part, after) = rest.split_at(self.first_part(rest));
            parts.push(part);
            rest = after;
        }
        if (1..=self.parts).contains(&parts.len()) { parts } else { vec![prompt] }
    }

    /// The length of the first part, in bytes.
    fn first_part(self, text: &str) -> usize {
        let (mut chars, mut end, mut line_end, mut lines) = (0, 0, 0, 1);
        for (at, c) in text.char_indices() {
            chars += c.len_utf16();
            if chars > self.chars {
                return if line_end > 0 { line_end } else { end };
            }
            end = at + c.len_utf8();
            if c == '\n' {
                (line_end, lines) = (end, lines + 1);
                // The part ends with an empty line of its own.
                if lines == self.lines {
                    return end;
                }
            }
        }
        text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: WholePaste = WholePaste { chars: 10, lines: 3, parts: 4 };

    #[test]
    fn a_prompt_is_cut_behind_lines_and_long_lines_anywhere() {
        assert_eq!(SHORT.parts("a\nb"), ["a\nb"]);
        assert_eq!(SHORT.parts("a\nb\nc\nd"), ["a\nb\n", "c\nd"]);
        assert_eq!(SHORT.parts("one\n\nthree\nfour"), ["one\n\n", "three\nfour"]);
        assert_eq!(SHORT.parts("one\nthree four"), ["one\n", "three four"]);
        assert_eq!(SHORT.parts("0123456789abc"), ["0123456789", "abc"]);
        assert_eq!(SHORT.parts("012345678👩👩"), ["012345678", "👩👩"], "two units each");
        assert_eq!(SHORT.parts(""), [""]);
    }

    #[test]
    fn a_prompt_of_too_many_parts_is_one() {
        let four = "x".repeat(40);
        assert_eq!(SHORT.parts(&four).len(), 4);
        let five = four + "x";
        assert_eq!(SHORT.parts(&five), [&five]);
    }
}
