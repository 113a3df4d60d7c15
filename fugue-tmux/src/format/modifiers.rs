//! The modifiers before a colon: `=5`, `s/a/b/`, `==`, `b;q`.

use super::{Expansion, scanner};

/// A modifier and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Modifier {
    pub(super) name: String,
    pub(super) arguments: Vec<String>,
}

impl Modifier {
    /// An argument, or nothing.
    pub(super) fn argument(&self, at: usize) -> &str {
        self.arguments.get(at).map(String::as_str).unwrap_or_default()
    }
}

const PAIRS: [&str; 6] = ["||", "&&", "!=", "==", "<=", ">="];

fn is_end(text: &str) -> bool {
    text.starts_with([':', ';'])
}

impl Expansion<'_> {
    /// Splits an expression into its modifiers and what they apply to.
    pub(super) fn modifiers(self, expression: &str) -> (Vec<Modifier>, &str) {
        let (mut modifiers, mut rest) = (Vec::new(), expression);
        loop {
            if let Some(operand) = rest.strip_prefix(':').filter(|_| !modifiers.is_empty()) {
                return (modifiers, operand);
            }
            rest = rest.strip_prefix(';').unwrap_or(rest);
            match self.modifier(rest) {
                Some((modifier, after)) => {
                    modifiers.push(modifier);
                    rest = after;
                }
                None => return (Vec::new(), expression),
            }
        }
    }

    fn modifier(self, text: &str) -> Option<(Modifier, &str)> {
        let plain = |length: usize| {
            let modifier = Modifier { name: text[..length].to_owned(), arguments: Vec::new() };
            (modifier, &text[length..])
        };
        if PAIRS.iter().any(|pair| text.starts_with(pair)) && is_end(&text[2..]) {
            return Some(plain(2));
        }
        let name = text.chars().next()?;
        let after = text.get(1..).filter(|_| name.is_ascii())?;
        if "labcdnwETSWPL!<>".contains(name) && is_end(after) {
            return Some(plain(1));
        }
        if !"mCNst=peq".contains(name) {
            return None;
        }
        let (arguments, after) = self.modifier_arguments(after)?;
        Some((Modifier { name: name.to_string(), arguments }, after))
    }

    /// The arguments of a modifier: one up to the colon, or several between signs: `/5/...`.
    fn modifier_arguments(self, text: &str) -> Option<(Vec<String>, &str)> {
        let wrapper = text.chars().next()?;
        if is_end(text) {
            return Some((Vec::new(), text));
        }
        if !wrapper.is_ascii_punctuation() || wrapper == '-' {
            let end = scanner::find(text, &[':', ';'])?;
            return Some((vec![self.text(&text[..end])], &text[end..]));
        }
        let (mut arguments, mut rest) = (Vec::new(), text);
        while !is_end(rest) {
            let inside = rest.strip_prefix(wrapper)?;
            if is_end(inside) {
                return Some((arguments, inside));
            }
            let end = scanner::find(inside, &[wrapper, ':', ';'])?;
            arguments.push(self.text(&inside[..end]));
            rest = &inside[end..];
        }
        Some((arguments, rest))
    }
}
