//! Policies: what a profile means for one program, as paths, ports and variables. Nothing here asks the kernel.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::places::Places;
use crate::profile::{Network, Profile, WriteAccess};

/// What may be done with a path and everything below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Read and execute.
    Read,
    /// Read, write, create and remove.
    Write,
    /// A device or terminal: read, write and its controls.
    Device,
    /// A socket: connect to it.
    Socket,
}

/// What one program may do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// The paths it sees. Paths that do not exist are left out when it is confined.
    pub paths: Vec<(PathBuf, Access)>,
    /// Paths below those that it cannot change although all around them can be; they need a namespace.
    pub fixed: Vec<PathBuf>,
    /// The temporary directory, which is `/tmp` in a namespace.
    pub temporary: PathBuf,
    /// Whether it gets a mount namespace, where the system allows one.
    pub has_namespace: bool,
    /// Which TCP ports it may use.
    pub network: Network,
    /// The variables that it does not get.
    pub removed: Vec<OsString>,
}

/// What every program may read. `/run` holds the sockets of other programs, so only what name resolution needs is taken.
const SYSTEM: [&str; 16] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/snap",
    "/sys",
    "/proc",
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/run/current-system",
];

/// Devices that every program may use.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What a program may read of the home directory: settings of shells, git and editors, and installed tools. Neither keys nor
/// credentials: `~/.ssh`, `~/.gnupg`, `~/.aws`, `~/.config/gh`, `~/.netrc`, `~/.npmrc` and `~/.cargo/credentials.toml` are
/// not among it.
const HOME: [&str; 46] = [
    ".asdf",
    ".bash_login",
    ".bash_profile",
    ".bashrc",
    ".bun",
    ".cargo/bin",
    ".cargo/config.toml",
    ".cargo/env",
    ".cargo/git",
    ".cargo/registry",
    ".config/fish",
    ".config/fugue",
    ".config/git",
    ".config/mise",
    ".config/nvim",
    ".deno",
    ".fnm",
    ".gitconfig",
    ".gitignore",
    ".inputrc",
    ".local/bin",
    ".local/lib",
    ".local/share/fish",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/nvim",
    ".local/share/pnpm",
    ".local/share/uv",
    ".m2/repository",
    ".npm-global",
    ".nvm",
    ".oh-my-zsh",
    ".profile",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".terminfo",
    ".vim",
    ".vimrc",
    ".volta",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "go/bin",
    "go/pkg",
];

/// Variables that lead to sockets or files outside, or that make every program load another one's code.
const REMOVED: [&str; 17] = [
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_STARTER_ADDRESS",
    "GNOME_KEYRING_CONTROL",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DOCKER_HOST",
    "TMUX",
    "TMUX_PANE",
    "VSCODE_IPC_HOOK_CLI",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
];

/// Variables that remain if a profile names the only ones that do.
const ESSENTIAL: [&str; 11] =
    ["HOME", "PATH", "PWD", "SHELL", "USER", "LOGNAME", "TERM", "COLORTERM", "TERM_PROGRAM", "LANG", "TZ"];

impl Policy {
    /// Returns what `profile` means for a program in these places that has these variables.
    pub fn new(profile: &Profile, places: &Places, variables: &[OsString]) -> Self {
        Self {
            paths: paths(profile, places),
            fixed: fixed(profile, places),
            network: profile.network.clone(),
            removed: removed(profile, variables),
            temporary: places.temporary.clone(),
            has_namespace: true,
        }
    }
}

fn paths(profile: &Profile, places: &Places) -> Vec<(PathBuf, Access)> {
    let own =
        |paths: &[PathBuf], access| paths.iter().map(move |path| (path.clone(), access)).collect::<Vec<_>>();
    let system = SYSTEM.iter().map(|path| (PathBuf::from(path), Access::Read));
    let devices = DEVICES.iter().map(|path| (PathBuf::from(path), Access::Device));
    let home = places.home.iter().flat_map(|home| HOME.map(|name| (home.join(name), Access::Read)));
    let terminal = places.terminal.iter().map(|path| (path.clone(), Access::Device));
    let socket = places.socket.iter().map(|path| (path.clone(), Access::Socket));
    let mut all: Vec<_> = system.chain(devices).chain(home).chain(terminal).chain(socket).collect();
    all.extend(repository(profile, places));
    all.push((places.temporary.clone(), Access::Write));
    all.extend(own(&places.agent_state, Access::Write));
    all.extend(own(&profile.read_paths, Access::Read));
    all.extend(own(&profile.write_paths, Access::Write));
    all
}

/// The worktree and its repository. Of a repository that the worktree is linked to, only what a commit changes may be written:
/// neither its hooks nor its configuration, which git runs for whoever works in another worktree.
fn repository(profile: &Profile, places: &Places) -> Vec<(PathBuf, Access)> {
    let writes = profile.write == WriteAccess::Worktree;
    let access = if writes { Access::Write } else { Access::Read };
    let mut all: Vec<_> = places.work().map(|path| (path.to_owned(), access)).into_iter().collect();
    if let Some(common) = places.git_common.as_ref().filter(|_| !places.is_main_worktree()) {
        all.push((common.clone(), Access::Read));
        all.extend(
            common.parent().filter(|_| common.ends_with(".git")).map(|main| (main.to_owned(), Access::Read)),
        );
        if writes {
            all.extend(["objects", "refs", "logs"].map(|name| (common.join(name), Access::Write)));
            all.extend(places.git_directory.iter().map(|path| (path.clone(), Access::Write)));
        }
    }
    all
}

