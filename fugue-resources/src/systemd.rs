//! Scopes of a systemd user manager.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::dbus::{Body, BodyReader, Bus, Incoming, Method};
use crate::group_limits::GroupLimits;

/// The slice of all scopes, for which systemd shows the total use.
pub(crate) const SLICE: &str = "app-fugue.slice";

const SIGNALS: &str = "type='signal',sender='org.freedesktop.systemd1',\
     interface='org.freedesktop.systemd1.Manager',member='JobRemoved'";

/// A value of a unit's property.
enum Value<'a> {
    Text(&'a str),
    Number(u64),
    Pids(&'a [u32]),
}

/// A scope to be started.
pub(crate) struct Scope<'a> {
    /// The name of the unit.
    pub(crate) unit: &'a str,
    /// What it is, for people.
    pub(crate) description: &'a str,
    pub(crate) limits: &'a GroupLimits,
    /// The processes that it gets.
    pub(crate) pids: &'a [u32],
}

fn manager(member: &'static str) -> Method {
    Method {
        destination: "org.freedesktop.systemd1",
        path: "/org/freedesktop/systemd1",
        interface: "org.freedesktop.systemd1.Manager",
        member,
    }
}

/// Returns the bus of the user's manager, if one runs. The directory is the manager's own: a bus alone may be anybody's.
pub(crate) fn user_bus(runtime_directory: &Path) -> Option<PathBuf> {
    let bus = runtime_directory.join("bus");
    (runtime_directory.join("systemd").is_dir() && bus.exists()).then_some(bus)
}

/// Whether the manager of a user runs without a login, so that what it manages survives a logout.
pub fn is_lingering(user: &str) -> bool {
    Path::new("/var/lib/systemd/linger").join(user).exists()
}

/// Starts a scope, and waits until its processes are in it.
pub(crate) fn start(bus: &Path, scope: &Scope<'_>, deadline: Instant) -> io::Result<()> {
    // Only the process that uses too much is to be killed, not the rest of its scope. Managers before version 253 do not
    // know that setting for scopes.
    match start_with(bus, scope, &[("OOMPolicy", Value::Text("continue"))], deadline) {
        Err(why) if why.kind() == io::ErrorKind::Unsupported => start_with(bus, scope, &[], deadline),
        outcome => outcome,
    }
}

fn start_with(
    bus: &Path,
    scope: &Scope<'_>,
    more: &[(&str, Value<'_>)],
    deadline: Instant,
) -> io::Result<()> {
    let mut bus = Bus::connect(bus, deadline)?;
    bus.add_match(SIGNALS);
    let call = bus.call(manager("StartTransientUnit"), &start_body(scope, more));
    loop {
        match bus.receive()? {
            Incoming::Error(serial, name, text) if serial == call => return Err(error(&name, &text)),
            Incoming::Signal(member, body) if member == "JobRemoved" => {
                if let Some(outcome) = removed_job(&body, scope.unit) {
                    return outcome;
                }
            }
            _ => {}
        }
    }
}

fn start_body(scope: &Scope<'_>, more: &[(&str, Value<'_>)]) -> Body {
    let mut body = Body::new("ssa(sv)a(sa(sv))");
    body.string(scope.unit);
    body.string("fail");
    body.array(8, |all| {
        property(all, "Description", &Value::Text(scope.description));
        property(all, "Slice", &Value::Text(SLICE));
        property(all, "CollectMode", &Value::Text("inactive-or-failed"));
        property(all, "PIDs", &Value::Pids(scope.pids));
        limits(all, scope.limits);
        more.iter().for_each(|(name, value)| property(all, name, value));
    });
    body.array(8, |_| {});
    body
}

fn limits(body: &mut Body, limits: &GroupLimits) {
    for (control, value) in limits {
        property(body, control.property(), &Value::Number(*value));
    }
}

fn property(body: &mut Body, name: &str, value: &Value<'_>) {
    body.align(8);
    body.string(name);
    match value {
        Value::Text(text) => {
            body.signature("s");
            body.string(text);
        }
        Value::Number(number) => {
            body.signature("t");
            body.u64(*number);
        }
        Value::Pids(pids) => {
            body.signature("au");
            body.array(4, |all| pids.iter().for_each(|pid| all.u32(*pid)));
        }
    }
}

/// Changes the limits of a scope, until it ends.
pub(crate) fn set_limits(bus: &Path, unit: &str, set: &GroupLimits, deadline: Instant) -> io::Result<()> {
    let mut bus = Bus::connect(bus, deadline)?;
    let mut body = Body::new("sba(sv)");
    body.string(unit);
    // A boolean: only at runtime.
    body.u32(1);
    body.array(8, |all| limits(all, set));
    let call = bus.call(manager("SetUnitProperties"), &body);
    loop {
        match bus.receive()? {
            Incoming::Reply(serial) if serial == call => return Ok(()),
            Incoming::Error(serial, name, text) if serial == call => return Err(error(&name, &text)),
            _ => {}
        }
    }
}

/// Returns the outcome of the job for a unit, if this is about it.
fn removed_job(body: &[u8], unit: &str) -> Option<io::Result<()>> {
    let mut reader = BodyReader { bytes: body, at: 0 };
    let (_, _) = (reader.u32().ok()?, reader.string().ok()?);
    let (of, result) = (reader.string().ok()?, reader.string().ok()?);
    (of == unit).then(|| match result.as_str() {
        "done" => Ok(()),
        other => Err(io::Error::other(format!("systemd did not start {unit}: {other}"))),
    })
}

fn error(name: &str, text: &str) -> io::Error {
    let is_property = name == "org.freedesktop.DBus.Error.PropertyReadOnly" || text.contains("property");
    let kind = if is_property { io::ErrorKind::Unsupported } else { io::ErrorKind::Other };
    let text = if text.is_empty() { name } else { text };
    io::Error::new(kind, format!("systemd: {text}"))
}
