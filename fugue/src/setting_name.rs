//! The name of a setting or a section on a command line: shells complete it, and a wrong one gets a suggestion.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use fugue_protocol::refusal::nearest;

/// Parses the name of a setting, such as `client.mouse`, or of a section, such as `keys`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SettingNameParser;

impl TypedValueParser for SettingNameParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().try_map(checked).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(fugue_config::names().into_iter().map(PossibleValue::new)))
    }
}

fn checked(name: String) -> Result<String, String> {
    let names = fugue_config::names();
    if names.contains(&name) {
        return Ok(name);
    }
    // The section may be missing.
    let without_section = |full: &str| full.rsplit('.').next().unwrap_or_default().to_owned();
    let short: Vec<_> = names.iter().map(|full| without_section(full)).collect();
    let similar = nearest(&name, names.iter().chain(&short).map(String::as_str));
    let similar =
        similar.and_then(|near| names.iter().find(|full| **full == near || without_section(full) == near));
    Err(match similar {
        Some(similar) => format!("there is no such setting; did you mean `{similar}`?"),
        None => "there is no such setting; `fugue config show` lists all".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_gets_a_suggestion() {
        let wrong = |name: &str| checked(name.into()).expect_err("no such setting");
        assert_eq!(checked("client.mouse".into()), Ok("client.mouse".into()));
        assert!(wrong("mous").ends_with("did you mean `client.mouse`?"), "{}", wrong("mous"));
        assert!(wrong("client.mose").ends_with("did you mean `client.mouse`?"));
        assert!(wrong("nothing-like-it").ends_with("`fugue config show` lists all"));
    }
}
