//! The table `[mcp_servers.fugue]` in Codex's `config.toml`. It is added and removed as text, so that the rest of the
//! file, comments and line endings included, stays as it is; the result is parsed to make sure of that.

use toml::{Table, Value};

/// The tables of this one begin with it.
const PATH: [&str; 2] = ["mcp_servers", "fugue"];

/// The variables that Codex must pass on: they tell `fugue mcp` which pane it is in. Codex passes on none by itself.
pub(super) const PANE_VARIABLES: [&str; 3] = ["FUGUE_PANE_ID", "FUGUE_PANE_KEY", "FUGUE_SOCKET"];

/// How long Codex lets a tool run, in seconds: a little more than the longest wait.
const TOOL_TIMEOUT: u32 = 120;

/// What a file says about fugue's MCP server.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CodexServer {
    /// Nothing.
    Missing,
    /// It is registered, but not all variables are passed on.
    WithoutVariables,
    /// It is registered.
    Complete,
    /// The name is taken by a server that runs this command.
    Other(String),
}

/// Reads a file. The error says what is wrong with it.
pub(super) fn read(text: &str) -> Result<CodexServer, String> {
    let table = parse(text)?;
    let Some(server) = server(&table) else { return Ok(CodexServer::Missing) };
    let command = server.get("command").and_then(Value::as_str).unwrap_or_default();
    let arguments = server.get("args").and_then(Value::as_array);
    let argument = arguments.and_then(|list| list.first()?.as_str()).unwrap_or_default();
    if !super::runs_fugue(command) || argument != "mcp" {
        return Ok(CodexServer::Other(format!("{command} {argument}").trim().to_owned()));
    }
    let passed = server.get("env_vars").and_then(Value::as_array);
    let passes = |name: &str| passed.is_some_and(|list| list.iter().any(|item| item.as_str() == Some(name)));
    let complete = PANE_VARIABLES.iter().all(|name| passes(name));
    Ok(if complete { CodexServer::Complete } else { CodexServer::WithoutVariables })
}

/// Whether the table is the one that `add` writes.
pub(super) fn is_current(text: &str, command: &str) -> Result<bool, String> {
    let (table, wanted) = (parse(text)?, parse(&add("", command)?)?);
    let has = |server: &Table| server_fields(&wanted).all(|(key, value)| server.get(key) == Some(value));
    Ok(server(&table).is_some_and(has))
}

