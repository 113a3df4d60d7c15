//! tmux's commands for paste buffers.

use std::fs::OpenOptions;
use std::io::{Read, Write};

use fugue_client::format::{FormatSource, expand, is_true};
use fugue_client::{BufferInfo, BufferStore};
use fugue_protocol::verbs::SendInput;

use super::flags::ShimFlags;
use super::places::pane_choice;
use super::screen_reader::ScreenReader;
use super::shim::{Outcome, Shim};

/// The characters of a buffer that a list shows.
const SAMPLE: usize = 200;

fn store_of(shim: &Shim) -> BufferStore {
    BufferStore::of(&shim.paths.socket)
}

fn missing(name: Option<&str>) -> String {
    name.map_or_else(|| "no buffers".to_owned(), |name| format!("no buffer {name}"))
}

/// Sets a buffer.
pub(super) fn store(shim: &Shim, name: Option<&str>, text: &str) -> Outcome {
    let set = store_of(shim).set(name, text.as_bytes());
    set.map(|_| String::new()).map_err(|why| format!("cannot set the buffer: {why}"))
}

fn content(shim: &Shim, name: Option<&str>) -> Result<Vec<u8>, String> {
    store_of(shim).get(name).ok_or_else(|| missing(name))
}

/// `set-buffer`
pub(super) fn set(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let name = given.value('b');
    let store = store_of(shim);
    if let Some(new) = given.value('n') {
        let text = content(shim, name)?;
        let old = store.find(name).map(|buffer| buffer.name);
        store.set(Some(new), &text).map_err(|why| why.to_string())?;
        store.delete(old.as_deref());
        return Ok(String::new());
    }
    let text = given.operands.first().ok_or("no data specified")?;
    let before = if given.has('a') { store.get(name).unwrap_or_default() } else { Vec::new() };
    let text = String::from_utf8_lossy(&before).into_owned() + text;
    self::store(shim, name, &text)
}

/// `show-buffer`
pub(super) fn show(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let bytes = content(shim, given.value('b'))?;
    // As it is: what follows must not be added to a line that did not end.
    let _ = std::io::stdout().write_all(&bytes);
    Ok(String::new())
}

/// `delete-buffer`
pub(super) fn delete(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let name = given.value('b');
    if store_of(shim).delete(name) { Ok(String::new()) } else { Err(missing(name)) }
}

/// A buffer as the source of a format's values.
struct BufferSource<'a> {
    info: &'a BufferInfo,
    sample: String,
}

impl FormatSource for BufferSource<'_> {
    fn value(&self, name: &str) -> Option<String> {
        match name {
            "buffer_name" => Some(self.info.name.clone()),
            "buffer_size" => Some(self.info.size.to_string()),
            "buffer_sample" => Some(self.sample.clone()),
            "buffer_created" => {
                let age = self.info.created.duration_since(std::time::UNIX_EPOCH).ok()?;
                Some(age.as_secs().to_string())
            }
            _ => None,
        }
    }
}

/// `list-buffers`
pub(super) fn list(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let store = store_of(shim);
    let usual = "#{buffer_name}: #{buffer_size} bytes: \"#{buffer_sample}\"";
    let line = |info: &BufferInfo| {
        let text = store.get(Some(&info.name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).replace('\n', "\\n");
        let source = BufferSource { info, sample: text.chars().take(SAMPLE).collect() };
        let passes = given.value('f').is_none_or(|filter| is_true(&expand(filter, &source)));
        passes.then(|| expand(given.value('F').unwrap_or(usual), &source))
    };
    Ok(store.list().iter().filter_map(line).collect::<Vec<_>>().join("\n"))
}

/// `load-buffer`
pub(super) fn load(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let path = given.operand(0);
    let mut bytes = Vec::new();
    match path {
        "-" => std::io::stdin().read_to_end(&mut bytes).map(drop),
        path => std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).map(drop),
    }
    .map_err(|why| format!("{path}: {why}"))?;
    let set = store_of(shim).set(given.value('b'), &bytes);
    set.map(|_| String::new()).map_err(|why| why.to_string())
}

/// `save-buffer`
pub(super) fn save(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let path = given.operand(0);
    let bytes = content(shim, given.value('b'))?;
    if path == "-" {
        let _ = std::io::stdout().write_all(&bytes);
        return Ok(String::new());
    }
    let append = given.has('a');
    let file = OpenOptions::new().write(true).create(true).append(append).truncate(!append).open(path);
    let written = file.and_then(|mut file| file.write_all(&bytes));
    written.map(|()| String::new()).map_err(|why| format!("{path}: {why}"))
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
pub(super) fn paste(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let at = shim.pane(given)?;
    let bytes = content(shim, given.value('b'))?;
    let separator = match (given.value('s'), given.has('r')) {
        (Some(separator), _) => separator.to_owned(),
        (None, true) => "\n".to_owned(),
        (None, false) => "\r".to_owned(),
    };
    let text = String::from_utf8_lossy(&bytes).replace('\n', &separator);
    let screen = given.has('p').then(|| ScreenReader::new(&shim.paths).read(at.pane)).flatten();
    let text = if screen.is_some_and(|screen| screen.bracketed_paste) { bracketed(text) } else { text };
    if !text.is_empty() {
        let input = Some(text);
        shim.call(&SendInput { choice: pane_choice(at), input, ..SendInput::default() })?;
    }
    if given.has('d') {
        store_of(shim).delete(given.value('b'));
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
