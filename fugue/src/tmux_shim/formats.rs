//! tmux's formats: `#{name}`, conditions, comparisons and a few modifiers.

/// Deeper formats are left as they are: the evaluator is recursive.
const DEPTH: usize = 20;

/// The one-letter names.
const LETTERS: [(char, &str); 9] = [
    ('D', "pane_id"),
    ('F', "window_flags"),
    ('H', "host"),
    ('h', "host_short"),
    ('I', "window_index"),
    ('P', "pane_index"),
    ('S', "session_name"),
    ('T', "pane_title"),
    ('W', "window_name"),
];

/// Expands a format. `variable` returns the value of a name; an unknown one is empty.
pub(super) fn expand(format: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    expand_within(format, variable, DEPTH)
}

fn expand_within(format: &str, variable: &dyn Fn(&str) -> Option<String>, depth: usize) -> String {
    let mut text = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('#') {
        text += before;
        let letter = after.chars().next();
        let named = LETTERS.iter().find(|(known, _)| Some(*known) == letter);
        rest = match (letter, named) {
            (Some('{'), _) if depth > 0 => match closing_brace(&after[1..]) {
                Some(end) => {
                    text += &evaluate(&after[1..=end], variable, depth - 1);
                    &after[end + 2..]
                }
                None => after,
            },
            (Some('#'), _) => {
                text.push('#');
                &after[1..]
            }
            (Some(_), Some((_, name))) => {
                text += &variable(name).unwrap_or_default();
                &after[1..]
            }
            _ => {
                text.push('#');
                after
            }
        };
    }
    text + rest
}

/// Returns the place of the brace that closes an expression.
fn closing_brace(text: &str) -> Option<usize> {
    let mut open = 0;
    text.char_indices().find_map(|(at, c)| match c {
        '{' => {
            open += 1;
            None
        }
        '}' if open == 0 => Some(at),
        '}' => {
            open -= 1;
            None
        }
        _ => None,
    })
}

/// Splits an expression at the commas that are not inside another one.
fn arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut open, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            ',' if open == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn is_true(value: &str) -> bool {
    !value.is_empty() && value != "0"
}

/// Evaluates what is between the braces.
fn evaluate(expression: &str, variable: &dyn Fn(&str) -> Option<String>, depth: usize) -> String {
    let expand = |text: &str| expand_within(text, variable, depth);
    // A name, or a format with names in it.
    let value =
        |text: &str| if text.contains("#{") { expand(text) } else { variable(text).unwrap_or_default() };
    if let Some(condition) = expression.strip_prefix('?') {
        let parts = arguments(condition);
        let chosen = if is_true(&value(parts[0])) { parts.get(1) } else { parts.get(2) };
        return chosen.map(|part| expand(part)).unwrap_or_default();
    }
    let Some((modifier, operand)) = expression.split_once(':') else { return value(expression) };
    let pair = || {
        let parts = arguments(operand);
        (expand(parts[0]), parts.get(1).map(|part| expand(part)).unwrap_or_default())
    };
    let flag = |truth: bool| if truth { "1" } else { "0" }.to_owned();
    match modifier {
        "==" => flag(pair().0 == pair().1),
        "!=" => flag(pair().0 != pair().1),
        "&&" => flag(is_true(&pair().0) && is_true(&pair().1)),
        "||" => flag(is_true(&pair().0) || is_true(&pair().1)),
        "l" => operand.to_owned(),
        "b" => value(operand).rsplit('/').next().unwrap_or_default().to_owned(),
        "d" => value(operand).rsplit_once('/').map_or(String::new(), |(directory, _)| directory.to_owned()),
        _ => match modifier.strip_prefix('=').and_then(|length| length.parse::<usize>().ok()) {
            Some(length) => value(operand).chars().take(length).collect(),
            None => value(expression),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(format: &str) -> String {
        expand(format, &|name| match name {
            "pane_id" => Some("%1".into()),
            "session_name" => Some("work".into()),
            "pane_active" => Some("1".into()),
            "pane_dead" => Some("0".into()),
            "pane_current_path" => Some("/a/b".into()),
            _ => None,
        })
    }

    #[test]
    fn names_conditions_comparisons_and_modifiers_are_expanded() {
        for (format, text) in [
            ("#{session_name}:#{pane_id}", "work:%1"),
            ("a\t#{unknown}\tb", "a\t\tb"),
            ("#S #D ## 5#", "work %1 # 5#"),
            ("#{?pane_active,yes #{pane_id},no}", "yes %1"),
            ("#{?pane_dead,dead,#{?#{==:#{session_name},work},here,there}}", "here"),
            ("#{!=:a,b}#{&&:1,0}#{||:0,1}", "101"),
            (
                "#{b:pane_current_path} #{d:pane_current_path} #{=2:session_name} #{l:pane_id}",
                "b /a wo pane_id",
            ),
            ("#{open", "{open"),
            ("", ""),
        ] {
            assert_eq!(expanded(format), text, "{format}");
        }
        let deep = "#{?1,".repeat(1_000);
        assert!(expanded(&deep).len() <= deep.len());
    }
}
