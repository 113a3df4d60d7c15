//! The environment of a session, and the one that all sessions share.

use std::collections::BTreeMap;

use fugue_protocol::verbs::{GetEnvironment, GetGlobalEnvironment, SetEnvironment, SetGlobalEnvironment};

use super::flags::ShimFlags;
use super::shim::{Outcome, Shim};

/// `set-environment`
pub(super) fn set(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let name = given.operand(0).to_owned();
    let value = given.operands.get(1).cloned();
    let removes = given.has('u') || given.has('r');
    if !removes && value.is_none() {
        return Err("no value specified".into());
    }
    let value = value.filter(|_| !removes);
    let value = match value {
        Some(format) if given.has('F') => Some(shim.expand_here(&format)?),
        value => value,
    };
    if given.has('g') {
        shim.call(&SetGlobalEnvironment { name, value })?;
    } else {
        let session = Some(shim.session(given)?.session.into());
        shim.call(&SetEnvironment { session, name, value })?;
    }
    Ok(String::new())
}

/// `show-environment`
pub(super) fn show(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let entries = match given.has('g') {
        true => global(shim)?,
        false => {
            let session = Some(shim.session(given)?.session.into());
            shim.call(&GetEnvironment { session })?.entries
        }
    };
    let line = |(name, value): (&String, &String)| match given.has('s') {
        true => format!("{name}=\"{}\"; export {name};", value.replace(['"', '$', '`', '\\'], "")),
        false => format!("{name}={value}"),
    };
    match given.operands.first() {
        None => Ok(entries.iter().map(line).collect::<Vec<_>>().join("\n")),
        Some(name) => match entries.get_key_value(name) {
            Some(entry) => Ok(line(entry)),
            None => Err(format!("unknown variable: {name}")),
        },
    }
}

/// The variables that all programs get: those that were set, over those of this environment, which the daemon's is like.
fn global(shim: &mut Shim) -> Result<BTreeMap<String, String>, String> {
    let set = shim.call(&GetGlobalEnvironment {})?.entries;
    Ok(std::env::vars().chain(set).collect())
}
