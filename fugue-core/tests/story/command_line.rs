//! Parses command lines as the `fugue` command does.

use fugue_protocol::Verb;
use fugue_protocol::verbs::VerbInfo;

/// The verb of a line: `name --flags -- words`, or `name {"json": …}`.
pub(super) fn verb(line: &str) -> Result<Verb, String> {
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    if rest.starts_with('{') {
        return Verb::read(name, rest).map_err(|refusal| refusal.to_string());
    }
    let verb = VerbInfo::find(name).ok_or_else(|| format!("no verb `{name}`"))?;
    let command = verb.command().no_binary_name(true);
    let matches = command.try_get_matches_from(words(rest)).map_err(|why| why.to_string())?;
    verb.from_matches(&matches).map_err(|why| why.to_string())
}

/// Splits a line into words as a shell does; single quotes group.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}
