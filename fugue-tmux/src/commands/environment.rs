//! The environment of a session, and the one that all sessions share.

use std::collections::BTreeMap;

use fugue_protocol::verbs::{GetEnvironment, GetGlobalEnvironment, SetEnvironment, SetGlobalEnvironment};

use crate::context::{LineContext, Outcome};
use crate::flags::Flags;

/// `set-environment`
pub(super) async fn set(cx: &mut LineContext, given: &Flags) -> Outcome {
    let name = given.operand(0).to_owned();
    let value = given.operands.get(1).cloned();
    let removes = given.has('u') || given.has('r');
    if !removes && value.is_none() {
        return Err("no value specified".into());
    }
    let value = value.filter(|_| !removes);
    let value = match value {
        Some(format) if given.has('F') => Some(cx.expand_here(&format).await?),
        value => value,
    };
    if given.has('g') {
        cx.call(&SetGlobalEnvironment { name, value }).await?;
    } else {
        let session = Some(cx.session(given)?.session.into());
        cx.call(&SetEnvironment { session, name, value }).await?;
    }
    Ok(String::new())
}

/// `show-environment`
pub(super) async fn show(cx: &mut LineContext, given: &Flags) -> Outcome {
    let entries = match given.has('g') {
        true => global(cx).await?,
        false => {
            let session = Some(cx.session(given)?.session.into());
            cx.call(&GetEnvironment { session }).await?.entries
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
async fn global(cx: &mut LineContext) -> Result<BTreeMap<String, String>, String> {
    let set = cx.call(&GetGlobalEnvironment {}).await?.entries;
    Ok(cx.setting.environment.clone().into_iter().chain(set).collect())
}
