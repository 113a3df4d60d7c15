//! A program prepared for execution: all strings and paths are allocated before the fork, so that the child only has to
//! try them.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use rustix::io::Errno;

use crate::sys::{self, CStringArray};

/// The search path if the environment has no `PATH`, as in the C library.
const DEFAULT_PATH: &[u8] = b"/usr/local/bin:/bin:/usr/bin";

/// A program prepared for execution.
pub(crate) struct ExecProgram {
    candidates: Vec<CString>,
    argv: CStringArray,
    env: CStringArray,
}

impl ExecProgram {
    /// Prepares `program`: a path, or a name to be found in the `PATH` of `env`. Returns none if a string contains a NUL.
    pub(crate) fn new(program: &OsStr, argv: &[OsString], env: &[(OsString, OsString)]) -> Option<Self> {
        Some(Self {
            candidates: candidates(program, env)?,
            argv: CStringArray::new(argv.iter().map(|argument| c_string(argument)).collect::<Option<_>>()?),
            env: CStringArray::new(env.iter().map(variable).collect::<Option<_>>()?),
        })
    }

    /// Adds a path to try if the program is found nowhere else.
    pub(crate) fn or_else_at(mut self, path: &CString) -> Self {
        self.candidates.push(path.clone());
        self
    }

    /// Executes the program. Returns only on failure, with the error of a candidate that exists if there is one, since
    /// that says more than a missing file.
    pub(crate) fn exec(&self) -> Errno {
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
    path.split(|&byte| byte == b':').map(|dir| within(dir, name)).collect()
}

fn within(dir: &[u8], name: &[u8]) -> Option<CString> {
    // An empty entry means the working directory.
    let dir = if dir.is_empty() { b".".as_slice() } else { dir };
    CString::new([dir, b"/", name].concat()).ok()
}

fn variable((name, value): &(OsString, OsString)) -> Option<CString> {
    CString::new([name.as_bytes(), b"=", value.as_bytes()].concat()).ok()
}

fn c_string(string: &OsStr) -> Option<CString> {
    CString::new(string.as_bytes()).ok()
}
