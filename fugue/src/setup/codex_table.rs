//! The table `[mcp_servers.fugue]` in Codex's `config.toml`.

use toml::{Table, Value};

use super::toml_text::{self, checked, drop_empty_line, header, insert_after_header, lines, parse};

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
    let lines = [
        format!("[{}]", PATH.join(".")),
        format!("command = {}", Value::from(command)),
        "args = [\"mcp\"]".into(),
        variables_line(),
        format!("tool_timeout_sec = {TOOL_TIMEOUT}"),
    ];
    let added = toml_text::append(text, &lines);
    checked(text, added, PATH, "[mcp_servers.fugue] cannot be appended to the file")
}

/// Adds the variables to a table that passes none of them on.
pub(super) fn add_variables(text: &str) -> Result<String, String> {
    let failed = format!("add {} to [mcp_servers.fugue] manually", variables_line());
    let added = insert_after_header(text, &PATH, &variables_line()).ok_or_else(|| failed.clone())?;
    checked(text, added, PATH, &failed)
}

fn variables_line() -> String {
    format!("env_vars = [{}]", PANE_VARIABLES.map(|name| format!("{name:?}")).join(", "))
}

/// Removes the table and those inside it, with the empty line before it that `add` wrote. Comments after its last entry
/// stay: they are about what follows.
pub(super) fn remove(text: &str) -> Result<String, String> {
    let mut kept = String::new();
    let mut inside = false;
    let mut after = String::new();
    for (_, line) in lines(text) {
        let path = header(line);
        let is_ours = path.as_ref().map_or(inside, |path| path.starts_with(&PATH.map(str::to_owned)));
        if is_ours && !inside {
            drop_empty_line(&mut kept);
        }
        match is_ours {
            false => kept += &(std::mem::take(&mut after) + line),
            true if line.trim_start().starts_with('#') => after += line,
            true if line.trim().is_empty() && !after.is_empty() => after += line,
            true if line.trim().is_empty() => {}
            true => after.clear(),
        }
        inside = is_ours;
    }
    kept += &after;
    checked(text, kept, PATH, "[mcp_servers.fugue] cannot be removed; try `codex mcp remove fugue`")
}

fn server(table: &Table) -> Option<&Table> {
    table.get(PATH[0])?.as_table()?.get(PATH[1])?.as_table()
}

fn server_fields(table: &Table) -> impl Iterator<Item = (&String, &Value)> {
    server(table).into_iter().flatten()
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
    fn comments_after_the_table_stay() {
        let ours = add("a = 1\n", "fugue").expect("added");
        let rest = "# about b\n\n[b] # b\nc = 2\n";
        assert_eq!(remove(&format!("{ours}\n{rest}")), Ok(format!("a = 1\n{rest}")));
        assert_eq!(remove(&(ours.clone() + "# the end\n")), Ok("a = 1\n# the end\n".into()));
        let within = ours.replace("args", "# about ours\nargs");
        assert_eq!(remove(&within), Ok("a = 1\n".into()));
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
