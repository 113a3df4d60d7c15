//! What this kernel can do of what fugue uses, probed with real calls. For `fugue doctor`.

use rustix::process::{PidfdFlags, getpid, pidfd_open};

use crate::program::pump;

/// Something that a kernel may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelAbility {
    /// Its name.
    pub name: &'static str,
    /// Whether this kernel has it.
    pub available: bool,
    /// What happens without it.
    pub without: &'static str,
}

/// All of them.
pub fn kernel_abilities() -> Vec<KernelAbility> {
    vec![
        KernelAbility {
            name: "pidfd",
            available: pidfd_open(getpid(), PidfdFlags::empty()).is_ok(),
            without: "fugue cannot run",
        },
        KernelAbility {
            name: "tty splice",
            available: pump::can_splice_tty(),
            without: "if the keeper is killed, up to 4 KiB of output can be lost",
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_runs_this_test_has_pidfds() {
        let pidfd = kernel_abilities().into_iter().find(|ability| ability.name == "pidfd");
        assert!(pidfd.is_some_and(|ability| ability.available));
    }
}
