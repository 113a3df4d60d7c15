//! Counting the daemon's allocations, in debug builds only. A test bounds what a key, a command or a kilobyte of output
//! costs; a bound on time would depend on the machine. If `FUGUE_ALLOCATION_COUNT` names a file, the daemon maps it and
//! keeps the count in it.
#![allow(unsafe_code, reason = "an allocator, and memory that another process reads")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use rustix::mm::{MapFlags, ProtFlags};

/// The environment variable that names the file.
const VARIABLE: &str = "FUGUE_ALLOCATION_COUNT";

/// The count in the mapped file, once there is one.
static COUNT: AtomicPtr<AtomicU64> = AtomicPtr::new(null_mut());

/// The system's allocator, counted.
pub(crate) struct CountingAllocator;

/// Starts to count, if a file is named. The mapping lasts as long as the process.
pub(crate) fn start() -> std::io::Result<()> {
    let Some(path) = std::env::var_os(VARIABLE) else { return Ok(()) };
    let file = std::fs::File::options().read(true).write(true).create(true).truncate(false).open(path)?;
    let length = size_of::<AtomicU64>();
    file.set_len(length as u64)?;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the kernel chooses an address that is not in use.
    let count = unsafe { rustix::mm::mmap(null_mut(), length, protection, MapFlags::SHARED, &file, 0) }?;
    let count = count.cast::<AtomicU64>();
    // SAFETY: the mapping is aligned to a page and never unmapped.
    unsafe { count.as_ref() }.inspect(|count| count.store(0, Ordering::Relaxed));
    COUNT.store(count, Ordering::Release);
    Ok(())
}

fn count_one() {
    // SAFETY: the pointer is null, or it points to the mapping, which is aligned to a page and never unmapped.
    if let Some(count) = unsafe { COUNT.load(Ordering::Acquire).as_ref() } {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_one();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_one();
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
}
