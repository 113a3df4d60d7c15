//! The name that was probably meant.

use fugue_protocol::refusal::nearest;

/// Returns `; did you mean "…"?`, or nothing if no name is similar.
pub(crate) fn did_you_mean<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> String {
    nearest(wrong, names).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default()
}
