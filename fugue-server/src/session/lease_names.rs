//! Leases that are named by a path: before such a request is decided, the path gets its one name. That reads the file
//! system and asks git, so it happens on another thread.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use fugue_protocol::{LeaseName, Verb};
use tokio::sync::Semaphore;

use super::manager_inputs::{ManagerInput, ManagerTx};
use crate::repository;

/// How long a path may take to resolve: longer means that its file system does not respond, and the path is used as it
/// is.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Paths that are resolved at a time; others wait for their turn.
const AT_A_TIME: usize = 4;

/// The permits to resolve paths.
pub(super) struct LeaseNames(Rc<Semaphore>);

impl Default for LeaseNames {
    fn default() -> Self {
        Self(Rc::new(Semaphore::new(AT_A_TIME)))
    }
}

impl LeaseNames {
    /// Has the path of a lease resolved before its request. Returns the input, to be handled now, if it names none.
    pub(super) fn resolve_first(&self, input: ManagerInput, manager: ManagerTx) -> Option<ManagerInput> {
        match &input {
            ManagerInput::Request { verb, .. } if lease_path(verb).is_some() => {
                tokio::task::spawn_local(resolve(input, Rc::clone(&self.0), manager));
                None
            }
            _ => Some(input),
        }
    }
}

async fn resolve(mut input: ManagerInput, permits: Rc<Semaphore>, manager: ManagerTx) {
    let _permit = permits.acquire().await;
    if let ManagerInput::Request { verb, .. } = &mut input
        && let Some(path) = lease_path(verb)
        && let Some(name) = name_of(path).await
    {
        set_lease(verb, name);
    }
    let _ = manager.send(ManagerInput::Prepared(Box::new(input))).await;
}

/// The name for a path; none if it cannot be found out or cannot be a name.
async fn name_of(path: PathBuf) -> Option<LeaseName> {
    let task = tokio::task::spawn_blocking(move || repository::lease_name_of(&path));
    let name = tokio::time::timeout(TIMEOUT, task).await.ok()?.ok()?;
    name.to_str()?.parse().ok()
}

/// The path that a request names a lease by.
fn lease_path(verb: &Verb) -> Option<PathBuf> {
    let name = match verb {
        Verb::Claim(claim) => &claim.name,
        Verb::Release(release) => &release.name,
        Verb::Wait(wait) => wait.lease.as_ref()?,
        _ => return None,
    };
    let name = name.as_str();
    (name.starts_with(['/', '~'])).then(|| Path::new(name).to_owned())
}

fn set_lease(verb: &mut Verb, name: LeaseName) {
    match verb {
        Verb::Claim(claim) => claim.name = name,
        Verb::Release(release) => release.name = name,
        Verb::Wait(wait) => wait.lease = Some(name),
        _ => {}
    }
}
