//! The program that the tests run confined: it confines itself to a directory, then makes one attempt and prints its outcome.
//!
//! `confined-test-process NAMESPACE WORKTREE TEMPORARY SOCKET PORT ATTEMPT ARGUMENT…`

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use fugue_confinement::{Network, Places, Policy, Profile, confine};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "attempt") {
        return report(make(&words[1..]));
    }
    let [namespace, worktree, temporary, socket, port, attempt @ ..] = words.as_slice() else {
        return ExitCode::from(2);
    };
    let port = port.parse().unwrap_or_default();
    let profile = Profile { network: Network::Ports(vec![port]), ..Profile::default() };
    let mut places = Places {
        home: std::env::var_os("HOME").map(PathBuf::from),
        directory: worktree.into(),
        temporary: temporary.into(),
        socket: Some(socket.into()),
        ..Places::default()
    };
    places.find_repository();
    let Ok(executable) = std::env::current_exe() else { return ExitCode::from(2) };
    let profile = Profile { read_paths: vec![executable.clone()], ..profile };
    let policy = Policy { has_namespace: namespace == "namespace", ..Policy::new(&profile, &places, &[]) };
    if let Err(why) = std::env::set_current_dir(worktree) {
        eprintln!("{worktree}: {why}");
        return ExitCode::from(2);
    }
    match confine(&policy) {
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
        Ok(confined) => eprintln!("missing: {:?}", confined.missing),
    }
    // Capabilities end with an exec.
    eprintln!("{}", Command::new(executable).arg("attempt").args(attempt).exec());
    ExitCode::from(2)
}

fn report(outcome: io::Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => println!("done"),
        Err(why) => println!("held: {why}"),
    }
    ExitCode::SUCCESS
}

fn make(attempt: &[String]) -> io::Result<()> {
    let words: Vec<&str> = attempt.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["read", path] => File::open(path)?.read(&mut [0; 64]).map(drop),
        ["list", path] => fs::read_dir(path).map(drop),
        ["write", path] => OpenOptions::new().write(true).open(path)?.write_all(b"x"),
        ["create", path] => fs::write(path, "x"),
        ["truncate", path] => rustix_truncate(path),
        ["remove", path] => fs::remove_file(path),
        ["rename", from, to] => fs::rename(from, to),
        ["link", from, to] => fs::hard_link(from, to),
        ["write-through-link", path, link] => {
            std::os::unix::fs::symlink(path, link)?;
            OpenOptions::new().write(true).open(link)?.write_all(b"x")
        }
        ["unix", path] => UnixStream::connect(path).map(drop),
        ["abstract", name] => UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?).map(drop),
        ["connect", port] => TcpStream::connect(("127.0.0.1", number(port)?)).map(drop),
        ["listen", port] => TcpListener::bind(("127.0.0.1", number(port)?)).map(drop),
        ["run", program, arguments @ ..] => {
            let status = Command::new(program).args(arguments).status()?;
            if status.success() { Ok(()) } else { Err(io::Error::other(format!("{status}"))) }
        }
        ["exists", path] => {
            Path::new(path).try_exists()?.then_some(()).ok_or_else(|| io::ErrorKind::NotFound.into())
        }
        _ => Err(io::Error::other("no such attempt")),
    }
}

fn number(port: &str) -> io::Result<u16> {
    port.parse().map_err(io::Error::other)
}

/// Truncates by name, without opening the file.
fn rustix_truncate(path: &str) -> io::Result<()> {
    let status =
        Command::new("truncate").args(["-s", "0", path]).stderr(std::process::Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}
