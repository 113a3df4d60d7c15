//! A small generator of random numbers, so that a seed gives the same cases everywhere.

/// Numbers that differ from each other, and are the same in every run with the same seed.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// Returns a number below the limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }

    /// Returns a text that is JSON or nearly so, with these words as its names and strings.
    pub fn nearly_json(&mut self, words: &[&str]) -> String {
        const PARTS: [&str; 14] = [
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "null",
            "true",
            "-1",
            "9e99",
            "\"\\u0007\"",
            "\"\"",
            "\u{1b}",
            " ",
        ];
        let mut text = String::from("{");
        for number in 0..self.below(12) {
            text += &match self.below(3) {
                // Most texts should be valid up to here.
                0 => format!("{}\"{}\":", if number > 0 { "," } else { "" }, self.one_of(words)),
                1 => format!("\"{}\"", self.one_of(words)),
                _ => self.one_of(&PARTS).to_owned(),
            };
        }
        text + "}"
    }

    fn one_of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}
