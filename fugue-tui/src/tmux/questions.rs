//! `command-prompt`: with a command, it asks a question and runs the command with the answer.

use super::flags::ParsedFlags;

/// The texts that tmux's own bindings suggest as an answer, and fugue's placeholders for them.
const SUGGESTED: [(&str, &str); 6] = [
    ("#W", "{window-name}"),
    ("#{window_name}", "{window-name}"),
    ("#S", "{session-name}"),
    ("#{session_name}", "{session-name}"),
    ("#T", "{pane-name}"),
    ("#{pane_title}", "{pane-name}"),
];

/// The words of fugue's command; the error is what it cannot do.
pub(super) fn words(given: &ParsedFlags<'_>) -> Result<Vec<String>, String> {
    let value = |letter| given.flags.iter().find(|(of, ..)| *of == letter).map(|(.., value)| *value);
    let suggested = suggestion(value('I').unwrap_or_default())?;
    let command = given.rest.join(" ");
    if !command.contains('%') {
        let text = [suggested, command].into_iter().find(|text| !text.is_empty());
        return Ok(std::iter::once("command-prompt".to_owned()).chain(text).collect());
    }
    let question = value('p').map(str::to_owned);
    let question =
        question.unwrap_or_else(|| format!("({})", given.rest[0].split(' ').next().unwrap_or_default()));
    if question.contains(',') || command.contains("%2") {
        return Err("with several prompts".into());
    }
    Ok(vec!["ask".into(), format!("{} ", question.trim_end()), suggested, with_answer(&command)])
}

fn suggestion(text: &str) -> Result<String, String> {
    let known = SUGGESTED.iter().find(|(format, _)| *format == text).map(|(_, placeholder)| *placeholder);
    match known {
        None if text.contains('#') => Err(format!("-I {text}")),
        known => Ok(known.unwrap_or(text).to_owned()),
    }
}

/// A command in which the answer, which is one word, takes the place of `%%` and the quotes around it.
fn with_answer(command: &str) -> String {
    let places = ["\"%%%\"", "'%%'", "\"%%\"", "%%%", "%%", "'%1'", "\"%1\"", "%1"];
    places.iter().fold(command.to_owned(), |command, place| command.replace(place, "{answer}"))
}
