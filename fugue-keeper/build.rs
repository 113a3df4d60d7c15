//! Stops a build for another system than Linux. Every crate that needs Linux depends on this one, so this sentence is
//! the only error.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if target != "linux" {
        println!("cargo::error=fugue runs on Linux only (5.3 or later); it cannot be built for {target}");
    }
}
