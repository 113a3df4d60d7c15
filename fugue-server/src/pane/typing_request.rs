//! A request to type a text into a pane. It may wait behind other input.

use fugue_core::edge_request::TypeRequest;

use crate::reply::Reply;

/// About how many bytes a request takes besides its text while it is queued: its keys' names and its reply.
pub(super) const REQUEST_BYTES: usize = 256;

/// A request to type a text.
pub(super) struct TypingRequest {
    pub(super) typing: TypeRequest,
    /// The end of the pane's text when the request was made.
    pub(super) cursor: String,
    pub(super) reply: Reply,
}

impl TypingRequest {
    /// About how many bytes it takes while it is queued.
    pub(super) fn bytes(&self) -> usize {
        self.typing.text.len() + self.typing.keys.iter().map(String::len).sum::<usize>() + REQUEST_BYTES
    }
}
