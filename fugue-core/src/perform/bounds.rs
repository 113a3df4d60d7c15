//! Numbers that go too far are refused: to change them in silence would be to do something else than was asked.

use fugue_protocol::Refusal;

/// Refuses a number above a bound.
pub(super) fn at_most(what: &'static str, given: u64, most: u64) -> Result<(), Refusal> {
    if given <= most {
        return Ok(());
    }
    Err(Refusal::InvalidArgument { what, why: format!("{given} is more than the most, {most}") })
}
