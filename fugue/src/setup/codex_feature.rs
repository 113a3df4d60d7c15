//! The setting `daemon_auto_start` in Codex's `config.toml`. With it, Codex runs the MCP servers and hooks of all panes in
//! one background server, where nobody can tell which pane a call comes from.

use toml::Value;

use super::toml_text::{self, checked, drop_empty_line, header, insert_after_header, lines, parse};

const PATH: [&str; 2] = ["features", "daemon_auto_start"];

/// The line that turns it off.
const LINE: &str = "daemon_auto_start = false";

/// Whether a file says nothing about it. What a user chose stays.
pub(super) fn is_missing(text: &str) -> Result<bool, String> {
    let table = parse(text)?;
    Ok(table.get(PATH[0]).and_then(Value::as_table).is_none_or(|features| !features.contains_key(PATH[1])))
}

/// Turns it off in a file that says nothing about it.
pub(super) fn add(text: &str) -> Result<String, String> {
    let added = if parse(text)?.contains_key(PATH[0]) {
        insert_after_header(text, &PATH[..1], LINE)
    } else {
        Some(toml_text::append(text, &[format!("[{}]", PATH[0]), LINE.into()]))
    };
    let failed = format!("{LINE:?} cannot be added to [features]; add it manually");
    checked(text, added.ok_or_else(|| failed.clone())?, PATH, &failed)
}

/// Removes the line and, if it is the only one of a table, the table, unless that was there `before`.
pub(super) fn remove(text: &str, before: Option<&str>) -> Result<String, String> {
    if before.is_some_and(|before| !is_missing(before).unwrap_or(true)) || is_missing(text)? {
        return Ok(text.to_owned());
    }
    let had_table = before.is_some_and(|before| parse(before).is_ok_and(|table| table.contains_key(PATH[0])));
    let mut kept = String::new();
    let mut inside = false;
    for (_, line) in lines(text) {
        let path = header(line);
        inside = path.as_ref().map_or(inside, |path| path == &PATH[..1]);
        let ours = inside && line.trim() == LINE;
        let empty_table = path.is_some() && inside && !had_table && only_ours(text, line);
        if empty_table {
            drop_empty_line(&mut kept);
        } else if !ours {
            kept += line;
        }
    }
    checked(text, kept, PATH, &format!("{LINE:?} cannot be removed automatically; remove it manually"))
}

/// Whether the table with this header contains only our line.
fn only_ours(text: &str, table: &str) -> bool {
    let after = lines(text).map(|(_, line)| line).skip_while(|line| *line != table).skip(1);
    let mut contents = after.take_while(|line| header(line).is_none()).filter(|line| !line.trim().is_empty());
    contents.next().is_some_and(|line| line.trim() == LINE) && contents.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_the_line_restores_the_file() {
        for text in [
            "",
            "a = 1\n",
            "[features]\r\nx = true # mine\r\n",
            "[features]",
            "[features.y]\nz = 1\n[b]\nc = 2\n",
        ] {
            let Ok(added) = add(text) else {
                assert!(text.contains("features.y"), "{text}");
                continue;
            };
            assert!(!is_missing(&added).expect("valid") && added.contains(LINE), "{added}");
            let removed = remove(&added, Some(text)).expect("it is there");
            assert_eq!(removed.trim_end(), text.trim_end(), "{added}");
        }
    }

    #[test]
    fn what_a_user_chose_stays() {
        for text in ["[features]\ndaemon_auto_start = true\n", "features.daemon_auto_start = false\n"] {
            assert!(!is_missing(text).expect("valid"));
            assert_eq!(remove(text, Some(text)), Ok(text.to_owned()));
        }
        let added = add("a = 1\n").expect("added") + "[b]\nc = 2\n";
        assert_eq!(remove(&added, Some("a = 1\n")), Ok("a = 1\n[b]\nc = 2\n".into()));
        assert_eq!(remove(&added, None), Ok("a = 1\n[b]\nc = 2\n".into()), "without a record");
        let used = add("").expect("added") + "x = true\n";
        assert_eq!(remove(&used, Some("")), Ok("[features]\nx = true\n".into()));
        assert!(add("features = { x = true }\n").is_err());
    }
}
