//! The script that sets a worktree up in its pane and then becomes the pane's program. Its output is the pane's, and if
//! the command fails, the program is not started.

use std::ffi::OsString;
use std::path::Path;

use fugue_agents::SETUP_NAME;

/// The shell that runs the script.
pub(crate) const SHELL: &str = "/bin/sh";

/// The arguments are the user's shell, the command, the file that exists until the command has succeeded, and the program.
const SCRIPT: &str = r#"printf 'fugue: setting up the worktree: %s\n' "$2"
"$1" -c "$2"
code=$?
if [ "$code" -ne 0 ]; then
  printf 'fugue: the setup command failed (exit code %s)\n' "$code"
  exit "$code"
fi
rm -f -- "$3"
shift 3
exec "$@""#;

/// Returns the arguments of the shell that runs the script. The program's own first argument, by which a login shell is
/// known, cannot be passed on; the flag is.
pub(crate) fn argv(
    shell: &str,
    setup: &str,
    mark: &Path,
    program: String,
    argv: Vec<OsString>,
) -> Vec<OsString> {
    let is_login = argv.first().is_some_and(|first| first.to_string_lossy().starts_with('-'));
    let own = argv.into_iter().skip(1);
    let words = ["sh", "-c", SCRIPT, SETUP_NAME, shell, setup].map(OsString::from);
    let login = is_login.then(|| OsString::from("-l"));
    words.into_iter().chain([mark.into(), program.into()]).chain(own).chain(login).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn run(setup: &str, mark: &Path) -> (Option<i32>, String) {
        let program = ["echo", "started"].map(OsString::from).to_vec();
        let words = argv("/bin/sh", setup, mark, "/bin/echo".into(), program);
        let output = Command::new(SHELL).args(&words[1..]).output().expect("a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    #[test]
    fn the_program_is_started_only_if_the_command_succeeds() {
        let directory = tempfile::tempdir().expect("a directory");
        let mark = directory.path().join("mark");
        std::fs::write(&mark, "").expect("a file");
        let (code, shown) = run("echo failing; exit 7", &mark);
        assert_eq!(code, Some(7));
        assert!(shown.contains("\nfailing\n") && shown.contains("(exit code 7)"), "{shown}");
        assert!(!shown.contains("started") && mark.exists(), "{shown}");
        let (code, shown) = run("echo working", &mark);
        assert_eq!(code, Some(0));
        assert!(shown.ends_with("\nworking\nstarted\n") && !mark.exists(), "{shown}");
    }

    #[test]
    fn a_login_shell_stays_one() {
        let words = argv("/bin/sh", "true", Path::new("/mark"), "/bin/bash".into(), vec!["-bash".into()]);
        assert_eq!(words[7..], ["/bin/bash", "-l"]);
    }
}
