//! Expressions: what is between `#{` and `}`.

use fugue_protocol::targets::matches_pattern;
use regex::RegexBuilder;

use super::modifiers::Modifier;
use super::{Expansion, LoopKind, arithmetic, is_true, scanner, text_modifiers};

fn flag(truth: bool) -> String {
    if truth { "1" } else { "0" }.to_owned()
}

impl Expansion<'_> {
    /// Evaluates an expression.
    pub(super) fn expression(self, expression: &str) -> String {
        if let Some(condition) = expression.strip_prefix('?') {
            return self.condition(condition);
        }
        let (modifiers, operand) = self.modifiers(expression);
        let has = |name: &str| modifiers.iter().find(|modifier| modifier.name == name);
        let value = if has("l").is_some() {
            unescaped(operand)
        } else if let Some(kind) = loop_kind(&modifiers) {
            self.looped(kind, operand)
        } else if let Some(name_check) = has("N") {
            flag(self.name_exists(name_check, &self.text(operand)))
        } else if let Some(calculation) = has("e") {
            let (left, right) = self.pair(operand);
            arithmetic::calculated(calculation, &left, &right)
        } else if let Some(comparison) = modifiers.iter().find(|modifier| is_comparison(&modifier.name)) {
            flag(self.compared(comparison, operand))
        } else if has("a").is_some() {
            self.text(operand)
        } else {
            self.named(operand)
        };
        let of_value = Self { runs_commands: false, ..self };
        let value = if has("E").is_some() { of_value.text(&value) } else { value };
        let value = match has("T") {
            Some(_) => of_value.text(&text_modifiers::time(self.source.now(), &value)),
            None => value,
        };
        text_modifiers::all_applied(&modifiers, value, self.source.now())
    }

    /// The value of a name, or of a format with names in it.
    fn named(self, text: &str) -> String {
        if text.contains("#{") || text.contains("#(") {
            return self.text(text);
        }
        self.value(text).unwrap_or_default()
    }

    /// `#{?condition,then,else}`
    fn condition(self, text: &str) -> String {
        let parts = scanner::arguments(text, 3);
        let condition = match self.value(parts[0]) {
            Some(value) => value,
            None => Some(self.text(parts[0])).filter(|value| value != parts[0]).unwrap_or_default(),
        };
        let chosen = if is_true(&condition) { parts.get(1) } else { parts.get(2) };
        chosen.map(|part| self.text(part)).unwrap_or_default()
    }

    fn pair(self, operand: &str) -> (String, String) {
        let parts = scanner::arguments(operand, 2);
        (self.text(parts[0]), parts.get(1).map(|part| self.text(part)).unwrap_or_default())
    }

    fn compared(self, modifier: &Modifier, operand: &str) -> bool {
        let (left, right) = self.pair(operand);
        match modifier.name.as_str() {
            "==" => left == right,
            "!=" => left != right,
            "<" => left < right,
            ">" => left > right,
            "<=" => left <= right,
            ">=" => left >= right,
            "&&" => is_true(&left) && is_true(&right),
            "||" => is_true(&left) || is_true(&right),
            "!" => !is_true(&left),
            _ => is_match(modifier.argument(0), &left, &right),
        }
    }

    fn looped(self, kind: LoopKind, operand: &str) -> String {
        let parts = scanner::arguments(operand, 2);
        let items = self.source.items(kind);
        let text = |(current, source): &super::LoopItem<'_>| {
            let format = parts.get(1).filter(|_| *current && kind != LoopKind::Sessions).unwrap_or(&parts[0]);
            let inner = Expansion { source: source.as_ref(), depth: self.depth.saturating_sub(1), ..self };
            inner.text(format)
        };
        items.iter().map(text).collect()
    }

    fn name_exists(self, modifier: &Modifier, name: &str) -> bool {
        let (kind, variable) = match modifier.argument(0) {
            "s" => (LoopKind::Sessions, "session_name"),
            _ => (LoopKind::Windows, "window_name"),
        };
        let items = self.source.items(kind);
        items.iter().any(|(_, source)| source.value(variable).as_deref() == Some(name))
    }
}

fn loop_kind(modifiers: &[Modifier]) -> Option<LoopKind> {
    modifiers.iter().find_map(|modifier| match modifier.name.as_str() {
        "S" => Some(LoopKind::Sessions),
        "W" => Some(LoopKind::Windows),
        "P" => Some(LoopKind::Panes),
        _ => None,
    })
}

fn is_comparison(name: &str) -> bool {
    ["==", "!=", "<", ">", "<=", ">=", "&&", "||", "!", "m"].contains(&name)
}

/// Whether text matches a pattern, or a regular expression if the flags say so.
fn is_match(flags: &str, pattern: &str, text: &str) -> bool {
    let ignore_case = flags.contains('i');
    if flags.contains('r') {
        let expression = RegexBuilder::new(pattern).case_insensitive(ignore_case).build();
        return expression.is_ok_and(|expression| expression.is_match(text));
    }
    match ignore_case {
        true => matches_pattern(&pattern.to_lowercase(), &text.to_lowercase()),
        false => matches_pattern(pattern, text),
    }
}

/// Literal text, without the signs that protect commas and braces.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('#', Some(',' | '}' | ':')) => plain.extend(chars.next()),
            (c, _) => plain.push(c),
        }
    }
    plain
}
