//! fugue-server
