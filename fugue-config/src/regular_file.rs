//! Reading files that a person wrote. A FIFO or a device in their place is refused: it could block the reader or never end.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file to read it.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // With these flags, opening a FIFO does not wait for its writer, and opening a terminal has no side effect.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?;
    if !kind.is_file() {
        let why = if kind.is_dir() { "it is a directory" } else { "it is not a regular file" };
        return Err(io::Error::other(why));
    }
    Ok(file)
}

/// Reads a regular file of at most this many bytes.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|read| read > most) {
        return Err(io::Error::other(format!("it is larger than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

/// Reads a regular file of at most this many bytes as text.
pub fn read_regular_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read_regular(path, most)?).map_err(|_| io::Error::other("it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_regular_file_of_limited_size_is_read() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name| directory.path().join(name);
        std::fs::write(path("text"), "abc").expect("a file");
        std::fs::write(path("large"), vec![b'x'; (1 << 20) + 1]).expect("a file");
        rustix::fs::mkfifoat(rustix::fs::CWD, path("fifo"), 0o600.into()).expect("a FIFO");
        let refusal = |path: &Path| read_regular_text(path, 1 << 20).map_err(|why| why.to_string());
        assert_eq!(refusal(&path("text")), Ok("abc".into()));
        assert_eq!(refusal(&path("large")), Err("it is larger than 1 MiB".into()));
        assert_eq!(refusal(&path("fifo")), Err("it is not a regular file".into()));
        assert_eq!(refusal(Path::new("/dev/zero")), Err("it is not a regular file".into()));
        assert_eq!(refusal(directory.path()), Err("it is a directory".into()));
    }
}
