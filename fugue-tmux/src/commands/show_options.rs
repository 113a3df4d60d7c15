//! `show-options`: what was set, and what holds otherwise.

use fugue_protocol::OptionScope;

use super::hooks;
use super::set_options::{scope, scope_of};
use crate::context::{LineContext, Outcome};
use crate::flags::Flags;
use crate::options::{self, OptionKind, SYNCHRONIZE};

/// `show-options`
pub(super) async fn show(cx: &mut LineContext, given: &Flags) -> Outcome {
    show_in(cx, given, false).await
}

/// `show-window-options`
pub(super) async fn show_window(cx: &mut LineContext, given: &Flags) -> Outcome {
    show_in(cx, given, true).await
}

async fn show_in(cx: &mut LineContext, given: &Flags, is_window: bool) -> Outcome {
    if cx.is_person() && given.operands == [SYNCHRONIZE] {
        let shown = show_synchronized(cx, given);
        return if given.has('q') { Ok(shown.unwrap_or_default()) } else { shown };
    }
    cx.read_options().await?;
    let shown = match given.operands.first() {
        Some(name) => show_one(cx, given, name, is_window).await,
        None => show_all(cx, given, is_window).await,
    };
    if given.has('q') { Ok(shown.unwrap_or_default()) } else { shown }
}

/// The lines of an option. Those of `-A` that hold elsewhere are marked.
fn line(given: &Flags, name: &str, value: &str, is_inherited: bool) -> String {
    match given.has('v') {
        true => format!("{value}\n"),
        false => format!("{name}{} {}\n", if is_inherited { "*" } else { "" }, escaped(value)),
    }
}

async fn show_one(cx: &LineContext, given: &Flags, name: &str, is_window: bool) -> Outcome {
    let option = options::find(name)?;
    let scope = scope_of(cx, given, option.kind, is_window)?;
    if option.is_whole_array() {
        return show_array(cx, given, scope, &option.name).await;
    }
    let set = cx.option(scope, &option.name);
    let is_global = scope == OptionScope::Global;
    let is_inherited = set.is_none() && !is_global;
    let value = match set {
        None if is_global || given.has('A') => cx.held(scope, &option.name).await?,
        set => set,
    };
    match value {
        Some(value) => Ok(line(given, &option.name, &value, is_inherited)),
        None if option.kind == OptionKind::User => Err(format!("invalid option: {name}")),
        None if cx.is_person() && (is_global || given.has('A')) => Err(no_value(cx, &option.name)),
        None => Ok(String::new()),
    }
}

/// The values of an option that has several.
async fn show_array(cx: &LineContext, given: &Flags, scope: OptionScope, name: &str) -> Outcome {
    let mut values = cx.array(scope, name).await?;
    let is_inherited = values.is_empty() && scope != OptionScope::Global && given.has('A');
    if is_inherited {
        values = cx.array(OptionScope::Global, name).await?;
    }
    let is_shown = scope == OptionScope::Global || is_inherited;
    let is_empty = values.is_empty() && is_shown && !given.has('v') && !cx.is_person();
    let alone = is_empty.then(|| format!("{name}{}\n", if is_inherited { "*" } else { "" }));
    let lines = values
        .iter()
        .map(|(index, value)| line(given, &format!("{name}[{index}]"), value, is_inherited))
        .chain(alone);
    Ok(lines.collect())
}

