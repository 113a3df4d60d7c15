//! Prompt marks for shells, without touching a file of the user's: a shell is started so that it reads ours first, and
//! ours reads the user's. The files lie in the runtime folder, where the daemon writes them when it starts.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use fugue_core::ChildSpec;
use fugue_protocol::RunId;

/// The shells that can be given marks, and what is written for each: a file below the folder.
const FILES: [(&str, &str); 3] = [
    ("marks.bash", include_str!("marks.bash")),
    ("zsh/.zshenv", include_str!("marks.zsh")),
    ("marks.fish", include_str!("marks.fish")),
];

type Environment = Vec<(OsString, OsString)>;

/// The folder with the files.
#[derive(Debug, Clone)]
pub(crate) struct Shells(PathBuf);

impl Shells {
    /// Writes the files beside a daemon's socket.
    pub(crate) fn lay_out(socket: &Path) -> io::Result<Self> {
        let shells = Self(socket.with_extension("shells"));
        shells.write()?;
        Ok(shells)
    }

    fn write(&self) -> io::Result<()> {
        own_folder(&self.0)?;
        own_folder(&self.0.join("zsh"))?;
        FILES.into_iter().try_for_each(|(name, text)| write(&self.0.join(name), text))
    }

    /// Somebody may have removed them; a shell that does not find them would not read its user's files either.
    fn are_there(&self) -> bool {
        FILES.iter().all(|(name, _)| self.0.join(name).exists()) || self.write().is_ok()
    }

    /// Takes the files away.
    pub(crate) fn clear(&self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }

    /// Has a shell that will wait for commands read our file; any other program is left alone.
    pub(crate) fn dress(&self, program: &str, key: &str, argv: &mut Vec<OsString>, env: &mut Environment) {
        if argv.len() != 1 || !self.are_there() {
            return;
        }
        match super::environment::short_name(program) {
            "bash" => self.dress_bash(argv, env),
            "zsh" => {
                put_aside(env, "ZDOTDIR", "FUGUE_ZDOTDIR");
                env.push(("ZDOTDIR".into(), self.0.join("zsh").into()));
            }
            "fish" => argv.extend(["-C".into(), self.fish_line()]),
            _ => return,
        }
        env.push(("FUGUE_MARKS".into(), key.into()));
    }

    /// In POSIX mode, and only then, an interactive bash reads `$ENV` and nothing else, a login shell too.
    fn dress_bash(&self, argv: &mut Vec<OsString>, env: &mut Environment) {
        argv.push("--posix".into());
        put_aside(env, "ENV", "FUGUE_ENV");
        env.push(("ENV".into(), self.0.join("marks.bash").into()));
        // In that mode its history would go elsewhere.
        if !env.iter().any(|(name, _)| name == "HISTFILE")
            && let Some((_, home)) = env.iter().find(|(name, _)| name == "HOME")
        {
            let history = Path::new(home).join(".bash_history");
            env.extend([("HISTFILE".into(), history.into()), ("FUGUE_HISTFILE".into(), "1".into())]);
        }
    }

    fn fish_line(&self) -> OsString {
        let file = self.0.join("marks.fish").to_string_lossy().replace('\\', "\\\\").replace('\'', "\\'");
        format!("source '{file}'").into()
    }
}

/// What the shell of a run puts into its marks, so that nothing it runs is taken for it: by chance, and known again to a
/// daemon that comes later.
pub(crate) fn key(run: RunId) -> String {
    run.to_string().split_off(19).replace('-', "")
}

/// Keeps what a variable was under another name, for our file to put back.
fn put_aside(env: &mut Environment, name: &str, aside: &str) {
    if let Some(was) = env.iter().position(|(own, _)| own == name) {
        let (_, value) = env.swap_remove(was);
        env.push((aside.into(), value));
    }
}

/// A command line that is nothing but a shell's name is that shell, waiting for commands.
pub(crate) fn is_bare_shell(child: &ChildSpec) -> bool {
    let named = |line: &String| {
        let word = line.trim();
        !word.contains(char::is_whitespace)
            && ["bash", "zsh", "fish"].contains(&super::environment::short_name(word))
    };
    child.launch.command.as_ref().is_some_and(named)
}

/// A folder that is ours and nobody else's.
fn own_folder(folder: &Path) -> io::Result<()> {
    match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
        other => return other,
    }
    let is = std::fs::symlink_metadata(folder)?;
    let ours = is.is_dir() && is.uid() == rustix::process::geteuid().as_raw() && is.mode() & 0o022 == 0;
    if ours { Ok(()) } else { Err(io::Error::other(format!("{} is not ours", folder.display()))) }
}

/// Written beside and moved into place: a shell that starts now reads the old one or the new one.
fn write(file: &Path, text: &str) -> io::Result<()> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(OsStr::new(".new"));
    std::fs::write(&beside, text)?;
    std::fs::rename(beside, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dressed(program: &str, words: &[&str]) -> (Vec<OsString>, Environment) {
        let folder = tempfile::tempdir().expect("a folder");
        let shells = Shells(folder.path().join("x"));
        let mut argv: Vec<OsString> = words.iter().map(OsString::from).collect();
        let mut env = vec![("HOME".into(), "/home/u".into()), ("ENV".into(), "mine".into())];
        shells.dress(program, "key", &mut argv, &mut env);
        (argv, env)
    }

    #[test]
    fn a_login_bash_stays_one_and_what_was_there_is_kept() {
        let (argv, env) = dressed("/bin/bash", &["-bash"]);
        assert_eq!(argv, ["-bash", "--posix"]);
        for (name, value) in [
            ("ENV", "x/marks.bash"),
            ("FUGUE_ENV", "mine"),
            ("HISTFILE", "/home/u/.bash_history"),
            ("FUGUE_MARKS", "key"),
        ] {
            let found = env.iter().find(|(own, _)| own == name);
            assert!(found.is_some_and(|(_, is)| Path::new(is).ends_with(value)), "{name}: {env:?}");
        }
    }

    #[test]
    fn whoever_is_no_waiting_shell_is_left_alone() {
        for (program, words) in
            [("/bin/bash", &["bash", "-c", "ls"] as &[&str]), ("/bin/sh", &["-sh"]), ("vim", &["vim"])]
        {
            let (argv, env) = dressed(program, words);
            assert_eq!((argv.len(), env.len()), (words.len(), 2), "{program}");
        }
    }
}
