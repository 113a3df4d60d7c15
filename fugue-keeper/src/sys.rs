//! The calls that need `unsafe`: fork, exec, signal dispositions, descriptors by number, peer credentials, variables,
//! mappings. Each is wrapped so that the rest of the crate is safe code.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::AtomicU64;

use rustix::io::Errno;
use rustix::process::Pid;

use crate::shared_page::PAGE_WORDS;

/// The side of a fork on which the caller is.
pub(crate) enum Forked {
    Child,
    Parent(Pid),
}

/// Forks. The keeper has one thread, so its child is not limited to async-signal-safe calls.
pub(crate) fn fork() -> io::Result<Forked> {
    // SAFETY: no other thread of the keeper exists that could hold a lock the child would wait for.
    match unsafe { libc::fork() } {
        0 => Ok(Forked::Child),
        pid => {
            Pid::from_raw(pid).filter(|_| pid > 0).map(Forked::Parent).ok_or_else(io::Error::last_os_error)
        }
    }
}

/// Exits a forked child without running exit handlers of its parent.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` is always allowed.
    unsafe { libc::_exit(code) }
}

/// A null-terminated list of strings for `execve`, allocated before the fork.
pub(crate) struct CStringArray {
    pointers: Vec<*const libc::c_char>,
    _owned: Vec<CString>,
}

impl CStringArray {
    pub(crate) fn new(owned: Vec<CString>) -> Self {
        let pointers = owned.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect();
        Self { pointers, _owned: owned }
    }
}

/// Executes the program at `path`; returns only on failure, with the error.
pub(crate) fn exec(path: &CStr, argv: &CStringArray, env: &CStringArray) -> Errno {
    // SAFETY: both lists end with a null pointer and own the strings before it.
    unsafe { libc::execve(path.as_ptr(), argv.pointers.as_ptr(), env.pointers.as_ptr()) };
    last_errno()
}

/// The error of the last call.
fn last_errno() -> Errno {
    Errno::from_raw_os_error(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

/// Resets all signals to their default action and blocks none.
pub(crate) fn default_signals() {
    // A direct system call: the C library skips two signals that it uses itself, and they may have been inherited
    // ignored. Zeros mean the default action, no flags and an empty mask, whatever the order of the fields.
    let default = [0_u64; 8];
    let mask_size = size_of::<u64>();
    for signal in 1..=64 {
        // SAFETY: the buffer is larger than the kernel's structure; a call that is not allowed changes nothing.
        unsafe {
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), ptr::null::<u64>(), mask_size)
        };
    }
    // SAFETY: the mask is eight bytes, as `mask_size` says.
    unsafe {
        let set = libc::SIG_SETMASK;
        libc::syscall(libc::SYS_rt_sigprocmask, set, default.as_ptr(), ptr::null::<u64>(), mask_size);
    }
}

/// Signals that would end a process and that the keeper and the reaper ignore. `SIGTERM` is left out: the keeper acts on
/// it.
pub(crate) const SURVIVED_SIGNALS: [i32; 13] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGXCPU,
    libc::SIGXFSZ,
];

