//! The build script of the crates that differ in a "next" version, which is built to test upgrades to it and downgrades
//! from it: `FUGUE_NEXT=1` adds an event, a verb, and a message to both protocols. See CONTRIBUTING.md.

#[allow(
    clippy::disallowed_methods,
    reason = "a build script may read the environment, which the core may not"
)]
fn main() {
    println!("cargo::rustc-check-cfg=cfg(fugue_next)");
    println!("cargo::rerun-if-env-changed=FUGUE_NEXT");
    if std::env::var_os("FUGUE_NEXT").is_some() {
        println!("cargo::rustc-cfg=fugue_next");
    }
}
