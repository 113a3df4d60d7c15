//! tmux's styles, `fg=black,bg=green,bold`, in fugue's words: `black on green bold`.

/// Translates a style; nothing if it has a part that fugue's styles do not have.
pub(super) fn style(text: &str) -> Option<String> {
    let (mut front, mut back, mut attributes) = (None, None, Vec::new());
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some(("fg", value)) => front = Some(color(value)?),
            Some(("bg", value)) => back = Some(color(value)?),
            Some(_) => return None,
            None => match part {
                "default" | "none" | "noattr" => {}
                "bold" | "bright" => attributes.push("bold"),
                "dim" => attributes.push("dim"),
                "italics" => attributes.push("italic"),
                "underscore" => attributes.push("underline"),
                "reverse" => attributes.push("reverse"),
                "strikethrough" => attributes.push("strike"),
                _ => return None,
            },
        }
    }
    let back = back.map(|back| format!("on {back}"));
    let words: Vec<_> =
        front.into_iter().chain(back).chain(attributes.into_iter().map(str::to_owned)).collect();
    Some(if words.is_empty() { "default".to_owned() } else { words.join(" ") })
}

/// Translates a color.
fn color(name: &str) -> Option<String> {
    const NAMES: [&str; 9] =
        ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "default"];
    let number = name.strip_prefix("colour").or_else(|| name.strip_prefix("color"));
    let bright = name.strip_prefix("bright").filter(|rest| NAMES[..8].contains(rest));
    match (number, bright) {
        (Some(number), _) => number.parse::<u8>().ok().map(|number| number.to_string()),
        (_, Some(name)) => Some(format!("bright-{name}")),
        _ if NAMES.contains(&name) || is_rgb(name) => Some(name.to_owned()),
        _ => None,
    }
}

/// Whether it is a color such as `#ff8700`, and not a format.
fn is_rgb(name: &str) -> bool {
    let digits = name.strip_prefix('#').unwrap_or_default();
    digits.len() == 6 && digits.chars().all(|c| c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::style;

    #[test]
    fn styles_are_translated() {
        assert_eq!(style("fg=black,bg=colour235,bold").as_deref(), Some("black on 235 bold"));
        assert_eq!(style("bg=#1a1b26 fg=brightred").as_deref(), Some("bright-red on #1a1b26"));
        assert_eq!(style("default").as_deref(), Some("default"));
        assert_eq!(style("align=left"), None);
        assert_eq!(style("bg=#{@theme}"), None);
        assert_eq!(style("#{?pane_in_mode,fg=red,}"), None);
    }
}
