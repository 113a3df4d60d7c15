//! The environment of a session, and the one that all sessions share.

use std::collections::BTreeMap;

use fugue_protocol::targets::TargetPlace;
use fugue_protocol::verbs::{GetEnvironment, GetGlobalEnvironment, SetEnvironment, SetGlobalEnvironment};

use crate::context::{LineContext, Outcome};
use crate::flags::Flags;

/// `set-environment`
pub(super) async fn set(cx: &mut LineContext, given: &Flags) -> Outcome {
    let name = given.operand(0).to_owned();
    check_name(&name)?;
    let value = match (given.operands.get(1), ['u', 'r'].into_iter().find(|flag| given.has(*flag))) {
        (Some(_), Some(flag)) => return Err(format!("can't specify a value with -{flag}")),
        (None, None) => return Err("no value specified".into()),
        (Some(format), None) if given.has('F') => Some(cx.expand_here(format).await?),
        (value, _) => value.cloned(),
    };
    if given.has('g') {
        cx.call(&SetGlobalEnvironment { name, value }).await?;
    } else {
        let session = Some(session(cx, given)?.session.into());
        cx.call(&SetEnvironment { session, name, value }).await?;
    }
    Ok(String::new())
}

/// Refuses what is no name of a variable.
fn check_name(name: &str) -> Result<(), String> {
    match name {
        "" => Err("empty variable name".into()),
        name if name.contains('=') => Err("variable name contains =".into()),
        _ => Ok(()),
    }
}

/// The session that `-t` names.
fn session(cx: &LineContext, given: &Flags) -> Result<TargetPlace, String> {
    cx.session(given).map_err(|why| match given.target() {
        Some(target) => format!("no such session: {target}"),
        None => why,
    })
}

/// A value between double quotes, as a shell reads it.
fn in_quotes(value: &str) -> String {
    let mut quoted = String::new();
    for letter in value.chars() {
        if ['$', '`', '"', '\\'].contains(&letter) {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted
}

/// `show-environment`
pub(super) async fn show(cx: &mut LineContext, given: &Flags) -> Outcome {
    let entries = match given.has('g') {
        true => global(cx).await?,
        false => {
            let session = Some(session(cx, given)?.session.into());
            cx.call(&GetEnvironment { session }).await?.entries
        }
    };
    let line = |(name, value): (&String, &String)| match given.has('s') {
        true => format!("{name}=\"{}\"; export {name};", in_quotes(value)),
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
async fn global(cx: &mut LineContext) -> Result<BTreeMap<String, String>, String> {
    let set = cx.call(&GetGlobalEnvironment {}).await?.entries;
    Ok(cx.setting.environment.clone().into_iter().chain(set).collect())
}
