//! Makes the program start faster: it is linked to a fixed address and needs one fewer shared library. Every
//! command starts a process, so this is a good part of its time.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        // A position-independent program has some 20,000 addresses to relocate whenever it starts, on 120 pages that
        // each process then has a copy of: a fifth of the time of a command, packed or not. docs/security.md says what
        // that means.
        println!("cargo::rustc-link-arg-bins=-no-pie");
        if let Some(directory) = unwinder_directory() {
            println!("cargo::rustc-link-search=native={}", directory.display());
            println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
        }
    }
}

/// The directory of the static unwinder, which comes with the compiler. Without it, the program loads `libgcc_s.so`.
fn unwinder_directory() -> Option<PathBuf> {
    let cross_compiles = std::env::var("HOST") != std::env::var("TARGET");
    let found = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let path = String::from_utf8(found.stdout).ok()?;
    let path = Path::new(path.trim());
    (!cross_compiles && path.is_absolute()).then(|| path.parent().map(Path::to_owned)).flatten()
}
