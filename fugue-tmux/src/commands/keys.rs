//! tmux's key bindings. A person's are settings of fugue.

use super::clients;
use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::steps::{KeyRow, SettingChange, Step, StepReply};

/// `bind-key`
pub(super) async fn bind(cx: &mut LineContext, given: &Flags) -> Outcome {
    configure(cx, SettingChange::Bind(given.words())).await
}

/// `unbind-key`
pub(super) async fn unbind(cx: &mut LineContext, given: &Flags) -> Outcome {
    configure(cx, SettingChange::Unbind(given.words())).await
}

/// Changes a person's settings. A program's bindings have no effect: they are tmux's, and the keys are the person's.
pub(super) async fn configure(cx: &LineContext, change: SettingChange) -> Outcome {
    if !cx.is_person() {
        return Ok(String::new());
    }
    match cx.ask(Step::Configure(change)).await? {
        StepReply::Text(said) => Ok(said.unwrap_or_default()),
        _ => Ok(String::new()),
    }
}

/// `list-keys`
pub(super) async fn list_keys(cx: &mut LineContext, given: &Flags) -> Outcome {
    if cx.setting.client.is_some() && given.operands.is_empty() && !given.has('N') {
        return clients::in_client(cx, "help").await;
    }
    let StepReply::Keys(keys) = cx.ask(Step::Keys).await? else { return Ok(String::new()) };
    let wanted = given.operands.first().map(String::as_str);
    let table = given.value('T').unwrap_or_default();
    let is_usual = ["", "root", "prefix"].contains(&table);
    if !is_usual && !keys.iter().any(|key| key.table == table) {
        return Err(format!("table {table} doesn't exist"));
    }
    let is_listed = |key: &KeyRow| match table {
        // With descriptions, tmux lists the keys of copy mode only on request.
        "" => !given.has('N') || !key.table.starts_with("copy-mode"),
        table => table == key.table,
    };
    let keys = keys.into_iter().filter(|key| is_listed(key) && wanted.is_none_or(|wanted| wanted == key.key));
    let lines = keys.map(|KeyRow { table, key, command, about, repeats }| match given.has('N') {
        true => format!("{}{key:<12} {about}", given.value('P').unwrap_or_default()),
        false => {
            let repeat = if repeats { "-r" } else { "  " };
            format!("bind-key {repeat} -T {table:<12} {key:<12} {command}")
        }
    });
    let most = if given.has('1') { 1 } else { usize::MAX };
    Ok(lines.take(most).collect::<Vec<_>>().join("\n"))
}
