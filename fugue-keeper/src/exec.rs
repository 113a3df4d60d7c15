//! A program ready to be executed: strings, search path and all are made before the fork, so that the child only
//! has to try.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use rustix::io::Errno;

use crate::sys::{self, Strings};

/// Where a program is looked for when its environment has no `PATH`, as the C library does.
const DEFAULT_PATH: &[u8] = b"/usr/local/bin:/bin:/usr/bin";

/// A program ready to be executed.
pub struct Program {
    candidates: Vec<CString>,
    argv: Strings,
    env: Strings,
}

impl Program {
    /// `program` is a path, or a name to be found in the `PATH` of `env`. `None` when a string has a NUL inside.
    pub fn new(program: &OsStr, argv: &[OsString], env: &[(OsString, OsString)]) -> Option<Self> {
        Some(Self {
            candidates: candidates(program, env)?,
            argv: Strings::new(argv.iter().map(|argument| c_string(argument)).collect::<Option<_>>()?),
            env: Strings::new(env.iter().map(variable).collect::<Option<_>>()?),
        })
    }

    /// The same, to be tried at `path` when it is nowhere else.
    pub fn or_at(mut self, path: &CString) -> Self {
        self.candidates.push(path.clone());
        self
    }

    /// Becomes the program. Returns the reason why not: a candidate that exists tells more than the missing ones.
    pub fn exec(&self) -> Errno {
        let mut reason = Errno::NOENT;
        for candidate in &self.candidates {
            let errno = sys::exec(candidate, &self.argv, &self.env);
            if reason == Errno::NOENT && errno != Errno::NOTDIR {
                reason = errno;
            }
        }
        reason
    }
}

fn candidates(program: &OsStr, env: &[(OsString, OsString)]) -> Option<Vec<CString>> {
    let name = program.as_bytes();
    if name.is_empty() || name.contains(&b'/') {
        return Some(vec![c_string(program)?]);
    }
    let path = env.iter().find(|(key, _)| key == "PATH").map_or(DEFAULT_PATH, |(_, value)| value.as_bytes());
    path.split(|&byte| byte == b':').map(|folder| within(folder, name)).collect()
}

fn within(folder: &[u8], name: &[u8]) -> Option<CString> {
    // An empty entry means the working directory.
    let folder = if folder.is_empty() { b".".as_slice() } else { folder };
    CString::new([folder, b"/", name].concat()).ok()
}

fn variable((name, value): &(OsString, OsString)) -> Option<CString> {
    CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).ok()
}

fn c_string(string: &OsStr) -> Option<CString> {
    CString::new(string.as_bytes()).ok()
}
