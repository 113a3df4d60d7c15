//! Releases memory that is used by this program's own code, such as the code that ran at startup. The kernel maps the
//! pages around each page that is touched, so most of the program is mapped after startup, although little of it is
//! used afterwards. A page that is needed again is mapped from the page cache.

use std::fs;

use rustix::mm::{Advice, madvise};

/// Releases the pages of this program's code. Those that are needed again cost a page fault each.
pub(crate) fn release_program_code() {
    code_of_own_program().into_iter().for_each(|(start, length)| release(start, length));
}

/// The parts of the memory in which the code of this program is, by address and length.
fn code_of_own_program() -> Vec<(usize, usize)> {
    let (maps, program) = (fs::read_to_string("/proc/self/maps"), fs::read_link("/proc/self/exe"));
    let (Ok(maps), Ok(program)) = (maps, program) else { return Vec::new() };
    let Some(program) = program.to_str() else { return Vec::new() };
    maps.lines().filter_map(|line| code_at(line, program)).collect()
}

/// The memory that a line of `maps` is about, if it is code of this program.
fn code_at(line: &str, program: &str) -> Option<(usize, usize)> {
    // Only code is never written: the pages of data may be changed copies, which are lost if they are given back.
    let (range, rest) = line.split_once(" r-xp ")?;
    if !rest.ends_with(program) {
        return None;
    }
    let (start, end) = range.split_once('-')?;
    let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    Some((start, end.checked_sub(start)?))
}

#[allow(unsafe_code, reason = "madvise takes an address")]
fn release(start: usize, length: usize) {
    // SAFETY: the memory is code, mapped from the program's file and never written. A page that is given back is mapped
    // from the file again, with the same content, when it is touched.
    // A kernel that refuses keeps the pages, which is no error.
    let _ = unsafe { madvise(start as *mut _, length, Advice::LinuxDontNeed) };
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    const PAGE: usize = 4096;

    /// The state of every page of the code, as the kernel has it: eight bytes each.
    fn read_states(pagemap: &fs::File, code: &[(usize, usize)], states: &mut [u8]) {
        let mut read = 0;
        for (start, length) in code {
            let part = &mut states[read..read + length / PAGE * 8];
            pagemap.read_exact_at(part, (start / PAGE * 8) as u64).expect("the state of its pages");
            read += part.len();
        }
    }

    /// The number of pages that are in memory.
    fn present(states: &[u8]) -> usize {
        states.chunks(8).filter(|state| state[7] & 0x80 != 0).count()
    }

    #[test]
    fn the_code_is_given_back_and_runs_on() {
        let code = code_of_own_program();
        assert!(!code.is_empty(), "the program has code");
        // Read every page, as if it had all been run.
        for (start, length) in &code {
            (0..*length).step_by(PAGE).for_each(|page| touch(start + page));
        }
        let pagemap = fs::File::open("/proc/self/pagemap").expect("the page table");
        let pages = code.iter().map(|(_, length)| length / PAGE).sum::<usize>();
        // Both are there before, because the code that counts is mapped again when it runs.
        let (mut before, mut after) = (vec![0; pages * 8], vec![0; pages * 8]);
        read_states(&pagemap, &code, &mut before);
        code.iter().for_each(|(start, length)| release(*start, *length));
        read_states(&pagemap, &code, &mut after);
        assert_eq!(present(&before), pages);
        assert!(present(&after) < pages / 2, "{} of {pages} pages", present(&after));
    }

    #[allow(unsafe_code, reason = "reads code as data")]
    fn touch(address: usize) {
        // SAFETY: the address is in a mapping of this process that can be read and does not change.
        std::hint::black_box(unsafe { std::ptr::read_volatile(address as *const u8) });
    }

    #[test]
    fn only_code_of_the_program_is_given_back() {
        let line = |permissions: &str, file: &str| {
            format!("55a0-66b0 {permissions} 00001000 fe:00 77 {:20} {file}", "")
        };
        assert_eq!(code_at(&line("r-xp", "/bin/fugue"), "/bin/fugue"), Some((0x55a0, 0x1110)));
        for (permissions, file) in [("rw-p", "/bin/fugue"), ("r--p", "/bin/fugue"), ("r-xp", "/lib/libc.so")]
        {
            assert_eq!(code_at(&line(permissions, file), "/bin/fugue"), None);
        }
    }
}
