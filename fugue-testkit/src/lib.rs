//! fugue-testkit