/// Adds the table at the end of a file that has none.
pub(super) fn add(text: &str, command: &str) -> Result<String, String> {
    let newline = newline(text);
    let gap = match text {
        "" => "",
        text if text.ends_with(&newline.repeat(2)) => "",
        text if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    let variables = PANE_VARIABLES.map(|name| format!("{name:?}")).join(", ");
    let lines = [
        format!("[{}]", PATH.join(".")),
        format!("command = {}", Value::from(command)),
        "args = [\"mcp\"]".into(),
        format!("env_vars = [{variables}]"),
        format!("tool_timeout_sec = {TOOL_TIMEOUT}"),
        String::new(),
    ];
    let added = format!("{text}{gap}{}", lines.join(newline));
    check(text, &added, "[mcp_servers.fugue] cannot be added at its end")
}

/// Adds the variables to a table that passes none of them on.
pub(super) fn add_variables(text: &str) -> Result<String, String> {
    let hint = format!("add env_vars = {PANE_VARIABLES:?} to [mcp_servers.fugue] yourself");
    let header = lines(text).find(|(_, line)| header(line).is_some_and(|path| path == PATH));
    let Some((start, line)) = header else { return Err(hint) };
    let at = start + line.len();
    let newline = if line.ends_with('\n') { "" } else { newline(text) };
    let variables = PANE_VARIABLES.map(|name| format!("{name:?}")).join(", ");
    let line = format!("{newline}env_vars = [{variables}]{}", self::newline(text));
    check(text, &format!("{}{line}{}", &text[..at], &text[at..]), &hint)
}

/// Removes the table and those inside it, with the empty line before it that `add` wrote.
pub(super) fn remove(text: &str) -> Result<String, String> {
    let mut kept = String::new();
    let mut inside = false;
    for (_, line) in lines(text) {
        if let Some(path) = header(line) {
            let ours = path.starts_with(&PATH.map(str::to_owned));
            if ours && !inside {
                drop_empty_line(&mut kept);
            }
            inside = ours;
        }
        if !inside {
            kept += line;
        }
    }
    check(text, &kept, "[mcp_servers.fugue] cannot be removed; try `codex mcp remove fugue`")
}

fn drop_empty_line(text: &mut String) {
    for end in ["\r\n\r\n", "\n\n"] {
        if text.ends_with(end) {
            text.truncate(text.len() - end.len() / 2);
            return;
        }
    }
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the lines with their line breaks, and where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

/// Returns the path of a table's header.
fn header(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start();
    if !line.starts_with('[') {
        return None;
    }
    let (mut path, mut table) = (Vec::new(), line.parse::<Table>().ok()?);
    while let Some((key, value)) = table.into_iter().next() {
        path.push(key);
        table = if let Value::Table(inner) = value { inner } else { Table::new() };
    }
    Some(path)
}

fn parse(text: &str) -> Result<Table, String> {
    text.trim_start_matches('\u{feff}').parse().map_err(|why: toml::de::Error| {
        let line = why.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        format!("{} in line {line}", why.message())
    })
}

fn server(table: &Table) -> Option<&Table> {
    table.get(PATH[0])?.as_table()?.get(PATH[1])?.as_table()
}

fn server_fields(table: &Table) -> impl Iterator<Item = (&String, &Value)> {
    server(table).into_iter().flatten()
}

/// Returns the edited text, if nothing but fugue's server differs.
fn check(before: &str, after: &str, failed: &str) -> Result<String, String> {
    let others = |text: &str| -> Result<Table, String> {
        let mut table = parse(text)?;
        if let Some(servers) = table.get_mut(PATH[0]).and_then(Value::as_table_mut) {
            servers.remove(PATH[1]);
        }
        // A table of no servers means the same as none.
        table.retain(|name, value| {
            name != PATH[0] || value.as_table().is_none_or(|servers| !servers.is_empty())
        });
        Ok(table)
    };
    match (others(before), others(after)) {
        (Ok(before), Ok(after_others)) if before == after_others => Ok(after.to_owned()),
        _ => Err(failed.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 6] = [
        "",
        "model = \"x\" # why\n",
        "# top\r\n[mcp_servers.other]\r\ncommand = \"o\"\r\n\r\n[a]\r\nb = 1\r\n",
        "mcp_servers.other.command = \"o\"\n[\"quoted.name\"]\nx = \"\"\"\n[mcp_servers.fugue]\n\"\"\"\n\n",
        "a = 1",
        "[mcp_servers]\n",
    ];

    #[test]
    fn removing_the_table_restores_the_rest_of_the_file() {
        for text in FILES {
            let added = add(text, "fugue").expect(text);
            assert_eq!(read(&added), Ok(CodexServer::Complete), "{added}");
            // A header in a string cannot be told from a real one by its line alone.
            if !text.contains("\"\"\"") {
                assert_eq!(remove(&added).expect("it is there").trim_end(), text.trim_end());
            }
        }
    }

    #[test]
    fn tables_that_codex_added_to_ours_go_with_it() {
        let added = add("a = 1\n", "fugue").expect("added")
            + "\n[mcp_servers.fugue.tools.x]\napproval_mode = \"approve\"\n[b]\nc = 2\n";
        assert_eq!(remove(&added), Ok("a = 1\n[b]\nc = 2\n".into()));
    }

    #[test]
    fn an_inline_table_of_servers_is_left_alone() {
        assert!(add("mcp_servers = { other = { command = \"o\" } }\n", "fugue").is_err());
        assert!(add("not toml", "fugue").is_err());
    }

    #[test]
    fn a_server_without_the_variables_gets_them() {
        let text = "[mcp_servers.fugue] # mine\ncommand = \"/opt/fugue\"\nargs = [\"mcp\"]\n";
        assert_eq!(read(text), Ok(CodexServer::WithoutVariables));
        let added = add_variables(text).expect("added");
        assert_eq!(read(&added), Ok(CodexServer::Complete), "{added}");
        assert!(added.contains("# mine"));
        let some = text.to_owned() + "env_vars = [\"FUGUE_PANE_ID\"]\n";
        assert!(add_variables(&some).is_err_and(|why| why.contains("env_vars")));
        assert_eq!(
            read("[mcp_servers.fugue]\ncommand = \"other\"\n"),
            Ok(CodexServer::Other("other".into()))
        );
    }
}
