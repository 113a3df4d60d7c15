//! The rules that Landlock enforces, and what it cannot enforce on an older kernel.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, NetPort,
    PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

use crate::CannotConfine;
use crate::policy::{Access, Policy};
use crate::profile::Network;

/// The newest version of Landlock whose rights the rules name. What the kernel does not know is reported.
const NEWEST: ABI = ABI::V9;

/// What this kernel or system cannot enforce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Files outside may be truncated by name (before Linux 6.2).
    Truncation,
    /// TCP is not limited (before Linux 6.7).
    Tcp,
    /// Devices can be controlled (before Linux 6.10).
    DeviceControl,
    /// Programs outside can be sent signals, and be reached through abstract sockets (before Linux 6.12).
    SignalsAndAbstractSockets,
    /// Programs outside can be reached through named sockets, such as D-Bus (before Linux 7.1, without a namespace).
    NamedSockets,
    /// There is no namespace: named sockets are visible, and no new terminals can be opened.
    Namespace {
        /// Why not.
        why: String,
    },
}

/// Limits this thread to the policy and the paths that only it sees, and so what it executes. Returns what the kernel cannot enforce.
pub(crate) fn enforce(policy: &Policy, private: &[(PathBuf, Access)]) -> Result<Vec<Missing>, CannotConfine> {
    let refused = |why: RulesetError| CannotConfine::Rules(why.to_string());
    let status = ruleset(policy, private).and_then(RulesetCreated::restrict_self).map_err(refused)?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => Ok(missing(effective_abi, &policy.network)),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => Err(CannotConfine::NoLandlock),
    }
}

fn ruleset(policy: &Policy, private: &[(PathBuf, Access)]) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?;
    if let Network::Ports(_) = policy.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let mut created = ruleset.create()?;
    for (path, access) in policy.paths.iter().chain(private) {
        // What does not exist needs no rule.
        if let Ok(opened) = PathFd::new(path) {
            let rights = rights(*access, path);
            created = created.add_rule(PathBeneath::new(opened.as_fd(), rights))?;
        }
    }
    if let Network::Ports(ports) = &policy.network {
        created = created.add_rules(
            ports.iter().map(|port| Ok::<_, RulesetError>(NetPort::new(*port, AccessNet::from_all(NEWEST)))),
        )?;
    }
    Ok(created)
}

fn rights(access: Access, path: &Path) -> BitFlags<AccessFs> {
    let read = AccessFs::from_read(NEWEST);
    let all = match access {
        Access::Read => read,
        Access::Write => {
            read | (AccessFs::from_write(NEWEST)
                & !(AccessFs::IoctlDev | AccessFs::MakeChar | AccessFs::MakeBlock))
        }
        Access::Device => {
            AccessFs::ReadFile
                | AccessFs::ReadDir
                | AccessFs::WriteFile
                | AccessFs::Truncate
                | AccessFs::IoctlDev
        }
        Access::Socket => BitFlags::from(AccessFs::ResolveUnix),
    };
    if path.is_dir() { all } else { all & AccessFs::from_file(NEWEST) }
}

fn missing(abi: ABI, network: &Network) -> Vec<Missing> {
    let tcp = matches!(network, Network::Ports(_)).then_some((ABI::V4, Missing::Tcp));
    let all = [
        (ABI::V3, Missing::Truncation),
        (ABI::V5, Missing::DeviceControl),
        (ABI::V6, Missing::SignalsAndAbstractSockets),
        (ABI::V9, Missing::NamedSockets),
    ];
    all.into_iter().chain(tcp).filter(|(since, _)| abi < *since).map(|(_, missing)| missing).collect()
}

/// Returns what the Landlock of this kernel cannot enforce.
pub fn missing_in_kernel() -> Result<Vec<Missing>, CannotConfine> {
    // The version is known only to who is limited by it: here a thread that ends.
    let policy = Policy {
        paths: vec![(PathBuf::from("/"), Access::Read)],
        network: Network::Ports(Vec::new()),
        ..Policy::default()
    };
    std::thread::spawn(move || enforce(&policy, &[])).join().unwrap_or(Err(CannotConfine::NoLandlock))
}
