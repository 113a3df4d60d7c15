//! tmux's hooks: lines of commands that the daemon runs when something happens.

use fugue_protocol::OptionScope;
use fugue_protocol::verbs::{ChangeHook, ListHooks};

use super::set_options::scope;
use super::shell::run_text;
use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::reader;
use crate::steps::LineOrigin;

/// The hooks of tmux for which fugue has no event.
const WITHOUT_EVENT: [&str; 12] = [
    "alert-activity",
    "alert-silence",
    "client-active",
    "client-focus-in",
    "client-focus-out",
    "client-resized",
    "command-error",
    "pane-focus-in",
    "pane-focus-out",
    "pane-mode-changed",
    "pane-set-clipboard",
    "window-resized",
];

/// A hook as a command names it: `bell`, or `bell[2]` for one of its lines.
struct NamedHook {
    /// The event: fugue's name, or one that begins with `@`, which happens only when a command says so.
    event: String,
    index: Option<u32>,
}

/// Finds a hook; none if fugue has no event for it and the caller is a program, which continues without it.
fn find(cx: &LineContext, name: &str) -> Result<Option<NamedHook>, String> {
    let (plain, index) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((plain, index)) => (plain, Some(index.parse().map_err(|_| format!("invalid option: {name}"))?)),
        None => (name, None),
    };
    if plain.starts_with('@') {
        return Ok(Some(NamedHook { event: plain.to_owned(), index }));
    }
    if let Some(name) = cx.setting.settings.hook(plain) {
        return Ok(Some(NamedHook { event: name.event.to_owned(), index }));
    }
    let is_known = WITHOUT_EVENT.contains(&plain) || plain.starts_with("after-");
    match cx.setting.origin {
        _ if !is_known => Err(format!("invalid option: {plain}")),
        LineOrigin::Person => {
            Err(format!("fugue has no hook {plain}\nhint: `fugue events --follow` streams all events"))
        }
        _ => Ok(None),
    }
}

/// `set-hook`
pub(super) async fn set(cx: &mut LineContext, given: &Flags) -> Outcome {
    let Some(NamedHook { event, index }) = find(cx, given.operand(0))? else { return Ok(String::new()) };
    if given.has('R') {
        return run_now(cx, given, &event).await;
    }
    let scope = scope(cx, given, false)?;
    let line = given.operands.get(1).cloned().filter(|_| !given.has('u'));
    match &line {
        // A mistake is told now, and not when something happens.
        Some(line) => drop(reader::parse(line, &|_| None, &|format| Ok(format.to_owned()))?),
        None if given.has('u') => {}
        None => return Err("no command given".into()),
    }
    let change = ChangeHook { scope, event, line, index, append: given.has('a') };
    cx.call(&change).await.map(|_| String::new())
}

/// Runs the lines of a hook, about the place that `-t` names.
async fn run_now(cx: &mut LineContext, given: &Flags, event: &str) -> Outcome {
    let hooks = cx.call(&ListHooks::default()).await?.hooks;
    let at = cx.pane(given)?;
    let scopes = [
        OptionScope::Pane(at.pane),
        OptionScope::Window(at.window),
        OptionScope::Session(at.session),
        OptionScope::Global,
    ];
    let lines = scopes.iter().find_map(|scope| hooks.get(scope)?.get(event));
    let lines: Vec<_> = lines.into_iter().flat_map(|lines| lines.values()).cloned().collect();
    let name = cx.setting.settings.hook(event).map_or(event, |hook| hook.tmux).to_owned();
    let outer = cx.hook_run.replace((name, at));
    let ran = run_lines(cx, &lines).await;
    cx.hook_run = outer;
    ran
}

async fn run_lines(cx: &mut LineContext, lines: &[String]) -> Outcome {
    let mut output = Vec::new();
    for line in lines {
        output.push(run_text(cx, line).await?);
        cx.refresh().await?;
    }
    output.retain(|text| !text.is_empty());
    Ok(output.join("\n"))
}

/// All hooks of a scope as `show-options -H` lists them: at the top also those without lines.
pub(super) async fn listed(cx: &LineContext, scope: OptionScope) -> Outcome {
    let set = cx.call(&ListHooks::default()).await?.hooks.remove(&scope).unwrap_or_default();
    let mut shown = String::new();
    for hook in cx.setting.settings.hooks() {
        match set.get(hook.event) {
            Some(lines) => {
                let line = |(index, line): (&u32, &String)| format!("{}[{index}] {line}\n", hook.tmux);
                shown.extend(lines.iter().map(line));
            }
            None if scope == OptionScope::Global => shown += &format!("{}\n", hook.tmux),
            None => {}
        }
    }
    Ok(shown)
}

/// `show-hooks`
pub(super) async fn show(cx: &mut LineContext, given: &Flags) -> Outcome {
    let mut wanted = None;
    if let Some(name) = given.operands.first() {
        wanted = find(cx, name)?;
        if wanted.is_none() {
            return Ok(String::new());
        }
    }
    let scope = scope(cx, given, false)?;
    let hooks = cx.call(&ListHooks::default()).await?.hooks.remove(&scope).unwrap_or_default();
    let is_wanted = |event: &str, index: u32| {
        let is_it = |hook: &NamedHook| hook.event == event && hook.index.is_none_or(|own| own == index);
        wanted.as_ref().is_none_or(is_it)
    };
    let mut shown = String::new();
    for (event, lines) in &hooks {
        let name = cx.setting.settings.hook(event).map_or(event.as_str(), |name| name.tmux);
        for (index, line) in lines.iter().filter(|(index, _)| is_wanted(event, **index)) {
            shown += &format!("{name}[{index}] {line}\n");
        }
    }
    Ok(shown)
}
