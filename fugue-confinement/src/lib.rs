//! Confinement of a program in a pane: Landlock limits its files, TCP ports, signals and abstract sockets, and a mount
//! namespace hides the sockets and terminals that Landlock of most kernels cannot.
//!
//! The program that is to be confined calls [`confine`] itself, just before it executes the real one. So neither the
//! keeper nor the daemon changes, no process stands between the terminal and the program, and what the kernel lacks is
//! known where it can be printed. Bubblewrap would do the part of the namespace, but stays as the parent of the program:
//! the foreground program of the pane, from which agents are recognized, would be `bwrap`.

mod landlock_rules;
mod namespace;
mod places;
mod policy;
mod profile;

use std::path::PathBuf;
use std::{fmt, io};

use namespace::{NoNamespace, Private};

pub use landlock_rules::{Missing, missing_in_kernel};
pub use places::Places;
pub use policy::{Access, Policy};
pub use profile::{Network, Profile, WriteAccess};

/// Why a program cannot be confined. It must not be started then.
#[derive(Debug)]
pub enum CannotConfine {
    /// The kernel has no Landlock, or it is turned off.
    NoLandlock,
    /// The kernel refused a rule.
    Rules(String),
    /// The namespace could not be finished.
    Namespace(io::Error),
}

impl fmt::Display for CannotConfine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLandlock => f.write_str(
                "this kernel has no Landlock (Linux 5.13 or later, with `landlock` among its LSMs)",
            ),
            Self::Rules(why) => write!(f, "the kernel refused a rule: {why}"),
            Self::Namespace(why) => write!(f, "cannot build the namespace: {why}"),
        }
    }
}

/// A process that is confined.
#[derive(Debug)]
pub struct Confined {
    /// What this kernel or system cannot enforce.
    pub missing: Vec<Missing>,
    /// The name of its temporary directory.
    pub temporary: PathBuf,
}

impl Confined {
    /// The variables that lead tools to the temporary directory. Their caches are there too: one that is shared would be a
    /// way to other programs.
    pub fn variables(&self) -> [(&'static str, PathBuf); 3] {
        let at = |name: &str| self.temporary.join(name);
        [("TMPDIR", self.temporary.clone()), ("XDG_CACHE_HOME", at("cache")), ("npm_config_cache", at("npm"))]
    }
}

/// Confines this process and what it executes, for good.
///
/// Must be called while the process has a single thread.
pub fn confine(policy: &Policy) -> Result<Confined, CannotConfine> {
    let entered = if policy.has_namespace {
        namespace::enter(policy)
    } else {
        Err(NoNamespace::Refused(io::Error::other("it is turned off")))
    };
    let (private, why) = match entered {
        Ok(private) => (private, None),
        Err(NoNamespace::Refused(why)) => {
            (Private { paths: Vec::new(), temporary: policy.temporary.clone() }, Some(why.to_string()))
        }
        Err(NoNamespace::Unfinished(why)) => return Err(CannotConfine::Namespace(why)),
    };
    namespace::drop_capabilities();
    let mut missing = landlock_rules::enforce(policy, &private.paths)?;
    match why {
        // Outside of the namespace, they have no name in it.
        None => missing.retain(|one| *one != Missing::NamedSockets),
        Some(why) => missing.push(Missing::Namespace { why }),
    }
    Ok(Confined { missing, temporary: private.temporary })
}
