//! fugue-screen
