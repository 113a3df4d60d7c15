//! Refusals on a command line: the daemon names arguments as they are in a request, and people know them as flags.

use clap::Command;
use fugue_client::CallError;
use fugue_protocol::verbs::VerbInfo;

/// The code of refusals that are about an argument. Other messages contain the user's words, which stay as they are.
const INVALID_ARGUMENT: &str = "invalid_argument";

/// Names the arguments of a verb in an error as its command line does.
pub(crate) fn with_flags(verb: &VerbInfo, error: CallError) -> CallError {
    match error {
        CallError::Refused(mut refused) if refused.code == INVALID_ARGUMENT => {
            refused.message = worded(&verb.command(), &refused.message);
            CallError::Refused(refused)
        }
        error => error,
    }
}

/// A message that may begin with an argument (`pattern: …`), or contain some, in backticks or with an underscore.
fn worded(command: &Command, message: &str) -> String {
    let (first, rest) = message.split_once(": ").unwrap_or(("", message));
    let words = rest.split(' ').map(|word| {
        let quoted = word.strip_prefix('`').and_then(|word| word.strip_suffix('`'));
        let name = quoted.or(Some(word).filter(|word| word.contains('_')));
        name.and_then(|name| flag(command, name)).unwrap_or_else(|| word.to_owned())
    });
    let rest = words.collect::<Vec<_>>().join(" ");
    match (first, flag(command, first)) {
        ("", _) => rest,
        (_, Some(flag)) => format!("{flag}: {rest}"),
        (first, None) => format!("{first}: {rest}"),
    }
}

/// The flag of an argument, if it has one.
fn flag(command: &Command, name: &str) -> Option<String> {
    let argument = command.get_arguments().find(|argument| argument.get_id() == name)?;
    argument.get_long().map(|long| format!("--{long}"))
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Refusal;
    use fugue_protocol::refusal::{ArgumentProblem, Refused};

    use super::*;

    #[test]
    fn arguments_are_named_as_flags() {
        let wait = VerbInfo::by_name_or_alias("wait").expect("a verb").command();
        let matching = "pattern: required when waiting for a match";
        assert_eq!(worded(&wait, matching), "--match: required when waiting for a match");
        assert_eq!(worded(&wait, "timeout_ms: 9 exceeds 8"), "--timeout-ms: 9 exceeds 8");
        assert_eq!(worded(&wait, "not without idle_ms"), "not without --idle-ms");
        let resize = VerbInfo::by_name_or_alias("resize-pane").expect("a verb").command();
        let size = "direction: give a direction, or a size in `cols` or `rows`";
        let flags = "--direction: give a direction, or a size in --cols or --rows";
        assert_eq!(worded(&resize, size), flags);
        let verb = VerbInfo::by_name_or_alias("wait").expect("a verb");
        let pane = "timeout_ms".to_owned();
        let missing = Refused::from(&Refusal::PaneNotFound { pane, exit: None });
        let said = with_flags(verb, missing.into()).message();
        assert_eq!(said, "Pane not found: timeout_ms", "a name stays as it is");
        let refusal = Refusal::argument("pattern", ArgumentProblem::PatternRequired);
        let said = with_flags(verb, Refused::from(&refusal).into()).message();
        assert_eq!(said, "--match: required when waiting for a match");
    }
}
