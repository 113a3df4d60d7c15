//! fugue-keeper
