//! Hints in the language of tools: tool names, and arguments as JSON.

use fugue_protocol::refusal::{CommandLineWords, HintArgument, HintWords};
use fugue_protocol::verbs::{ListPanes, ListSessions, VerbSpec};
use serde_json::Value;

use crate::tools;

/// The language of MCP tools.
pub(crate) struct ToolWords;

impl HintWords for ToolWords {
    fn invocation(&self, verb: &str, args: &[HintArgument]) -> String {
        // The list of sessions shows panes too, and is one of the tools that are listed by default.
        let verb = if verb == ListPanes::NAME { ListSessions::NAME } else { verb };
        // A verb without a tool is for the user, who has a command line.
        let Some(entry) = tools::find(&tools::name_of(verb)) else {
            return CommandLineWords.invocation(verb, args);
        };
        let args: Vec<_> = args.iter().map(|arg| self.argument(&arg.name, Some(&arg.value))).collect();
        let with = if args.is_empty() { String::new() } else { format!(" with {}", args.join(", ")) };
        let is_core = entry.verb.properties.tool.core.is_some();
        let by = if is_core {
            String::new()
        } else {
            format!(" (use `{}` if this tool is not listed)", tools::CALL)
        };
        format!("`{}`{with}{by}", entry.tool.name)
    }

    fn argument(&self, name: &str, value: Option<&Value>) -> String {
        let name = tools::argument_name(name);
        match value {
            Some(value) => format!("`{name}: {value}`"),
            None => format!("`{name}`"),
        }
    }

    fn help(&self, verb: Option<&str>) -> String {
        match verb {
            Some(verb) => format!("the input schema of `{}` lists its arguments", tools::name_of(verb)),
            None => format!("`{}` lists the other tools", tools::HELP),
        }
    }

    fn attach(&self, session: &str) -> String {
        let args = [HintArgument::new("session", session)];
        format!("{} lists its panes", self.invocation(ListPanes::NAME, &args))
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::refusal::Hint;
    use fugue_protocol::verbs::{ListWorktrees, RespawnPane, Shutdown, Wait};

    use super::*;

    #[test]
    fn hints_name_tools_and_arguments_as_json() {
        let until = HintArgument::new("until", "command_done");
        for (hint, text) in [
            (Hint::use_verb::<RespawnPane>("restarts it"), "`fugue_respawn_pane` restarts it"),
            (
                Hint::use_with::<Wait>([until], "waits for it"),
                "`fugue_wait` with `until: \"command_done\"` waits for it",
            ),
            (Hint::omit("pane", "to run in a new pane"), "omit `pane_id` to run in a new pane"),
            (
                Hint::Help { verb: Some("get-output".into()) },
                "the input schema of `fugue_get_output` lists its arguments",
            ),
            (
                Hint::Attach { session: "work".into() },
                "`fugue_list_sessions` with `session: \"work\"` lists its panes",
            ),
            (
                Hint::use_verb::<ListWorktrees>("lists them"),
                "`fugue_list_worktrees` (use `fugue_call` if this tool is not listed) lists them",
            ),
            (Hint::use_verb::<Shutdown>("stops the daemon"), "`fugue shutdown` stops the daemon"),
        ] {
            assert_eq!(ToolWords.hint(&hint), text);
        }
    }
}
