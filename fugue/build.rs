//! Links the program to a fixed address. A position-independent one has some 20,000 addresses to relocate whenever it
//! starts, on 120 pages that each process then has a copy of: a fifth of the time of a one-shot command.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