/// What in a writable worktree and its git directory makes git run programs.
fn fixed(profile: &Profile, places: &Places) -> Vec<PathBuf> {
    let Some(worktree) = places.worktree.as_ref().filter(|_| profile.write == WriteAccess::Worktree) else {
        return Vec::new();
    };
    let git = worktree.join(".git");
    if places.is_main_worktree() {
        return vec![git.join("config"), git.join("hooks"), git.join("info")];
    }
    let own = places
        .git_directory
        .iter()
        .flat_map(|path| ["commondir", "gitdir", "config.worktree"].map(|name| path.join(name)));
    std::iter::once(git).chain(own).collect()
}

fn removed(profile: &Profile, variables: &[OsString]) -> Vec<OsString> {
    let is_kept = |name: &OsStr| {
        let name = name.to_string_lossy();
        let is = |names: &[&str]| names.contains(&name.as_ref());
        let usual = name.starts_with("FUGUE_") || name.starts_with("LC_") || is(&ESSENTIAL);
        match &profile.variables {
            None => !is(&REMOVED),
            Some(named) => usual || named.iter().any(|kept| kept == name.as_ref()),
        }
    };
    variables.iter().filter(|name| !is_kept(name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn places() -> Places {
        Places {
            home: Some("/home/ann".into()),
            directory: "/work/api-1/src".into(),
            worktree: Some("/work/api-1".into()),
            git_directory: Some("/work/api/.git/worktrees/api-1".into()),
            git_common: Some("/work/api/.git".into()),
            temporary: "/tmp/own".into(),
            ..Places::default()
        }
    }

    fn access(policy: &Policy, path: &str) -> Option<Access> {
        let best = policy.paths.iter().filter(|(allowed, _)| Path::new(path).starts_with(allowed));
        best.map(|(_, access)| *access).max()
    }

    #[test]
    fn a_linked_worktree_can_be_committed_to_but_its_repository_not_reconfigured() {
        let policy = Policy::new(&Profile::default(), &places(), &[]);
        let writable = [
            "/work/api-1/a.rs",
            "/work/api/.git/objects/ab/c",
            "/work/api/.git/refs/heads/x",
            "/work/api/.git/worktrees/api-1/index",
            "/tmp/own/x",
        ];
        assert!(writable.iter().all(|path| access(&policy, path) == Some(Access::Write)));
        let readable = [
            "/work/api/.git/config",
            "/work/api/.git/hooks/pre-commit",
            "/work/api/main.rs",
            "/work/api/.git/worktrees/api-2/index",
            "/home/ann/.cargo/registry/x",
            "/etc/hosts",
        ];
        assert!(readable.iter().all(|path| access(&policy, path) == Some(Access::Read)));
        let hidden = [
            "/home/ann/.ssh/id",
            "/home/ann/.cargo/credentials.toml",
            "/home/ann/notes",
            "/run/user/1/bus",
            "/tmp/other",
            "/dev/pts/3",
            "/work/other",
        ];
        assert!(hidden.iter().all(|path| access(&policy, path).is_none()));
        assert!(policy.fixed.contains(&"/work/api-1/.git".into()));
    }

    #[test]
    fn a_profile_that_only_reads_writes_no_worktree() {
        let policy = Policy::new(&Profile::named("read-only").expect("a profile"), &places(), &[]);
        assert_eq!(access(&policy, "/work/api-1/a.rs"), Some(Access::Read));
        assert_eq!(access(&policy, "/work/api/.git/objects/x"), Some(Access::Read));
        assert!(policy.fixed.is_empty());
    }

    #[test]
    fn a_program_that_starts_in_the_home_directory_or_above_it_gets_only_what_all_get() {
        for directory in ["/home/ann", "/home", "/"] {
            let places = Places {
                directory: directory.into(),
                home: Some("/home/ann".into()),
                temporary: "/tmp/own".into(),
                ..Places::default()
            };
            let policy = Policy::new(&Profile::default(), &places, &[]);
            assert_eq!(access(&policy, "/home/ann/.ssh/id"), None, "{directory}");
        }
    }

    #[test]
    fn variables_that_lead_outside_are_removed() {
        let variables = ["SSH_AUTH_SOCK", "PATH", "API_KEY", "FUGUE_SOCKET"].map(OsString::from);
        let policy = Policy::new(&Profile::default(), &places(), &variables);
        assert_eq!(policy.removed, ["SSH_AUTH_SOCK"]);
        let chosen = Profile { variables: Some(vec!["SSH_AUTH_SOCK".into()]), ..Profile::default() };
        assert_eq!(Policy::new(&chosen, &places(), &variables).removed, ["API_KEY"]);
    }
}
