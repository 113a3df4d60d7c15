//! The code blocks of a page.

/// A code block.
pub(crate) struct CodeBlock {
    /// The heading above it.
    pub(crate) heading: String,
    /// The word after its first fence.
    pub(crate) language: String,
    /// Its lines, each with its line end.
    pub(crate) text: String,
    /// Where the text begins in the page.
    pub(crate) start: usize,
}

/// The code blocks of a page, in order. Indented ones, those of a list, are without their indentation.
pub(crate) fn of(page: &str) -> Vec<CodeBlock> {
    let (mut found, mut open, mut heading, mut at) = (Vec::<CodeBlock>::new(), None, String::new(), 0);
    for line in page.split_inclusive('\n') {
        let indentation = line.len() - line.trim_start().len();
        at += line.len();
        match (line.trim().strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => found.extend(open.take().map(|(block, _)| block)),
            (Some(language), None) => {
                let (heading, language) = (heading.clone(), language.to_owned());
                open = Some((CodeBlock { heading, language, text: String::new(), start: at }, indentation));
            }
            (None, Some((block, indentation))) => {
                block.text += line.get(*indentation..).unwrap_or("\n");
            }
            (None, None) if line.starts_with('#') => heading = line.trim_start_matches('#').trim().to_owned(),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a code block is not closed");
    found
}

/// A command of a transcript, and what it printed.
pub(crate) struct Step {
    /// The command; of several lines if it goes on after `> `.
    pub(crate) command: String,
    /// The lines below it.
    pub(crate) output: String,
}

/// The commands of a transcript.
pub(crate) fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in text.split_inclusive('\n') {
        // An empty line of a command has no blank after its `>`.
        let more = line.strip_prefix("> ").or_else(|| line.strip_prefix('>').filter(|rest| *rest == "\n"));
        match (line.strip_prefix("$ "), more, steps.last_mut()) {
            (Some(command), ..) => steps.push(Step { command: command.into(), output: String::new() }),
            (None, Some(more), Some(step)) if step.output.is_empty() => step.command += more,
            (None, _, Some(step)) => step.output += line,
            (None, _, None) => panic!("a transcript begins with a command: {text}"),
        }
    }
    steps
}
