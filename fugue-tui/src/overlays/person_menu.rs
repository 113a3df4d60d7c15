//! Menus of tmux's `display-menu`: their items are given with the command, each with a key and a command line.

use fugue_protocol::Size;
use fugue_screen::keys::Key;
use fugue_tmux::command_table;
use fugue_tmux::flags::Flags;

use super::list::List;
use super::list_row::ListRow;

/// The most items: more do not fit any terminal.
const MOST_ITEMS: usize = 200;

/// Reads the words after `display-menu`. Formats in titles and names are expanded by `expand`.
pub(crate) fn person_menu(
    words: &[&str],
    size: Size,
    expand: impl Fn(&str) -> String,
) -> Result<List, String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let given = command_table::find("display-menu")?.parse(&words)?;
    let rows = rows(&given.operands, &expand)?;
    let chosen = given.value('C').and_then(|chosen| chosen.parse().ok()).unwrap_or(0);
    let title = given.value('T').map(&expand).unwrap_or_default();
    let mut list = List::new(title, rows, chosen).into_menu().doing("run");
    if let Some((row, col)) = anchor(&given, size) {
        list.set_anchor(row, col);
    }
    Ok(list)
}

/// The rows of items: a name, a key and a command each, or an empty name for a line. A name that begins with `-` cannot be
/// chosen.
fn rows(words: &[String], expand: &impl Fn(&str) -> String) -> Result<Vec<ListRow>, String> {
    let (mut rows, mut rest) = (Vec::new(), words);
    while let Some((name, after)) = rest.split_first() {
        if name.is_empty() {
            rows.push(ListRow { heading: true, ..ListRow::default() });
            rest = after;
        } else {
            let [key, command, after @ ..] = after else { return Err("not enough arguments".to_owned()) };
            rows.push(item(&expand(name), key, command));
            rest = after;
        }
        if rows.len() > MOST_ITEMS {
            return Err(format!("too many items: the limit is {MOST_ITEMS}"));
        }
    }
    Ok(rows)
}

fn item(name: &str, key: &str, command: &str) -> ListRow {
    let shown = name.strip_prefix('-');
    ListRow {
        text: shown.unwrap_or(name).to_owned(),
        key: key.to_owned(),
        shortcut: key.parse::<Key>().ok().filter(|_| shown.is_none()),
        command: command.to_owned(),
        note: shown.is_some(),
        ..ListRow::default()
    }
}

/// The cell of `-x` and `-y`, if both are numbers; any other position is the middle.
fn anchor(given: &Flags, size: Size) -> Option<(u16, u16)> {
    let cell =
        |flag, most: u16| given.value(flag)?.parse::<u16>().ok().map(|at| at.min(most.saturating_sub(1)));
    Some((cell('y', size.rows)?, cell('x', size.cols)?))
}

#[cfg(test)]
mod tests {
    use fugue_screen::keys::Code;

    use super::*;
    use crate::overlays::outcome::OverlayOutcome;

    fn menu(words: &[&str]) -> Result<List, String> {
        person_menu(words, Size::new(80, 24), |text| text.replace("#S", "work"))
    }

    #[test]
    fn a_key_of_an_item_runs_its_command() {
        let words = [
            "-T",
            "of #S",
            "Split #S",
            "s",
            "split-window",
            "",
            "-Off",
            "o",
            "kill-pane",
            "Zoom",
            "z",
            "resize-pane -Z",
        ];
        let list = || menu(&words).expect("a menu");
        assert!(list().is_titled("of work"));
        let texts: Vec<_> = list().rows.iter().map(|row| row.text.clone()).collect();
        assert_eq!(texts, ["Split work", "", "Off", "Zoom"]);
        let pressed = |key: char| list().key(Key::plain(Code::Char(key)));
        assert_eq!(pressed('z'), OverlayOutcome::Run("resize-pane -Z".to_owned()));
        assert_eq!(pressed('o'), OverlayOutcome::Stay, "it cannot be chosen");
        assert_eq!(list().key(Key::plain(Code::Enter)), OverlayOutcome::Run("split-window".to_owned()));
        let last = menu(&["-C", "1", "One", "1", "a", "Two", "2", "b"])
            .expect("a menu")
            .key(Key::plain(Code::Enter));
        assert_eq!(last, OverlayOutcome::Run("b".to_owned()));
        assert_eq!(menu(&["One", "1"]).err(), Some("not enough arguments".to_owned()));
        assert!(menu(&vec![""; MOST_ITEMS + 1]).is_err_and(|why| why.contains("too many items")));
    }
}
