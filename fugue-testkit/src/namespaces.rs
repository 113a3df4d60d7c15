//! Linux namespaces, for tests of containers and full disks.

use std::process::Command;

/// Whether this user may create namespaces with these flags of `unshare`; some systems forbid it. A test that needs them
/// says that it tested nothing.
pub fn can_unshare(flags: &[&str]) -> bool {
    let can = Command::new("unshare").args(flags).arg("true").status().is_ok_and(|status| status.success());
    if !can {
        eprintln!("not tested: this user cannot create namespaces");
    }
    can
}
