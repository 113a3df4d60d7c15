//! A refusal as it travels: readable by a client of any version.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{CommandLineWords, Hint, HintWords, Refusal};
use crate::escape::quoted;

/// A refusal as a client receives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The code for programs: `session_not_found`.
    pub code: String,
    /// One sentence that names what failed.
    pub message: String,
    /// The next step in the language of the command line, for clients that do not read `hints`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The next steps as data. Empty when the daemon is older, or knows a step that this client does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "known_hints")]
    pub hints: Vec<Hint>,
    /// The facts behind the sentence, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub detail: Map<String, Value>,
}

impl Refused {
    /// The next step in the language of a surface; the daemon's wording when it sent no typed hints.
    pub fn hint_in(&self, words: &impl HintWords) -> Option<String> {
        words.hints(&self.hints).map(|hint| quoted(&hint).into_owned()).or_else(|| self.hint.clone())
    }
}

/// Reads typed hints; a newer daemon may send one that is not known here, and then none are used.
fn known_hints<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Hint>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).unwrap_or_default())
}

impl From<&Refusal> for Refused {
    fn from(refusal: &Refusal) -> Self {
        let mut detail = match serde_json::to_value(refusal) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let code =
            detail.remove("code").and_then(|code| code.as_str().map(str::to_owned)).unwrap_or_default();
        detail.retain(|_, value| !value.is_null());
        for value in detail.values_mut() {
            if let Value::String(text) = value {
                *text = quoted(text).into_owned();
            }
        }
        let message = quoted(&refusal.to_string()).into_owned();
        let hints = refusal.hints();
        let hint = CommandLineWords.hints(&hints).map(|hint| quoted(&hint).into_owned());
        Self { code, message, hint, hints, detail }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_travels_with_code_message_hints_and_detail() {
        let refusal = Refusal::SessionNotFound { session: "wrk".into(), nearest: Some("work".into()) };
        let refused = Refused::from(&refusal);
        assert_eq!(refused.code, "session_not_found");
        assert_eq!(refused.message, "Session not found: wrk");
        assert_eq!(refused.hint.as_deref(), Some("did you mean `work`?"));
        assert_eq!(refused.hints, [Hint::DidYouMean("work".into())]);
        assert_eq!(refused.detail["session"], "wrk");
        let json = serde_json::to_string(&refused).unwrap();
        assert_eq!(serde_json::from_str::<Refused>(&json).unwrap(), refused);
    }

    #[test]
    fn a_hint_of_a_newer_daemon_falls_back_to_its_wording() {
        let json = r#"{"code":"x","message":"X","hint":"`fugue x` helps","hints":[{"teleport":{}}]}"#;
        let refused: Refused = serde_json::from_str(json).unwrap();
        assert_eq!(refused.hint_in(&CommandLineWords).as_deref(), Some("`fugue x` helps"));
    }

    #[test]
    fn quoted_input_is_shortened_and_escaped() {
        let pane = format!("\u{1b}[2J{}", "x".repeat(200_000));
        let refused = Refused::from(&Refusal::AmbiguousPane { pane, count: 2 });
        assert!(refused.message.starts_with("`\\u{1b}[2Jxxx"), "{}", refused.message);
        assert!(refused.message.ends_with("xxx` matches 2 panes"), "{}", refused.message);
        assert!(serde_json::to_string(&refused).unwrap().len() < 4_000);
    }
}
