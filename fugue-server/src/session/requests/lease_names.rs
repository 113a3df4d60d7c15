//! Leases that are named by a path: before such a request is decided, the path gets its one name. That reads the file
//! system and asks git, so it happens on another thread.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use fugue_protocol::{LeaseName, Verb};
use tokio::sync::Semaphore;

use crate::repository;
use crate::session::manager_inputs::{ManagerInput, ManagerTx};
use crate::tasks;

/// How long a path may take to resolve: longer means that its file system does not respond, and the path is used as it
/// is.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Paths that are resolved at a time; others wait for their turn.
const AT_A_TIME: usize = 4;

/// Threads that may hang in file systems that do not respond. The runtime has 512 for everything that blocks, so without
/// a limit such paths would use up all of them. When this many hang, paths are used as they are.
const MAX_THREADS: usize = 32;

/// The permits to resolve paths, and those of threads, which a thread that hangs keeps.
#[derive(Clone)]
pub(crate) struct LeaseNames {
    permits: Rc<Semaphore>,
    threads: Arc<Semaphore>,
    timeout: Duration,
}

impl Default for LeaseNames {
    fn default() -> Self {
        let (permits, threads) = (Rc::new(Semaphore::new(AT_A_TIME)), Arc::new(Semaphore::new(MAX_THREADS)));
        Self { permits, threads, timeout: TIMEOUT }
    }
}

impl LeaseNames {
    /// Has the path of a lease resolved before its request. Returns the input, to be handled now, if it names none.
    pub(super) fn resolve_first(&self, input: ManagerInput, manager: ManagerTx) -> Option<ManagerInput> {
        match &input {
            ManagerInput::Request { verb, .. } if lease_path(verb).is_some() => {
                tasks::spawn_local(resolve(input, self.clone(), manager));
                None
            }
            _ => Some(input),
        }
    }
}

async fn resolve(mut input: ManagerInput, names: LeaseNames, manager: ManagerTx) {
    let _permit = names.permits.acquire().await;
    if let ManagerInput::Request { verb, .. } = &mut input
        && let Some(path) = lease_path(verb)
        && let Some(name) = names.name_of(move || repository::lease_name_of(&path)).await
    {
        set_lease(verb, name);
    }
    let _ = manager.send(ManagerInput::Prepared(Box::new(input))).await;
}

impl LeaseNames {
    /// The name that a lookup finds; none if it takes too long or finds what cannot be a name.
    async fn name_of(&self, look_up: impl FnOnce() -> PathBuf + Send + 'static) -> Option<LeaseName> {
        let thread = Arc::clone(&self.threads).try_acquire_owned().ok()?;
        let task = tokio::task::spawn_blocking(move || {
            let name = look_up();
            drop(thread);
            name
        });
        let name = tokio::time::timeout(self.timeout, task).await.ok()?.ok()?;
        name.to_str()?.parse().ok()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn paths_on_file_systems_that_hang_leave_threads_for_everything_else() {
        let names = LeaseNames { timeout: Duration::from_millis(1), ..LeaseNames::default() };
        let (hang, hung) = std::sync::mpsc::channel::<()>();
        let hung = Arc::new(std::sync::Mutex::new(hung));
        for _ in 0..MAX_THREADS + 8 {
            let hung = Arc::clone(&hung);
            let look_up = move || {
                let _ = hung.lock().map(|hung| hung.recv());
                PathBuf::from("/late")
            };
            assert_eq!(names.name_of(look_up).await, None);
        }
        assert_eq!(names.threads.available_permits(), 0);
        drop(hang);
        while names.threads.available_permits() < MAX_THREADS {
            tokio::task::yield_now().await;
        }
        let names = LeaseNames { timeout: TIMEOUT, ..names };
        let found = names.name_of(|| "/path".into()).await;
        assert_eq!(found.map(|name| name.to_string()).as_deref(), Some("/path"));
    }
}
