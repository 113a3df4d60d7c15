//! Shell integration: prompt marks (OSC 133) for bash, zsh and fish without changing any of the user's files. A shell is
//! started so that it reads our startup file first, and ours reads the user's. The daemon writes the files beside its
//! socket when it starts.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use fugue_core::ChildSpec;
use fugue_protocol::RunId;

/// The startup file of each supported shell: its path in the directory, and its text.
const FILES: [(&str, &str); 3] = [
    ("marks.bash", include_str!("marks.bash")),
    ("zsh/.zshenv", include_str!("marks.zsh")),
    ("marks.fish", include_str!("marks.fish")),
];

type EnvironmentVariables = Vec<(OsString, OsString)>;

/// The directory with the startup files.
#[derive(Debug, Clone)]
pub(crate) struct ShellIntegration(PathBuf);

impl ShellIntegration {
    /// Returns the directory with the startup files.
    pub(crate) fn directory(&self) -> &Path {
        &self.0
    }

    /// Writes the files beside a daemon's socket.
    pub(crate) fn install(socket: &Path) -> io::Result<Self> {
        let shells = Self(socket.with_extension("shells"));
        shells.write()?;
        Ok(shells)
    }

    fn write(&self) -> io::Result<()> {
        private_directory(&self.0)?;
        private_directory(&self.0.join("zsh"))?;
        FILES.into_iter().try_for_each(|(name, text)| write(&self.0.join(name), text))
    }

    /// Whether the files exist, written again if they were removed: without them a shell would not read the user's files
    /// either.
    fn ensure(&self) -> bool {
        FILES.iter().all(|(name, _)| self.0.join(name).exists()) || self.write().is_ok()
    }

    /// Removes the files.
    pub(crate) fn remove(&self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }

    /// Makes an interactive shell read our startup file; any other program is not changed.
    pub(crate) fn apply(
        &self,
        program: &str,
        key: &str,
        argv: &mut Vec<OsString>,
        env: &mut EnvironmentVariables,
    ) {
        if argv.len() != 1 || !self.ensure() {
            return;
        }
        match short_name(program) {
            "bash" => self.apply_to_bash(argv, env),
            "zsh" => {
                set_aside(env, "ZDOTDIR", "FUGUE_ZDOTDIR");
                env.push(("ZDOTDIR".into(), self.0.join("zsh").into()));
            }
            "fish" => argv.extend(["-C".into(), self.fish_command()]),
            _ => return,
        }
        env.push(("FUGUE_MARKS".into(), key.into()));
    }

    /// Only in POSIX mode does an interactive bash, login shell or not, read `$ENV` and nothing else.
    fn apply_to_bash(&self, argv: &mut Vec<OsString>, env: &mut EnvironmentVariables) {
        argv.push("--posix".into());
        set_aside(env, "ENV", "FUGUE_ENV");
        env.push(("ENV".into(), self.0.join("marks.bash").into()));
        // In POSIX mode bash would use another history file.
        if !env.iter().any(|(name, _)| name == "HISTFILE")
            && let Some((_, home)) = env.iter().find(|(name, _)| name == "HOME")
        {
            let history = Path::new(home).join(".bash_history");
            env.extend([("HISTFILE".into(), history.into()), ("FUGUE_HISTFILE".into(), "1".into())]);
        }
    }

    fn fish_command(&self) -> OsString {
        let file = self.0.join("marks.fish").to_string_lossy().replace('\\', "\\\\").replace('\'', "\\'");
        format!("source '{file}'").into()
    }
}

/// Returns the key that the shell of a run puts into its marks, so that marks printed by its commands are not taken for
/// its own. It is derived from the run's random id, so a later daemon knows it, too.
pub(crate) fn key(run: RunId) -> String {
    run.to_string().split_off(19).replace('-', "")
}

/// Returns the last component of a program's path.
pub(crate) fn short_name(program: &str) -> &str {
    Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program)
}

/// Saves a variable under another name, from which our startup file restores it.
fn set_aside(env: &mut EnvironmentVariables, name: &str, saved_as: &str) {
    if let Some(index) = env.iter().position(|(own, _)| own == name) {
        let (_, value) = env.swap_remove(index);
        env.push((saved_as.into(), value));
    }
}

/// Whether a command line is only the name of a shell: then that shell is started interactively.
pub(crate) fn is_bare_shell(child: &ChildSpec) -> bool {
    let named = |line: &String| {
        let word = line.trim();
        !word.contains(char::is_whitespace) && ["bash", "zsh", "fish"].contains(&short_name(word))
    };
    child.launch.command.as_ref().is_some_and(named)
}

/// Creates a directory that only we can write to, or checks that an existing one is such.
fn private_directory(path: &Path) -> io::Result<()> {
    match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
        other => return other,
    }
    let found = std::fs::symlink_metadata(path)?;
    let ours =
        found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0;
    if ours { Ok(()) } else { Err(io::Error::other(format!("{} is owned by another user", path.display()))) }
}

/// Writes a new file and moves it into place: a shell that starts meanwhile reads the old one or the new one.
fn write(file: &Path, text: &str) -> io::Result<()> {
    let mut temporary = file.as_os_str().to_owned();
    temporary.push(OsStr::new(".new"));
    std::fs::write(&temporary, text)?;
    std::fs::rename(temporary, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(program: &str, words: &[&str]) -> (Vec<OsString>, EnvironmentVariables) {
        let directory = tempfile::tempdir().expect("a directory");
        let shells = ShellIntegration(directory.path().join("x"));
        let mut argv: Vec<OsString> = words.iter().map(OsString::from).collect();
        let mut env = vec![("HOME".into(), "/home/u".into()), ("ENV".into(), "mine".into())];
        shells.apply(program, "key", &mut argv, &mut env);
        (argv, env)
    }

    #[test]
    fn a_login_bash_stays_a_login_shell_and_its_variables_are_saved() {
        let (argv, env) = applied("/bin/bash", &["-bash"]);
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
    fn a_program_that_is_not_an_interactive_shell_is_not_changed() {
        for (program, words) in
            [("/bin/bash", &["bash", "-c", "ls"] as &[&str]), ("/bin/sh", &["-sh"]), ("vim", &["vim"])]
        {
            let (argv, env) = applied(program, words);
            assert_eq!((argv.len(), env.len()), (words.len(), 2), "{program}");
        }
    }
}
