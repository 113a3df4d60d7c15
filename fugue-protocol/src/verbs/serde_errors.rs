//! Why something could not be read, in words for whoever wrote it: where it stands, what is wanted there and what stands
//! there. The reader's own words speak of how this program is made.

use serde::Deserializer;
use serde::de::DeserializeOwned;

/// Reads a value; if it cannot be read, says where and why.
pub(super) fn read<'de, T: DeserializeOwned, D: Deserializer<'de>>(from: D) -> Result<T, String> {
    serde_path_to_error::deserialize(from).map_err(|trouble| {
        let (path, why) = (trouble.path().to_string(), worded(&trouble.inner().to_string()));
        if path == "." { why } else { format!("{path}: {why}") }
    })
}

/// The reader's sentence, in ours.
pub(super) fn worded(why: &str) -> String {
    let why = why.split(" at line ").next().unwrap_or_default();
    let unfitting = why.strip_prefix("invalid type: ").or_else(|| why.strip_prefix("invalid value: "));
    if let Some((found, wanted)) = unfitting.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("{} is wanted, not {}", kind(wanted), thing(found));
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
        return format!("there is no {name} here, but {}", names.trim_start_matches("one of "));
    }
    if why.starts_with("data did not match any variant") {
        return "it has none of the forms that it can have".into();
    }
    why.to_owned()
}

/// What is wanted.
fn kind(wanted: &str) -> String {
    match wanted {
        "u8" => "a whole number from 0 to 255".into(),
        "u16" => format!("a whole number from 0 to {}", u16::MAX),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "u64" | "u128" | "usize" => "a whole number, 0 or more".into(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".into(),
        "f32" | "f64" => "a number".into(),
        "a string" | "a borrowed string" => "a text".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        "a map" => "an object".into(),
        other if other.starts_with("struct ") => "an object".into(),
        other if other.starts_with("enum ") || other.starts_with("tuple ") => "something else".into(),
        other => other.to_owned(),
    }
}

/// What stands there.
fn thing(found: &str) -> String {
    let after = |kind: &str| found.strip_prefix(kind).map(str::trim_start);
    match found {
        "map" => "an object".into(),
        "sequence" => "a list".into(),
        "null" | "unit value" | "Option value" => "null".into(),
        _ => after("string").map(|text| format!("the text {text}")).unwrap_or_else(|| {
            let plain = ["integer", "floating point", "boolean", "character"].into_iter().find_map(after);
            plain.unwrap_or(found).to_owned()
        }),
    }
}

#[cfg(test)]
mod tests {
    use crate::Refusal;
    use crate::verbs::{CreateLayout, ResizePane, SendInput, VerbSpec, argument_names};

    fn says<V: VerbSpec>(args: &str, expected: &str) {
        match argument_names::read::<V>(args) {
            Err(Refusal::BadArguments { why, .. }) => assert_eq!(why, expected, "{args}"),
            Err(other) => panic!("{args}: {other}"),
            Ok(_) => panic!("{args} was read"),
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_by_place_and_kind() {
        says::<ResizePane>(
            r#"{"cols":"wide"}"#,
            r#"cols: a whole number from 0 to 65535 is wanted, not the text "wide""#,
        );
        says::<ResizePane>(
            r#"{"cols":70000}"#,
            "cols: a whole number from 0 to 65535 is wanted, not `70000`",
        );
        says::<SendInput>(r#"{"input":[1]}"#, "input: a text is wanted, not a list");
        says::<SendInput>("[]", "an object is wanted, not a list");
    }

    #[test]
    fn a_layout_that_cannot_be_read_is_told_where() {
        says::<CreateLayout>("{}", "`layout` is missing");
        says::<CreateLayout>(
            r#"{"layout":[]}"#,
            "layout: an object that describes a pane or a split is wanted, not a list",
        );
        says::<CreateLayout>(
            r#"{"layout":{"direction":"right","children":[{},{"argv":[]}]}}"#,
            "layout.children[1].argv: it is empty; leave it out instead",
        );
        says::<CreateLayout>(
            r#"{"layout":{"direction":"right","children":[{"ratio":"x"},{}]}}"#,
            r#"layout.children[0].ratio: a whole number from 0 to 4294967295 is wanted, not the text "x""#,
        );
    }
}
