//! The mount namespace of a confined program: a root that holds only what its policy names, so that neither the sockets nor
//! the terminals of other programs have a name in it. An ordinary user can make one where user namespaces are allowed.
//!
//! What may be written there is not decided here but by Landlock, except for the few paths that a policy calls fixed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use rustix::mount::{mount, mount_bind_recursive, mount_change, mount_remount, unmount};
use rustix::process::{getegid, geteuid, pivot_root};
use rustix::thread::{CapabilitySet, UnshareFlags, remove_capability_from_bounding_set};

use crate::policy::{Access, Policy};

/// Where the new root is mounted until it is the root: a directory that no policy shows and that is on every system.
const NEW_ROOT: &str = "/dev/shm";

/// Why a program has no namespace of its own.
pub(crate) enum NoNamespace {
    /// The system does not allow it. The process is as it was.
    Refused(io::Error),
    /// The process is in a namespace that is not finished, and must not start the program.
    Unfinished(io::Error),
}

/// What only a namespace has.
pub(crate) struct Private {
    pub(crate) paths: Vec<(PathBuf, Access)>,
    /// The name of the temporary directory.
    pub(crate) temporary: PathBuf,
}

/// Enters a namespace that shows only what the policy names, and returns what exists only there.
pub(crate) fn enter(policy: &Policy) -> Result<Private, NoNamespace> {
    let refused = NoNamespace::Refused;
    let directory = std::env::current_dir().map_err(refused)?;
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare().map_err(refused)?;
    let built = map_ids(user, group).and_then(|()| build(policy, &directory));
    built.map_err(NoNamespace::Unfinished)?;
    let temporary = temporary(policy).to_owned();
    let paths = vec![
        (temporary.clone(), Access::Write),
        ("/dev/shm".into(), Access::Write),
        ("/dev/pts".into(), Access::Device),
    ];
    Ok(Private { paths, temporary })
}

/// The name of the temporary directory in the namespace: `/tmp`, unless the policy shows something else below it, which would
/// be writable with it.
fn temporary(policy: &Policy) -> &Path {
    let is_shared =
        policy.paths.iter().any(|(path, _)| path.starts_with("/tmp") && *path != policy.temporary);
    if is_shared { &policy.temporary } else { Path::new("/tmp") }
}

#[allow(
    unsafe_code,
    reason = "the call is unsafe for descriptors that threads share, which it does not touch"
)]
fn unshare() -> io::Result<()> {
    // SAFETY: `UnshareFlags::FILES` is not among the flags.
    Ok(unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWUSER | UnshareFlags::NEWNS) }?)
}

/// Keeps the user and the group what they are outside.
fn map_ids(user: u32, group: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

fn build(policy: &Policy, directory: &Path) -> io::Result<()> {
    let root = Path::new(NEW_ROOT);
    mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
    // Only mount points are created in it.
    mount("fugue", root, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, c"size=4m,mode=0755")?;
    let mut tree = NewRoot { root, shown: BTreeSet::new() };
    tree.show_at(&policy.temporary, temporary(policy))?;
    let others = policy.paths.iter().map(|(path, _)| path).filter(|path| **path != policy.temporary);
    others.into_iter().try_for_each(|path| tree.show(path))?;
    tree.private_devices()?;
    policy.fixed.iter().try_for_each(|path| tree.fix(path))?;
    // Before the roots are exchanged: whoever reads the working directory meanwhile gets one that exists.
    fs::create_dir_all(tree.inside(directory))?;
    std::env::set_current_dir(tree.inside(directory))?;
    // The old root is mounted on top of the new one, and then taken away.
    pivot_root(root, root)?;
    unmount("/", UnmountFlags::DETACH)?;
    Ok(())
}

/// The new root while it is built.
struct NewRoot<'a> {
    root: &'a Path,
    /// The directories that are there with all they contain.
    shown: BTreeSet<PathBuf>,
}

impl NewRoot<'_> {
    fn inside(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    fn is_shown(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.shown.contains(above))
    }

    /// Shows a path, and the links through which it is reached. One that does not exist is left out.
    fn show(&mut self, path: &Path) -> io::Result<()> {
        let Ok(real) = path.canonicalize() else { return Ok(()) };
        self.copy_links(path)?;
        if self.is_shown(&real) { Ok(()) } else { named(&real, self.show_at(&real, &real)) }
    }

    fn show_at(&mut self, source: &Path, path: &Path) -> io::Result<()> {
        let target = self.inside(path);
        if source.is_dir() {
            fs::create_dir_all(&target)?;
        } else {
            target.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::File::create(&target)?;
        }
        mount_bind_recursive(source, &target)?;
        self.shown.insert(path.to_owned());
        Ok(())
    }

    /// Creates the links on the way to a path, such as `/bin`, where the new root does not show them already.
    fn copy_links(&self, path: &Path) -> io::Result<()> {
        let mut at = PathBuf::new();
        for part in path.components() {
            at.push(part);
            if part == Component::RootDir || self.is_shown(&at) {
                continue;
            }
            let Ok(target) = fs::read_link(&at) else { continue };
            let link = self.inside(&at);
            link.parent().map_or(Ok(()), fs::create_dir_all)?;
            match symlink(target, link) {
                Err(why) if why.kind() != io::ErrorKind::AlreadyExists => return Err(why),
                _ => {}
            }
        }
        Ok(())
    }

    /// New terminals that no other program sees, and shared memory of the program's own.
    fn private_devices(&self) -> io::Result<()> {
        let (terminals, memory) = (self.inside(Path::new("/dev/pts")), self.inside(Path::new("/dev/shm")));
        fs::create_dir_all(&terminals)?;
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        mount("devpts", &terminals, "devpts", flags, c"newinstance,ptmxmode=0666,mode=0620")?;
        fs::create_dir_all(&memory)?;
        mount("fugue", &memory, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, c"mode=1777")?;
        let links = [
            ("ptmx", "pts/ptmx"),
            ("fd", "/proc/self/fd"),
            ("stdin", "/proc/self/fd/0"),
            ("stdout", "/proc/self/fd/1"),
            ("stderr", "/proc/self/fd/2"),
        ];
        links.iter().try_for_each(|(name, target)| symlink(target, self.inside(Path::new("/dev")).join(name)))
    }

    /// Makes a path read-only. As a mount point it can be neither removed nor replaced.
    fn fix(&self, path: &Path) -> io::Result<()> {
        let target = self.inside(path);
        if !target.exists() {
            return Ok(());
        }
        mount_bind_recursive(&target, &target)?;
        // A namespace of an ordinary user cannot take away the flags of a mount.
        let flags = MountFlags::BIND | MountFlags::RDONLY | kept_flags(&target)?;
        Ok(mount_remount(&target, flags, c"")?)
    }
}

/// Adds the path to an error.
fn named(path: &Path, outcome: io::Result<()>) -> io::Result<()> {
    outcome.map_err(|why| io::Error::new(why.kind(), format!("{}: {why}", path.display())))
}

fn kept_flags(path: &Path) -> io::Result<MountFlags> {
    let flags = statvfs(path)?.f_flag;
    let pairs = [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    Ok(pairs.into_iter().filter(|(has, _)| flags.contains(*has)).map(|(_, keeps)| keeps).collect())
}

/// Takes away what root could do, in a namespace or outside: over an exec it keeps its capabilities, unless they are out of
/// bounds. Anybody else has none.
pub(crate) fn drop_capabilities() {
    for capability in CapabilitySet::all().iter() {
        // What the kernel does not know is not there either.
        let _ = remove_capability_from_bounding_set(capability);
    }
}