/// Ignores these signals.
pub(crate) fn ignore_signals(signals: &[i32]) {
    for &signal in signals {
        // SAFETY: SIG_IGN installs no code.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// Blocks a signal and returns a descriptor that is readable while one is pending.
pub(crate) fn signal_fd(signal: i32) -> io::Result<OwnedFd> {
    let mut mask = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` initializes the mask, which lives during all these calls. The new descriptor is ours.
    unsafe {
        libc::sigemptyset(mask.as_mut_ptr());
        libc::sigaddset(mask.as_mut_ptr(), signal);
        libc::sigprocmask(libc::SIG_BLOCK, mask.as_ptr(), ptr::null_mut());
        match libc::signalfd(-1, mask.as_ptr(), libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(OwnedFd::from_raw_fd(fd)),
        }
    }
}

/// The kernel's `struct pidfd_info` in its first version.
#[repr(C)]
#[derive(Default)]
struct PidfdInfo {
    mask: u64,
    cgroup: u64,
    ids: [u32; 11],
    exit_code: i32,
}

/// `_IOWR(0xFF, 11, struct pidfd_info)`; the C library does not define it yet.
const PIDFD_GET_INFO: u64 = 0xC040_FF0B;
const PIDFD_INFO_EXIT: u64 = 1 << 3;

/// Reads the wait status of any process that was reaped by its parent: none while it has not been. Fails before
/// Linux 6.15, at the latest once the process is reaped. Later versions fail with `ESRCH` as well, once, if the process
/// is reaped during the call.
pub(crate) fn pidfd_exit(pidfd: BorrowedFd<'_>) -> Result<Option<i32>, Errno> {
    let mut info = PidfdInfo { mask: PIDFD_INFO_EXIT, ..PidfdInfo::default() };
    // SAFETY: the request's number contains the size of the structure, which the kernel does not exceed.
    match unsafe { libc::ioctl(pidfd.as_raw_fd(), PIDFD_GET_INFO as _, &raw mut info) } {
        -1 => Err(last_errno()),
        _ => Ok((info.mask & PIDFD_INFO_EXIT != 0).then_some(info.exit_code)),
    }
}

/// The process and user at the other end of a Unix socket, as they were when it was connected.
#[derive(Debug, Clone, Copy)]
pub struct PeerCredentials {
    /// The process; none if it has no number in this PID namespace.
    pub pid: Option<Pid>,
    /// Its effective user id.
    pub uid: u32,
}

/// Reads who is at the other end of a socket. rustix has this call too, but asserts that the process has a number here:
/// a peer outside the caller's PID namespace has none.
pub fn peer_credentials(socket: impl AsFd) -> io::Result<PeerCredentials> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut size = size_of::<libc::ucred>() as libc::socklen_t;
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel writes at most `size` bytes, which is the size of the structure.
    match unsafe {
        libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_PEERCRED, (&raw mut peer).cast(), &raw mut size)
    } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(PeerCredentials { pid: Pid::from_raw(peer.pid.max(0)), uid: peer.uid }),
    }
}

/// Opens a pidfd of the process at the other end of a socket. Fails before Linux 6.5.
pub fn peer_pidfd(socket: impl AsFd) -> io::Result<OwnedFd> {
    let mut pidfd: RawFd = -1;
    let mut size = size_of::<RawFd>() as libc::socklen_t;
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel writes at most `size` bytes, which is the size of a descriptor, and the descriptor is new.
    unsafe {
        match libc::getsockopt(
            fd,
            libc::SOL_SOCKET,
            libc::SO_PEERPIDFD,
            (&raw mut pidfd).cast(),
            &raw mut size,
        ) {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(OwnedFd::from_raw_fd(pidfd)),
        }
    }
}

/// Closes every descriptor above stdio except these. Only for a freshly forked process: no code that owned the others
/// may run in it.
pub(crate) fn close_all_but(kept: &[BorrowedFd<'_>]) {
    let mut kept: Vec<RawFd> = kept.iter().map(AsRawFd::as_raw_fd).filter(|&fd| fd > 2).collect();
    kept.sort_unstable();
    let mut first = 3;
    for fd in kept {
        close_range(first, fd - 1);
        first = fd + 1;
    }
    close_range(first, RawFd::MAX);
}

fn close_range(first: RawFd, last: RawFd) {
    // SAFETY: the caller promises that nobody uses them.
    if first <= last && unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } == -1 {
        close_each(first, last);
    }
}

/// Closes these descriptors one by one: before Linux 5.9, and in some sandboxes, there is no call for a range.
fn close_each(first: RawFd, last: RawFd) {
    let numbers = std::fs::read_dir("/proc/self/fd").map(|fds| {
        fds.flatten().filter_map(|fd| fd.file_name().to_str()?.parse().ok()).collect::<Vec<RawFd>>()
    });
    // Without `/proc`, as many as a process may have had under the usual limit, at least.
    let numbers = numbers.unwrap_or_else(|_| (first..=last.min(MOST_FDS)).collect());
    for number in numbers.into_iter().filter(|number| (first..=last).contains(number)) {
        // SAFETY: the caller promises that nobody uses it.
        unsafe { libc::close(number) };
    }
}

/// The highest number of a descriptor that is closed if `/proc` does not list them.
const MOST_FDS: RawFd = 65_536;

/// Duplicates `fd` to `number`, open across exec. For a forked child that is about to exec.
pub(crate) fn place(fd: BorrowedFd<'_>, number: RawFd) -> io::Result<()> {
    // SAFETY: in a child that is about to exec, nobody uses the former descriptor at `number`.
    match unsafe { libc::dup2(fd.as_raw_fd(), number) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Takes ownership of the descriptor that a parent process left at `number`, if one is open there and passes `check`.
///
/// The caller must ask only once for each number.
pub(crate) fn adopt(number: RawFd, check: impl Fn(BorrowedFd<'_>) -> bool) -> Option<OwnedFd> {
    // SAFETY: F_GETFD reads a flag, and fails for a number that is not open.
    if unsafe { libc::fcntl(number, libc::F_GETFD) } == -1 {
        return None;
    }
    // SAFETY: the number is open, and stays open during the check.
    if !check(unsafe { BorrowedFd::borrow_raw(number) }) {
        return None;
    }
    // SAFETY: F_SETFD with a plain flag.
    unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
    // SAFETY: it is open, the parent left it, and only the caller in this process knows of it.
    Some(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Sets a variable in this process's environment. Only for the keeper, which has one thread.
pub(crate) fn set_variable(name: &str, value: &str) {
    // SAFETY: no other thread of the keeper exists that could read the environment meanwhile.
    unsafe { std::env::set_var(name, value) };
}

/// A page of a file, mapped for the life of the value.
#[derive(Debug)]
pub(crate) struct MappedPage(ptr::NonNull<[AtomicU64; PAGE_WORDS]>);

impl MappedPage {
    /// Maps the first page of a file that is as long as a page.
    pub(crate) fn map(file: BorrowedFd<'_>) -> io::Result<Self> {
        let size = size_of::<[AtomicU64; PAGE_WORDS]>();
        let (access, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        // SAFETY: a new mapping of the kernel's choice overlaps nothing.
        let address = unsafe { libc::mmap(ptr::null_mut(), size, access, shared, file.as_raw_fd(), 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        ptr::NonNull::new(address.cast()).map(Self).ok_or_else(|| io::ErrorKind::AddrNotAvailable.into())
    }

    /// The words of the page.
    pub(crate) fn words(&self) -> &[AtomicU64; PAGE_WORDS] {
        // SAFETY: the page is mapped until `self` is dropped and aligned for words, any bits are a word, and another
        // process may change them only as atomics may change.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for MappedPage {
    fn drop(&mut self) {
        // SAFETY: nobody can have a reference to the words any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<[AtomicU64; PAGE_WORDS]>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_closed_on_a_system_without_a_call_for_a_range() {
        let null = OwnedFd::from(std::fs::File::open("/dev/null").expect("a file"));
        // Far above the descriptors of tests that run at the same time.
        let open = |number| rustix::io::fcntl_dupfd_cloexec(&null, number).expect("a descriptor");
        let (kept, closed) = (open(700), open(800));
        let numbers = [kept.as_raw_fd(), closed.as_raw_fd()];
        std::mem::forget(closed);
        close_each(numbers[0] + 1, RawFd::MAX);
        // SAFETY: F_GETFD reads a flag, and fails for a number that is not open.
        let is_open = numbers.map(|number| unsafe { libc::fcntl(number, libc::F_GETFD) } != -1);
        assert_eq!(is_open, [true, false]);
    }
}
