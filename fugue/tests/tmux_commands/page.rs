//! The page `docs/tmux.md`.

use std::fmt::Write;

use crate::table::Row;

const INTRODUCTION: &str = include_str!("introduction.md");

/// The page.
pub(crate) fn page(rows: &[Row]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut last: &[String] = &[];
    for row in rows {
        if row.names != last {
            last = &row.names;
            let alias = row.names.get(1).map(|alias| format!(" ({alias})")).unwrap_or_default();
            let _ = write!(page, "\n### {}{alias}\n\n| flag | | |\n|---|---|---|\n", row.names[0]);
        }
        let flag = match row.flag.as_str() {
            "(none)" => "—".to_owned(),
            flags => flags.split(' ').map(|flag| format!("`{flag}`")).collect::<Vec<_>>().join(" "),
        };
        let _ = writeln!(page, "| {flag} | {} | {} |", row.status, row.note);
    }
    page
}
