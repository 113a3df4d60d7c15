//! fugue-core
