//! Checks of a call's arguments before it is sent, each with the error for the caller. An unknown argument is ignored in
//! a call that only reads, with a note in the result. A call that changes something is refused, because the argument may
//! have been the one that mattered, and so is one that waits, because the note would come only after the wait.

use fugue_protocol::Refusal;
use fugue_protocol::agent_messages::DeliveryMethod;
use fugue_protocol::escape::quoted;
use fugue_protocol::limits::MESSAGE_WAIT_MS;
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::Nature;
use serde_json::{Map, Value};

use super::{UnknownArgument, contradiction, read, unknown};
use crate::tools::{TARGETS, ToolEntry};

/// Arguments that say how long a call waits.
const TIMES: [&str; 2] = ["timeout_ms", "wait_ms"];

/// Why a call is not made.
#[derive(Debug)]
pub(crate) enum Rejection {
    /// A sentence and a hint in the words of this tool.
    Text(String),
    /// A refusal as the daemon would make it.
    Refusal(Refusal),
}

/// Checks the arguments as they were sent, before unknown ones are dropped.
pub(crate) fn check_names(entry: &ToolEntry, given: &Map<String, Value>) -> Result<(), Rejection> {
    if let Some(found) = contradiction(&entry.arguments, given) {
        let ([first, second], name) = (found.names.each_ref().map(|name| quoted(name)), found.canonical);
        let text = format!("`{first}` and `{second}` are the same argument and have different values");
        return Err(Rejection::Text(format!("{text}; nothing was done\nhint: give only `{name}`")));
    }
    if entry.verb.nature == Nature::Reads && entry.verb.properties.wait.is_none() {
        return Ok(());
    }
    let Some(unknown) = unknown(&entry.arguments, given).into_iter().next() else { return Ok(()) };
    let (tool, name, hint) = (&entry.tool.name, quoted(&unknown.name), suggestion(entry, &unknown));
    Err(Rejection::Text(format!("{tool} has no argument `{name}`; nothing was done\nhint: {hint}")))
}

/// Checks the arguments as they will be sent to the daemon. `can_push` says whether this agent has a messaging socket.
pub(crate) fn check_values(
    entry: &ToolEntry,
    args: &Map<String, Value>,
    can_push: bool,
) -> Result<(), Rejection> {
    check_times(args)?;
    check_strings(entry, args)?;
    check_target(entry, args)?;
    check_not_empty(args)?;
    check_delivery(args, can_push)
}

/// The notes for a call that is made anyway: ignored arguments, and times over the limit.
pub(crate) fn notes(entry: &ToolEntry, given: &Map<String, Value>) -> Vec<String> {
    let schema = &entry.arguments;
    let ignored = unknown(schema, given).into_iter().map(|unknown| {
        let (tool, name, hint) = (&entry.tool.name, quoted(&unknown.name), suggestion(entry, &unknown));
        format!("{tool} has no argument `{name}`, so it was ignored; {hint}")
    });
    let limited = read(schema, given.clone()).into_iter().filter(|(name, value)| {
        TIMES.contains(&name.as_str()) && value.as_u64().is_some_and(|time| time > MESSAGE_WAIT_MS)
    });
    let limited = limited
        .map(|(name, _)| format!("{name} was limited to {MESSAGE_WAIT_MS}; call again to keep waiting"));
    ignored.chain(limited).collect()
}

/// What to write in place of an unknown argument.
fn suggestion(entry: &ToolEntry, unknown: &UnknownArgument) -> String {
    if let Some(nearest) = &unknown.nearest {
        return format!("did you mean `{nearest}`?");
    }
    let properties = entry.arguments.get("properties").and_then(Value::as_object);
    let known: Vec<_> = properties.into_iter().flat_map(|all| all.keys()).map(String::as_str).collect();
    if known.is_empty() {
        "it takes no arguments".into()
    } else {
        format!("its arguments are {}", known.join(", "))
    }
}

/// A time must be a whole number. The daemon cannot check this, because it is sent only the time that is left.
fn check_times(args: &Map<String, Value>) -> Result<(), Rejection> {
    let times = TIMES.iter().filter_map(|name| Some((name, args.get(*name)?)));
    match times.into_iter().find(|(_, value)| !value.is_u64()) {
        None => Ok(()),
        Some((name, value)) => Err(Rejection::Text(format!(
            "{name}: must be a whole number of milliseconds, not {}\nhint: for example 30000",
            quoted(&value.to_string())
        ))),
    }
}

/// An array or object where a string is expected. The daemon cannot name the argument if several verbs share it.
fn check_strings(entry: &ToolEntry, args: &Map<String, Value>) -> Result<(), Rejection> {
    let is_string = |name: &str| entry.arguments["properties"][name]["type"] == "string";
    let mut structured = args.iter().filter(|(_, value)| value.is_array() || value.is_object());
    match structured.find(|(name, _)| is_string(name)) {
        None => Ok(()),
        Some((name, value)) => {
            let kind = if value.is_array() { "an array" } else { "an object" };
            let hint = format!("see the input schema of `{}`", entry.tool.name);
            Err(Rejection::Text(format!("{name}: must be a string, not {kind}\nhint: {hint}")))
        }
    }
}