/// All options that were set in a scope, or that hold there.
async fn show_all(cx: &LineContext, given: &Flags, is_window: bool) -> Outcome {
    let scope = scope(cx, given, is_window)?;
    let is_listed = |kind: OptionKind| match scope {
        OptionScope::Global if given.has('s') => kind == OptionKind::Server,
        OptionScope::Global if is_window || given.has('w') => {
            matches!(kind, OptionKind::Window | OptionKind::Pane)
        }
        OptionScope::Global | OptionScope::Session(_) => kind == OptionKind::Session,
        OptionScope::Window(_) => matches!(kind, OptionKind::Window | OptionKind::Pane),
        OptionScope::Pane(_) => kind == OptionKind::Pane,
    };
    let set = cx.options_of(scope);
    let of_user = set.iter().filter(|(name, _)| name.starts_with('@'));
    let mut shown: String = of_user.map(|(name, value)| line(given, name, value, false)).collect();
    let mut names: Vec<_> = options::names().map(options::plain).collect();
    names.dedup();
    for name in names.into_iter().filter(|name| is_listed(options::kind(name))) {
        let is_global = scope == OptionScope::Global;
        if options::separators(name).is_some() {
            shown += &show_array(cx, given, scope, name).await?;
            continue;
        }
        let value = match set.get(name) {
            None if is_global || given.has('A') => cx.held(scope, name).await?,
            set => set.cloned(),
        };
        let is_inherited = !is_global && !set.contains_key(name);
        shown += &value.map(|value| line(given, name, &value, is_inherited)).unwrap_or_default();
    }
    if given.has('H') && !is_window && !given.has('s') {
        shown += &hooks::listed(cx, scope).await?;
    }
    Ok(shown)
}

/// Whether the panes of a window share their input, which only the client that sends it knows.
fn show_synchronized(cx: &LineContext, given: &Flags) -> Outcome {
    let Some(client) = &cx.setting.client else {
        return Err(format!(
            "only an attached client knows {SYNCHRONIZE}\nhint: run `show -w {SYNCHRONIZE}` at its prompt"
        ));
    };
    let at = cx.pane(given)?;
    let value = if client.synchronized.contains(&at.pane) { "on" } else { "off" };
    Ok(if given.has('v') { value.to_owned() } else { format!("{SYNCHRONIZE} {value}") })
}

/// A value as tmux prints it, so that its reader of lines reads it again.
fn escaped(value: &str) -> String {
    let mut chars = value.chars();
    match (chars.next(), chars.next()) {
        (None, _) => return "''".to_owned(),
        (Some(alone @ ('#' | '\'' | ';' | '$' | '{' | '}' | '%' | '"' | '~')), None) => {
            return format!("\\{alone}");
        }
        _ => {}
    }
    let is_double = value.contains([' ', '#', '\'', ';', '$', '{', '}', '%']);
    let mut text = String::new();
    for (at, letter) in value.char_indices() {
        let names = |next: char| next.is_ascii_alphabetic() || next == '_' || next == '{';
        let is_variable = || value[at + 1..].starts_with(names);
        match letter {
            '\\' => text.push_str("\\\\"),
            '"' if is_double => text.push_str("\\\""),
            '~' if at == 0 => text.push_str("\\~"),
            '$' if is_variable() => text.push_str("\\$"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            letter if letter.is_ascii_control() => text += &format!("\\{:03o}", u32::from(letter)),
            letter => text.push(letter),
        }
    }
    match (is_double, value.contains('"')) {
        (true, _) => format!("\"{text}\""),
        (false, true) => format!("'{text}'"),
        (false, false) => text,
    }
}

/// Why a person is shown no value of an option.
fn no_value(cx: &LineContext, name: &str) -> String {
    match cx.setting.settings.place(name) {
        Some(place) => format!(
            "{name} cannot be expressed in tmux's format\nhint: `fugue config show` prints the setting: {place}"
        ),
        None => format!("fugue has no {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn values_are_written_so_that_they_are_read_as_they_are() {
        for (value, written) in [
            ("", "''"),
            ("plain", "plain"),
            ("#", "\\#"),
            ("two words", "\"two words\""),
            ("a\"b", "'a\"b'"),
            ("a \"b\" $c $1", "\"a \\\"b\\\" \\$c $1\""),
            ("a\\b", "a\\\\b"),
            ("~/x", "\\~/x"),
            ("a\nb\u{1b}", "a\\nb\\033"),
        ] {
            assert_eq!(escaped(value), written, "{value:?}");
        }
    }
}
