//! fugue-client
