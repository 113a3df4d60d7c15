//! The page `docs/tmux.md`: what is written, and the reference, which is made of the rows of the commands and of what the rows of
//! `table.txt` say about their flags.

use std::fmt::Write;

use fugue_tmux::command_table::named;

use crate::table::Row;

const INTRODUCTION: &str = include_str!("introduction.md");

/// The page.
pub(crate) fn page(rows: &[Row]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut last = "";
    for row in rows {
        if row.names[0] != last {
            last = &row.names[0];
            page += &heading(last);
        }
        let flag = match row.flag.as_str() {
            "(none)" => "—".to_owned(),
            flags => flags.split(' ').map(|flag| format!("`{flag}`")).collect::<Vec<_>>().join(" "),
        };
        let _ = writeln!(page, "| {flag} | {} | {} |", row.status, row.note);
    }
    page
}

/// The heading of a command, with its abbreviations and its flags.
fn heading(name: &str) -> String {
    let row = named(name);
    let alias: String =
        row.into_iter().flat_map(|row| &row.names[1..]).map(|alias| format!(" ({alias})")).collect();
    let usage = row.map(|row| format!("{name} {}", row.usage())).filter(|usage| usage.contains('['));
    let usage = usage.map(|usage| format!("`{usage}`\n\n")).unwrap_or_default();
    format!("\n### {name}{alias}\n\n{usage}| flag | | |\n|---|---|---|\n")
}
