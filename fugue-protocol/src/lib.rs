//! fugue-protocol
