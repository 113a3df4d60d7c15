//! The variable-length part of a spawn request, in a memfd: an environment may exceed what one datagram holds. After it
//! comes the mark: there the keeper and its child record how far the spawn got, for a daemon whose keeper is killed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use fugue_resources::Placement;
use rustix::fs::MemfdFlags;

use super::messages::{Malformed, SpawnRequest};

/// Linux refuses to execute with more than 6 MiB of arguments and environment, so a larger body could not run.
const MAX_BODY: u64 = 6 << 20;

/// The size of the mark.
const MARK: usize = 4;

/// The mark of a spawn that the keeper has begun; the child replaces it by its pid. It is 0 before.
const FORKING: i32 = -1;

/// The body of a spawn request, as its sender keeps it.
#[derive(Debug)]
pub struct SpawnBody(OwnedFd);

/// How far a spawn got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpawnProgress {
    /// The keeper has not begun it.
    NotBegun,
    /// The keeper has begun it. The child has not got far enough to have a known pid, and exits if the keeper is dead.
    Begun,
    /// The child exists.
    Forked(i32),
}

impl SpawnBody {
    /// The body of this request.
    pub fn new(request: &SpawnRequest) -> io::Result<Self> {
        write(request).map(Self)
    }

    /// How far the spawn got. Final once the keeper is dead, except that `Begun` may still become `Forked`.
    pub fn progress(&self) -> SpawnProgress {
        let mut mark = [0; 4];
        let at = mark_offset(&self.0).unwrap_or(0);
        // A body that cannot be read counts as begun: a program must not be started twice.
        let read = rustix::io::pread(&self.0, &mut mark, at);
        match (read, i32::from_le_bytes(mark)) {
            (Ok(4), 0) => SpawnProgress::NotBegun,
            (Ok(4), pid @ 1..) => SpawnProgress::Forked(pid),
            _ => SpawnProgress::Begun,
        }
    }
}

impl AsFd for SpawnBody {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Records that the keeper is about to fork the child.
pub(crate) fn mark_begun(memfd: impl AsFd) {
    mark(memfd, FORKING);
}

/// Records the pid of the child, in the child.
pub(crate) fn mark_forked(memfd: impl AsFd) {
    mark(memfd, rustix::process::getpid().as_raw_nonzero().get());
}

fn mark(memfd: impl AsFd, mark: i32) {
    if let Some(at) = mark_offset(&memfd) {
        // A memfd in memory that exists already: if even this fails, the daemon asks for the program a second time.
        let _ = rustix::io::pwrite(&memfd, &mark.to_le_bytes(), at);
    }
}

fn mark_offset(memfd: impl AsFd) -> Option<u64> {
    rustix::fs::fstat(memfd).ok()?.st_size.cast_unsigned().checked_sub(MARK as u64)
}

/// Writes the variable-length part of `request` into a new memfd.
pub(crate) fn write(request: &SpawnRequest) -> io::Result<OwnedFd> {
    let body = [encode(request), vec![0; MARK]].concat();
    let memfd = rustix::fs::memfd_create("fugue-spawn", MemfdFlags::CLOEXEC)?;
    let mut written = 0;
    while written < body.len() {
        written += rustix::io::pwrite(&memfd, &body[written..], written as u64)?;
    }
    Ok(memfd)
}

/// Completes `request` from the memfd that came with it.
pub(crate) fn read(request: &mut SpawnRequest, memfd: impl AsFd) -> Result<(), Malformed> {
    let bytes = read_all(memfd).ok_or(Malformed::Body(request.pane))?;
    decode(request, &mut bytes.as_slice()).ok_or(Malformed::Body(request.pane))
}

fn read_all(memfd: impl AsFd) -> Option<Vec<u8>> {
    let size = rustix::fs::fstat(&memfd).ok()?.st_size.cast_unsigned();
    let mut bytes = vec![0; usize::try_from(size).ok().filter(|_| size <= MAX_BODY)?];
    let mut done = 0;
    while done < bytes.len() {
        match rustix::io::pread(&memfd, &mut bytes[done..], done as u64).ok()? {
            0 => return None,
            count => done += count,
        }
    }
    Some(bytes)
}

fn encode(request: &SpawnRequest) -> Vec<u8> {
    let mut body = Vec::new();
    write_string(&mut body, &request.program);
    write_string(&mut body, request.cwd.as_os_str());
    write_count(&mut body, request.argv.len());
    request.argv.iter().for_each(|argument| write_string(&mut body, argument));
    write_count(&mut body, request.env.len());
    for (name, value) in &request.env {
        write_string(&mut body, name);
        write_string(&mut body, value);
    }
    // A keeper that knows no placements does not read this far.
    if let Some(placement) = &request.placement {
        write_string(&mut body, placement.to_text().as_ref());
    }
    body
}

fn decode(request: &mut SpawnRequest, body: &mut &[u8]) -> Option<()> {
    request.program = read_string(body)?;
    request.cwd = read_string(body)?.into();
    request.argv = (0..read_count(body)?).map(|_| read_string(body)).collect::<Option<_>>()?;
    request.env = (0..read_count(body)?)
        .map(|_| Some((read_string(body)?, read_string(body)?)))
        .collect::<Option<_>>()?;
    // The mark comes last. Daemons that know no placements write nothing before it.
    let has_placement = body.len() > MARK;
    request.placement = match has_placement {
        true => Placement::from_text(&read_string(body)?.to_string_lossy()),
        false => None,
    };
    Some(())
}

fn write_count(body: &mut Vec<u8>, count: usize) {
    // A body with a count over u32 is also over MAX_BODY, which the reader refuses.
    body.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

fn write_string(body: &mut Vec<u8>, string: &OsStr) {
    write_count(body, string.len());
    body.extend_from_slice(string.as_bytes());
}

fn read_count(body: &mut &[u8]) -> Option<u32> {
    let (count, rest) = body.split_first_chunk::<4>()?;
    *body = rest;
    Some(u32::from_le_bytes(*count))
}

fn read_string(body: &mut &[u8]) -> Option<OsString> {
    let length = usize::try_from(read_count(body)?).ok()?;
    let (string, rest) = body.split_at_checked(length)?;
    *body = rest;
    Some(OsString::from_vec(string.to_vec()))
}
