//! Numbers above their maximum are refused rather than lowered silently, which would do something else than was asked.

use fugue_protocol::Refusal;
use fugue_protocol::refusal::{ArgumentProblem, Quantity};

/// Refuses the argument `what` if it exceeds `maximum`.
pub(super) fn at_most(
    what: &'static str,
    quantity: Quantity,
    given: u64,
    maximum: u64,
) -> Result<(), Refusal> {
    if given <= maximum {
        return Ok(());
    }
    Err(Refusal::argument(what, ArgumentProblem::AboveMaximum { given, maximum, quantity }))
}
