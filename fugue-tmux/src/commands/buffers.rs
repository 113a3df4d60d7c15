//! tmux's commands for paste buffers.

use fugue_protocol::buffer_content::BufferContent;
use fugue_protocol::verbs::{
    GetBuffer, GetOutput, ListPasteBuffers, Mode, RemoveBuffer, RenameBuffer, SendInput, StoreBuffer,
};
use fugue_protocol::views::PasteBufferView;

use crate::context::{LineContext, Outcome, pane_choice};
use crate::flags::Flags;
use crate::format::{FormatSource, expand, is_true};
use crate::steps::Step;

fn owned(name: Option<&str>) -> Option<String> {
    name.map(str::to_owned)
}

/// The error for a buffer that does not exist; without a name, there is none at all.
fn missing(name: Option<&str>) -> String {
    name.map_or_else(|| "no buffers".to_owned(), |name| format!("no buffer {name}"))
}

/// Sets a buffer.
pub(super) async fn store(cx: &LineContext, name: Option<&str>, content: BufferContent) -> Outcome {
    cx.call(&StoreBuffer { name: owned(name), content }).await?;
    Ok(String::new())
}

/// The content of a buffer, if it exists.
async fn found(cx: &LineContext, name: Option<&str>) -> Result<Option<BufferContent>, String> {
    Ok(cx.call(&GetBuffer { name: owned(name), nth: None }).await?.content)
}

async fn content(cx: &LineContext, name: Option<&str>) -> Result<BufferContent, String> {
    found(cx, name).await?.ok_or_else(|| missing(name))
}

async fn remove(cx: &LineContext, name: Option<&str>) -> Outcome {
    let removed = cx.call(&RemoveBuffer { name: owned(name) }).await?;
    removed.name.map(|_| String::new()).ok_or_else(|| missing(name))
}

/// `set-buffer`
pub(super) async fn set(cx: &mut LineContext, given: &Flags) -> Outcome {
    let name = given.value('b');
    if let Some(new) = given.value('n') {
        let rename = RenameBuffer { name: owned(name), new_name: new.to_owned() };
        let renamed = cx.call(&rename).await?;
        return renamed.name.map(|_| String::new()).ok_or_else(|| missing(name));
    }
    let text = given.operands.first().ok_or("no data specified")?;
    if text.is_empty() {
        return Ok(String::new());
    }
    // As in tmux, a buffer without a name is a new one.
    let before = match name.filter(|_| given.has('a')) {
        Some(name) => found(cx, Some(name)).await?.unwrap_or_default(),
        None => BufferContent::default(),
    };
    store(cx, name, before.followed_by(&text.as_str().into())).await
}

/// `show-buffer`
pub(super) async fn show(cx: &mut LineContext, given: &Flags) -> Outcome {
    let content = content(cx, given.value('b')).await?;
    // As it is: what follows must not be added to a line that did not end.
    cx.act(Step::Print(content.as_bytes().to_vec())).await?;
    Ok(String::new())
}

/// `delete-buffer`
pub(super) async fn delete(cx: &mut LineContext, given: &Flags) -> Outcome {
    remove(cx, given.value('b')).await
}

impl FormatSource for PasteBufferView {
    fn value(&self, name: &str) -> Option<String> {
        match name {
            "buffer_name" => Some(self.name.clone()),
            "buffer_size" => Some(self.bytes.to_string()),
            "buffer_sample" => Some(self.sample.replace('\n', "\\n")),
            "buffer_created" => Some((self.stored_at.millis() / 1_000).to_string()),
            _ => None,
        }
    }
}

/// `list-buffers`
pub(super) async fn list(cx: &mut LineContext, given: &Flags) -> Outcome {
    let rows = cx.call(&ListPasteBuffers::default()).await?.buffers;
    let usual = "#{buffer_name}: #{buffer_size} bytes: \"#{buffer_sample}\"";
    let line = |row: &PasteBufferView| {
        let passes = given.value('f').is_none_or(|filter| is_true(&expand(filter, row)));
        passes.then(|| expand(given.value('F').unwrap_or(usual), row))
    };
    Ok(rows.iter().filter_map(line).collect::<Vec<_>>().join("\n"))
}

/// `load-buffer`
pub(super) async fn load(cx: &mut LineContext, given: &Flags) -> Outcome {
    let bytes = cx.bytes(Step::Read(given.operand(0).to_owned())).await?;
    store(cx, given.value('b'), bytes.into()).await
}

/// `save-buffer`
pub(super) async fn save(cx: &mut LineContext, given: &Flags) -> Outcome {
    let content = content(cx, given.value('b')).await?.as_bytes().to_vec();
    let (path, append) = (given.operand(0).to_owned(), given.has('a'));
    cx.act(Step::Write { path, content, append }).await?;
    Ok(String::new())
}

/// What opens and closes a bracket around pasted text; each begins with one of these.
const BRACKETS: [&str; 4] = ["\u{1b}[200~", "\u{1b}[201~", "\u{9b}200~", "\u{9b}201~"];

/// Text between the brackets that a program asked for. The text cannot close them: what comes after it would be typed.
fn bracketed(mut text: String) -> String {
    // What is left when one is removed may be another.
    while let Some(bracket) = BRACKETS.iter().find(|bracket| text.contains(**bracket)) {
        text = text.replace(bracket, "");
    }
    if text.is_empty() { text } else { format!("{}{text}{}", BRACKETS[0], BRACKETS[1]) }
}

/// `paste-buffer`
pub(super) async fn paste(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.pane(given)?;
    let content = content(cx, given.value('b')).await?;
    let separator = match (given.value('s'), given.has('r')) {
        (Some(separator), _) => separator.to_owned(),
        (None, true) => "\n".to_owned(),
        (None, false) => "\r".to_owned(),
    };
    let text = content.to_text().replace('\n', &separator);
    let choice = pane_choice(at);
    let screen =
        GetOutput { choice, lines: 1, mode: Some(Mode::Screen), screen_state: true, ..GetOutput::default() };
    let screen =
        if given.has('p') { cx.call(&screen).await.ok().and_then(|output| output.screen) } else { None };
    let text = if screen.is_some_and(|screen| screen.bracketed_paste) { bracketed(text) } else { text };
    if !text.is_empty() {
        cx.call(&SendInput { choice: pane_choice(at), input: Some(text), ..SendInput::default() }).await?;
    }
    if given.has('d') {
        remove(cx, given.value('b')).await?;
    }
    Ok(String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_text_cannot_close_its_bracket() {
        for text in ["a\u{1b}[201~b", "a\u{1b}[20\u{1b}[201~1~b", "\u{1b}[200~a\u{9b}201~b", "ab"] {
            assert_eq!(bracketed(text.to_owned()), "\u{1b}[200~ab\u{1b}[201~", "{text:?}");
        }
        assert_eq!(bracketed("\u{1b}[201~".to_owned()), "");
    }
}
