//! A command line, read as the program reads it.

use fugue_protocol::Verb;
use fugue_protocol::verbs::VerbInfo;

/// The verb that a line says: `name --flags -- words`, or `name {"json": …}`.
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

/// Words, as a shell divides them; single quotes hold one together.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}
