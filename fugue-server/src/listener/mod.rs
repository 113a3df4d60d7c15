//! Where clients reach the daemon: its listening socket, and the address that is published beside the state.

pub(crate) mod published_address;
pub(crate) mod socket;
