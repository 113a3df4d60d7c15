//! Errors of serde, reworded for whoever wrote the JSON: where the mistake is, what is expected there, and what was
//! found. serde's own messages name Rust types.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::located_value;

/// Deserializes a value; an error says where the mistake is, and what it is.
pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    located_value::read(value).map_err(|error| {
        let why = describe(&error.why);
        if error.path.is_empty() { why } else { format!("{}: {why}", error.path) }
    })
}

/// Rewords a message of serde.
pub(super) fn describe(why: &str) -> String {
    let why = why.split(" at line ").next().unwrap_or_default();
    let mismatch = why.strip_prefix("invalid type: ").or_else(|| why.strip_prefix("invalid value: "));
    if let Some((found, wanted)) = mismatch.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("expected {}, found {}", expected(wanted), found_value(found));
    }
    if let Some(name) = why.strip_prefix("missing field ") {
        return format!("{name} is missing");
    }
    if let Some((name, names)) =
        why.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected "))
    {
        return format!("{name} is not {names}");
    }
    if let Some((name, names)) =
        why.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", expected "))
    {
        return format!("unknown field {name}, expected one of {}", names.trim_start_matches("one of "));
    }
    if why.starts_with("data did not match any variant") {
        return "does not match any accepted form".into();
    }
    why.to_owned()
}

/// The expected type in plain words.
fn expected(wanted: &str) -> String {
    match wanted {
        "u8" => "an integer from 0 to 255".into(),
        "u16" => format!("an integer from 0 to {}", u16::MAX),
        "u32" => format!("an integer from 0 to {}", u32::MAX),
        "u64" | "u128" | "usize" => "a non-negative integer".into(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer".into(),
        "f32" | "f64" => "a number".into(),
        "a string" | "a borrowed string" => "a string".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        "a map" => "an object".into(),
        other if other.starts_with("struct ") => "an object".into(),
        other if other.starts_with("enum ") || other.starts_with("tuple ") => "another value".into(),
        other => other.to_owned(),
    }
}

/// The value that was found, in plain words.
fn found_value(found: &str) -> String {
    let after = |kind: &str| found.strip_prefix(kind).map(str::trim_start);
    match found {
        "map" => "an object".into(),
        "sequence" => "a list".into(),
        "null" | "unit value" | "Option value" => "null".into(),
        _ => after("string").map(|text| format!("the string {text}")).unwrap_or_else(|| {
            let plain = ["integer", "floating point", "boolean", "character"].into_iter().find_map(after);
            plain.unwrap_or(found).to_owned()
        }),
    }
}

#[cfg(test)]
mod tests {
    use crate::Refusal;
    use crate::verbs::{CreateLayout, ResizePane, SendInput, VerbSpec, argument_names};

    fn fails<V: VerbSpec>(args: &str, expected: &str) {
        match argument_names::read::<V>(args) {
            Err(Refusal::BadArguments { why, .. }) => assert_eq!(why, expected, "{args}"),
            Err(other) => panic!("{args}: {other}"),
            Ok(_) => panic!("{args} was accepted"),
        }
    }

    #[test]
    fn an_error_names_the_argument_and_the_expected_type() {
        fails::<ResizePane>(
            r#"{"cols":"wide"}"#,
            r#"cols: expected an integer from 0 to 65535, found the string "wide""#,
        );
        fails::<ResizePane>(r#"{"cols":70000}"#, "cols: expected an integer from 0 to 65535, found `70000`");
        fails::<SendInput>(r#"{"input":[1]}"#, "input: expected a string, found a list");
        fails::<SendInput>("[]", "expected an object, found a list");
    }

    #[test]
    fn an_error_in_a_layout_names_its_path() {
        fails::<CreateLayout>("{}", "`layout` is missing");
        fails::<CreateLayout>(
            r#"{"layout":[]}"#,
            "layout: expected an object that describes a pane or a split, found a list",
        );
        fails::<CreateLayout>(
            r#"{"layout":{"direction":"right","children":[{},{"argv":[]}]}}"#,
            "layout.children[1].argv: must not be empty; omit it instead",
        );
        fails::<CreateLayout>(
            r#"{"layout":{"direction":"right","children":[{"ratio":"x"},{}]}}"#,
            r#"layout.children[0].ratio: expected an integer from 0 to 4294967295, found the string "x""#,
        );
    }
}
