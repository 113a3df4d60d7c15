//! What some tests need of the machine. Without it they fail and say what to install; `./test` leaves them out on a machine
//! that cannot have it, so that they are counted as skipped.

use std::path::PathBuf;
use std::process::Command;

/// Checks that a user may create namespaces with these flags of `unshare`, which some systems forbid.
///
/// # Panics
///
/// If the user may not.
pub fn expect_namespaces(flags: &[&str]) {
    let can = Command::new("unshare").args(flags).arg("true").status().is_ok_and(|status| status.success());
    assert!(can, "this test needs namespaces, which this user cannot create: unshare {}", flags.join(" "));
}

/// Checks that a program is installed.
///
/// # Panics
///
/// If it is not; `package` is the one of Debian that has it.
pub fn expect_program(program: &str, package: &str) {
    let found = Command::new("sh").args(["-c", "command -v \"$0\" >/dev/null", program]).status();
    assert!(
        found.is_ok_and(|found| found.success()),
        "this test needs {program} (Debian: apt-get install {package})"
    );
}

/// The shells among these in which commands are tested. `./test` names those that the machine lacks in
/// `FUGUE_WITHOUT_SHELLS`.
///
/// # Panics
///
/// If another one is not installed.
pub fn shells_among<'a>(shells: &[&'a str]) -> Vec<&'a str> {
    let without = std::env::var("FUGUE_WITHOUT_SHELLS").unwrap_or_default();
    let tested = shells.iter().filter(|shell| !without.split_whitespace().any(|name| name == **shell));
    tested.inspect(|shell| expect_program(shell, shell)).copied().collect()
}

/// The directories of the agents for a test that runs them: that of the script `stage`, and one that `stage install`
/// prepared.
///
/// # Panics
///
/// If `FUGUE_STAGE_KIT` and `FUGUE_STAGE` do not name them.
pub fn agent_stage() -> (PathBuf, PathBuf) {
    let named = |name: &str| {
        let directory = std::env::var_os(name).map(PathBuf::from);
        directory.unwrap_or_else(|| panic!("this test needs the agents: {name} is not set"))
    };
    (named("FUGUE_STAGE_KIT"), named("FUGUE_STAGE"))
}

/// A build of the same tree with another protocol number, which CONTRIBUTING.md explains.
///
/// # Panics
///
/// If `FUGUE_UPGRADE_BINARY` does not name it.
pub fn next_version() -> PathBuf {
    let binary = std::env::var_os("FUGUE_UPGRADE_BINARY").map(PathBuf::from);
    binary.expect("this test needs a build with another protocol number: FUGUE_UPGRADE_BINARY is not set")
}
