//! `fugue confine`: starts a program confined by a profile, as the daemon does for the panes of a confined session, or shows
//! what a profile means here.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use fugue_agents::{Environment, KnownAgent};
use fugue_client::CallError;
use fugue_config::{Config, ConfigSource, UnusableConfig};
use fugue_confinement::{Access, Missing, Network, Places, Policy, Profile, confine};

use crate::context::{self, CommandFailure};

/// The variable by which a program knows its profiles.
const CONFINED: &str = "FUGUE_CONFINED";

/// The exit code of a program that could not be started, as shells have it.
const NOT_STARTED: u8 = 126;

/// The command line.
pub(crate) fn command() -> Command {
    let profile = Arg::new("profile")
        .long("profile")
        .value_name("NAME")
        .action(ArgAction::Append)
        .help("Profile: worktree, read-only, offline, or one from config.toml. Of several, all apply [default: worktree]");
    let agent = Arg::new("agent").long("agent").value_name("NAME");
    let agent = agent.help("Agent whose own files may be written [default: that of the program's name]");
    let path = |name: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name("PATH").action(ArgAction::Append);
        arg.value_parser(value_parser!(PathBuf)).help(help)
    };
    let argv0 =
        Arg::new("argv0").long("argv0").value_name("NAME").hide(true).value_parser(value_parser!(OsString));
    let words =
        Arg::new("words").last(true).num_args(1..).value_parser(value_parser!(OsString)).value_name("WORDS");
    let shared =
        [profile, agent, path("read", "Further path to read"), path("write", "Further path to write")];
    Command::new("confine")
        .about("Confine a program by the kernel")
        .subcommand_required(true)
        .subcommand(
            Command::new("run")
                .about("Run a program confined by a profile")
                .args(&shared)
                .arg(argv0)
                .arg(words.clone().required(true).help("Program and arguments")),
        )
        .subcommand(
            Command::new("check")
                .about("Show what a profile allows here, and what this system cannot enforce")
                .args(&shared)
                .arg(words.help("Program and arguments, for which the files of an agent are taken")),
        )
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    match args.subcommand() {
        Some(("run", args)) => start(args),
        Some((_, args)) => check(args),
        None => Ok(()),
    }
}

/// Confines this process and executes the program.
fn start(args: &ArgMatches) -> Result<(), CommandFailure> {
    let wanted = Wanted::new(args)?;
    let words: Vec<&OsString> = args.get_many("words").into_iter().flatten().collect();
    let (Some(program), rest) = (words.first(), words.get(1..).unwrap_or_default()) else { return Ok(()) };
    let confined = confine(&wanted.policy)
        .map_err(|why| failed(&format!("Cannot confine {}: {why}", program.display())))?;
    let notes = notes(&confined.missing);
    if !notes.is_empty() {
        eprintln!("fugue: not confined here: {}", notes.join("; "));
    }
    let mut command = std::process::Command::new(program);
    for name in &wanted.policy.removed {
        command.env_remove(name);
    }
    command.args(rest).envs(confined.variables()).env(CONFINED, wanted.names.join(","));
    if let Some(name) = args.get_one::<OsString>("argv0") {
        command.arg0(name);
    }
    let why = command.exec();
    eprintln!("fugue: Cannot start {}: {why}", program.display());
    Err(CommandFailure::ExitCode(if why.kind() == io::ErrorKind::NotFound { 127 } else { NOT_STARTED }))
}

/// Prints the policy, and what is not enforced.
fn check(args: &ArgMatches) -> Result<(), CommandFailure> {
    let wanted = Wanted::new(args)?;
    let of = |wanted_access: Access| {
        let paths = wanted
            .policy
            .paths
            .iter()
            .filter(move |(path, access)| *access == wanted_access && path.exists());
        paths.map(|(path, _)| path.display().to_string()).collect::<Vec<_>>()
    };
    let line = |label: &str, paths: Vec<String>| println!("{label:<12}{}", paths.join("\n            "));
    line("profile", vec![wanted.names.join(" and ")]);
    line("write", of(Access::Write));
    line("read", of(Access::Read));
    line(
        "never",
        wanted
            .policy
            .fixed
            .iter()
            .filter(|path| path.exists())
            .map(|path| path.display().to_string())
            .collect(),
    );
    line(
        "tcp",
        vec![match &wanted.policy.network {
            Network::All => "all ports".into(),
            Network::Ports(ports) if ports.is_empty() => "no ports".into(),
            Network::Ports(ports) => ports.iter().map(u16::to_string).collect::<Vec<_>>().join(", "),
        }],
    );
    let missing = fugue_confinement::missing_in_kernel().map_err(|why| failed(&why.to_string()))?;
    let notes = notes(&missing);
    line("not here", if notes.is_empty() { vec!["(everything can be enforced)".into()] } else { notes });
    Ok(())
}

fn failed(why: &str) -> CommandFailure {
    CallError::Local(why.to_owned()).into()
}

/// What a command line asks for.
struct Wanted {
    names: Vec<String>,
    policy: Policy,
}

