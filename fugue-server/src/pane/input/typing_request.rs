//! A request to type a text into a pane. It may wait behind other input.

use fugue_core::edge_request::TypeRequest;

use crate::replies::reply::Reply;

/// About how many bytes a request takes besides its text while it is queued: its keys' names and its reply.
pub(super) const REQUEST_BYTES: usize = 256;

/// A request to type a text.
pub(crate) struct TypingRequest {
    pub(crate) typing: TypeRequest,
    /// The end of the pane's text when the request was made.
    pub(crate) cursor: String,
    pub(crate) reply: Reply,
}

impl TypingRequest {
    /// About how many bytes it takes while it is queued.
    pub(crate) fn bytes(&self) -> usize {
        self.typing.text.len() + self.typing.keys.iter().map(String::len).sum::<usize>() + REQUEST_BYTES
    }
}
