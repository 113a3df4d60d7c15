//! The fugue binary.
fn main() {}