impl Wanted {
    fn new(args: &ArgMatches) -> Result<Self, CommandFailure> {
        let names: Vec<String> = args.get_many::<String>("profile").into_iter().flatten().cloned().collect();
        let names = if names.is_empty() { vec!["worktree".to_owned()] } else { names };
        let mut profile = profile(&names, args)?;
        let more = |name: &str| args.get_many::<PathBuf>(name).into_iter().flatten().cloned();
        profile.read_paths.extend(more("read"));
        profile.write_paths.extend(more("write"));
        profile.read_paths.extend(std::env::current_exe());
        let places = places(args)?;
        let variables: Vec<_> = std::env::vars_os().map(|(name, _)| name).collect();
        Ok(Self { policy: Policy::new(&profile, &places, &variables), names })
    }
}

/// Returns what all the named profiles allow.
fn profile(names: &[String], args: &ArgMatches) -> Result<Profile, CommandFailure> {
    let path = context::paths(args)?.config;
    let config = Config::parse(&ConfigSource::read(&path), None).unwrap_or_else(UnusableConfig::or_defaults);
    let unknown = |name: &String| {
        let known: Vec<&str> = config.confinement_profiles().collect();
        failed(&format!("There is no confinement profile `{name}`; there are {}", known.join(", ")))
    };
    let mut profiles = names.iter().map(|name| config.confinement_profile(name).ok_or_else(|| unknown(name)));
    let first = profiles.next().unwrap_or_else(|| Ok(Profile::default()))?;
    let mut all = profiles.try_fold(first, |all, next| next.map(|next| all.and(&next)))?;
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let at_home =
        |path: &PathBuf| path.strip_prefix("~").map_or_else(|_| path.clone(), |rest| home.join(rest));
    all.read_paths = all.read_paths.iter().map(at_home).collect();
    all.write_paths = all.write_paths.iter().map(at_home).collect();
    Ok(all)
}

fn places(args: &ArgMatches) -> Result<Places, CommandFailure> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let directory = std::env::current_dir()
        .map_err(|why| failed(&format!("Cannot tell the working directory: {why}")))?;
    let temporary = temporary_directory(std::env::var_os("FUGUE_SESSION_ID"))
        .map_err(|why| failed(&format!("Cannot create a temporary directory: {why}")))?;
    let home = variable("HOME");
    let mut places = Places {
        agent_state: home.as_deref().map(|home| agent_places(args, home, &variable)).unwrap_or_default(),
        home,
        directory,
        temporary,
        socket: variable("FUGUE_SOCKET"),
        terminal: rustix::termios::ttyname(io::stdin(), Vec::new())
            .ok()
            .map(|name| PathBuf::from(OsString::from(name.to_string_lossy().as_ref()))),
        ..Places::default()
    };
    places.find_repository();
    Ok(places)
}

/// The own files of the agent that is started.
fn agent_places(args: &ArgMatches, home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let program = args.get_many::<OsString>("words").into_iter().flatten().next();
    let program = program.and_then(|word| Path::new(word).file_name()?.to_str().map(str::to_owned));
    let name = args.get_one::<String>("agent").cloned().or(program);
    let agent = name.and_then(|name| KnownAgent::find(&name));
    agent.map(|agent| agent.places(&Environment::new(home, variable))).unwrap_or_default()
}

/// The temporary directory of a session, or of this process: a directory of the user's that nobody else can enter.
fn temporary_directory(session: Option<OsString>) -> io::Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let all = std::env::temp_dir().join(format!("fugue-{user}-confined"));
    own_directory(&all, user)?;
    let name = session.unwrap_or_else(|| std::process::id().to_string().into());
    let is_plain = |name: &OsStr| Path::new(name).components().count() == 1 && name != ".." && name != ".";
    let own = all.join(if is_plain(&name) { name } else { "session".into() });
    own_directory(&own, user)?;
    own.canonicalize()
}

fn own_directory(path: &Path, user: u32) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(why) if why.kind() != io::ErrorKind::AlreadyExists => return Err(why),
        _ => {}
    }
    let found = fs::symlink_metadata(path)?;
    if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(io::Error::other(format!("{} is not a private directory of this user", path.display())))
}

/// What is not enforced, for people to read.
fn notes(missing: &[Missing]) -> Vec<String> {
    let note = |missing: &Missing| match missing {
        Missing::Truncation => "truncation of files outside (before Linux 6.2)".to_owned(),
        Missing::Tcp => "TCP ports (before Linux 6.7)".into(),
        Missing::DeviceControl => "control of devices (before Linux 6.10)".into(),
        Missing::SignalsAndAbstractSockets => "signals and abstract sockets (before Linux 6.12)".into(),
        Missing::NamedSockets => {
            "named sockets, such as D-Bus (before Linux 7.1, without user namespaces)".into()
        }
        Missing::Namespace { why } => {
            format!("the hiding of other terminals and of the repository's hooks (no user namespace: {why})")
        }
    };
    missing.iter().map(note).collect()
}
