//! The changes as a unified diff, for the user to look at before they are made.

use fugue_protocol::escape::escape;
use similar::TextDiff;

use super::change::TextChange;

/// Longer lines are shortened to what differs: some agents write a whole file in one line.
const LINE: usize = 200;

/// What is shown of a long line on both sides of what differs.
const AROUND: usize = 40;

/// Returns the diff of a change.
pub(super) fn unified(change: &TextChange) -> String {
    let (before, after) =
        (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default());
    let name = |text: &Option<String>| match text {
        Some(_) => change.path.display().to_string(),
        None => "/dev/null".into(),
    };
    let diff = TextDiff::from_lines(before, after);
    let mut unified = diff.unified_diff();
    unified.context_radius(2).missing_newline_hint(false).header(&name(&change.before), &name(&change.after));
    let text = unified.to_string();
    let lines: Vec<_> = text.lines().collect();
    let shown = (0..lines.len()).map(|at| shorten(&lines, at));
    shown.map(|line| escape(&line).into_owned() + "\n").collect()
}

/// Returns a line, shortened if it is long. A removed line and the added line after it are compared.
fn shorten(lines: &[&str], at: usize) -> String {
    let line = lines[at];
    if line.chars().count() <= LINE {
        return line.to_owned();
    }
    let next_to = |place: Option<usize>, sign: char| {
        place
            .and_then(|place| lines.get(place))
            .filter(|other| other.starts_with(sign))
            .map(|other| &other[1..])
    };
    let other = match line.as_bytes()[0] {
        b'-' => next_to(Some(at + 1), '+'),
        b'+' => next_to(at.checked_sub(1), '-'),
        _ => None,
    };
    let chars: Vec<char> = line.chars().skip(1).collect();
    let other: Vec<char> = other.unwrap_or_default().chars().collect();
    let prefix = chars.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let most = chars.len().min(other.len()) - prefix;
    let suffix = chars.iter().rev().zip(other.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let start = prefix.saturating_sub(AROUND);
    let end = (chars.len() - suffix + AROUND).min(chars.len()).max(start);
    let (open, close) = (if start > 0 { "…" } else { "" }, if end < chars.len() { "…" } else { "" });
    let middle: String = chars[start..end].iter().collect();
    format!("{}{open}{middle}{close}", &line[..1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: Option<&str>, after: &str) -> TextChange {
        TextChange { path: "/f".into(), before: before.map(Into::into), after: Some(after.into()) }
    }

    #[test]
    fn a_new_file_is_shown_whole_and_a_long_line_only_where_it_differs() {
        assert_eq!(unified(&change(None, "{}\n")), "--- /dev/null\n+++ /f\n@@ -0,0 +1 @@\n+{}\n");
        let long = "x".repeat(300);
        let shown = unified(&change(Some(&format!("{long}{long}\n")), &format!("{long}NEW{long}\n")));
        assert!(shown.contains(&format!("…{}NEW{}…", "x".repeat(40), "x".repeat(40))), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= LINE), "{shown}");
    }
}