/// A call that ends something must name it, and so must one that requires a target and changes something: outside a pane
/// it would otherwise reach whatever the user used last.
fn check_target(entry: &ToolEntry, args: &Map<String, Value>) -> Result<(), Rejection> {
    let targets = || TARGETS.into_iter().chain(entry.verb.properties.path);
    let requires = || entry.verb.properties.tool.required.iter().any(|name| TARGETS.contains(name));
    let needed = match entry.verb.nature {
        Nature::Reads => false,
        Nature::Changes => requires(),
        Nature::Ends => true,
    };
    if !needed || targets().any(|name| args.contains_key(name)) {
        return Ok(());
    }
    let properties = &entry.arguments["properties"];
    let names: Vec<_> = targets().filter(|name| properties.get(name).is_some()).collect();
    let list = if names.contains(&"client") { "fugue_list_clients" } else { "fugue_list_sessions" };
    let (tool, names) = (&entry.tool.name, names.join(" or "));
    Err(Rejection::Text(format!("{tool} needs a target\nhint: specify {names}; {list} lists them")))
}

/// A target must not be empty: to the daemon an empty list of panes is the same as none.
fn check_not_empty(args: &Map<String, Value>) -> Result<(), Rejection> {
    let invalid = |what, problem| Err(Rejection::Refusal(Refusal::argument(what, problem)));
    if args.get("panes").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        return invalid("panes", ArgumentProblem::NoPanes);
    }
    match TARGETS.into_iter().find(|name| args.get(*name).is_some_and(|value| value == "")) {
        Some(name) => invalid(name, ArgumentProblem::EmptyName),
        None => Ok(()),
    }
}

/// Push delivery needs a messaging socket, which only some agents have.
fn check_delivery(args: &Map<String, Value>, can_push: bool) -> Result<(), Rejection> {
    let push = DeliveryMethod::Push.to_string();
    let methods = args.get("deliver").and_then(Value::as_array);
    let wants_push = methods.is_some_and(|methods| methods.iter().any(|method| method == push.as_str()));
    if can_push || !wants_push {
        return Ok(());
    }
    Err(Rejection::Refusal(Refusal::argument("deliver", ArgumentProblem::PushUnavailable)))
}

#[cfg(test)]
mod tests {
    use fugue_protocol::refusal::Refused;
    use serde_json::json;

    use super::*;

    fn rejection(tool: &str, args: Value) -> String {
        let (entry, Value::Object(args)) = (crate::tools::find(tool).unwrap(), args) else {
            panic!("{tool}")
        };
        match check_names(entry, &args).and_then(|()| check_values(entry, &args, false)) {
            Ok(()) => "accepted".into(),
            Err(Rejection::Text(text)) => text,
            Err(Rejection::Refusal(refusal)) => Refused::from(&refusal).message,
        }
    }

    #[test]
    fn an_unknown_argument_is_refused_by_a_change_and_noted_by_a_read() {
        let args = json!({ "session": "work", "color": "red" });
        let refused = "fugue_set_tags has no argument `color`; nothing was done\n\
                       hint: its arguments are session, add, remove";
        assert_eq!(rejection("fugue_set_tags", args.clone()), refused);
        assert_eq!(rejection("fugue_get_tags", args.clone()), "accepted");
        let note = "fugue_get_tags has no argument `color`, so it was ignored; its arguments are session";
        assert_eq!(notes(crate::tools::find("fugue_get_tags").unwrap(), args.as_object().unwrap()), [note]);
    }

    #[test]
    fn an_unknown_argument_of_a_wait_is_refused_before_the_wait() {
        let refused = rejection("fugue_wait", json!({ "pane_id": "p", "timeout": 5 }));
        let expected =
            "fugue_wait has no argument `timeout`; nothing was done\nhint: did you mean `timeout_ms`?";
        assert_eq!(refused, expected);
    }

    #[test]
    fn a_call_that_ends_something_names_it() {
        let refused =
            "fugue_kill_session needs a target\nhint: specify session; fugue_list_sessions lists them";
        assert_eq!(rejection("fugue_remove_worktree", json!({ "path": "/src/fix" })), "accepted");
        assert_eq!(rejection("fugue_kill_session", json!({})), refused);
        assert_eq!(rejection("fugue_kill_session", json!({ "session": "" })), "session: must not be empty");
        assert_eq!(rejection("fugue_kill_session", json!({ "session": "work" })), "accepted");
        assert_eq!(rejection("fugue_detach_client", json!({ "client": 3 })), "accepted");
        let refused = "fugue_detach_client needs a target\nhint: specify session or client; fugue_list_clients lists them";
        assert_eq!(rejection("fugue_detach_client", json!({})), refused);
    }

    #[test]
    fn a_call_that_types_or_respawns_names_its_pane() {
        for (tool, args) in [("fugue_send_input", json!({ "input": "x" })), ("fugue_respawn_pane", json!({}))]
        {
            assert!(rejection(tool, args).contains(" needs a target\nhint: specify pane_id or session; "));
        }
        assert_eq!(rejection("fugue_send_input", json!({ "pane_id": "p", "input": "x" })), "accepted");
    }

    #[test]
    fn types_are_checked_where_the_daemon_cannot_name_the_argument() {
        let soon = rejection("fugue_wait", json!({ "timeout_ms": "soon" }));
        assert!(
            soon.starts_with("timeout_ms: must be a whole number of milliseconds, not \"soon\"\n"),
            "{soon}"
        );
        let list = rejection("fugue_create_session", json!({ "cwd": ["x"] }));
        assert!(list.starts_with("cwd: must be a string, not an array\n"), "{list}");
    }

    #[test]
    fn push_delivery_needs_a_messaging_socket() {
        let args = json!({ "deliver": ["push"] });
        assert!(rejection("fugue_subscribe_orchestration", args.clone()).starts_with("deliver: "));
        let entry = crate::tools::find("fugue_subscribe_orchestration").unwrap();
        assert!(check_values(entry, args.as_object().unwrap(), true).is_ok());
    }
}
