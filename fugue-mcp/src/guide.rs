//! The guidance for agents that `fugue guide` prints, for a project's CLAUDE.md or AGENTS.md.

/// The text, in Markdown.
pub const GUIDE: &str = include_str!("guide.md");

#[cfg(test)]
mod tests {
    use super::*;

    /// About 500 tokens. An agent reads it in every conversation.
    const LIMIT: usize = 2_048;

    #[test]
    fn the_guide_is_short_and_names_only_tools_and_arguments_that_exist() {
        assert!(GUIDE.len() <= LIMIT, "{} bytes", GUIDE.len());
        assert!(GUIDE.lines().all(|line| line.len() <= 120));
        let words = GUIDE.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for word in words.filter(|word| word.starts_with("fugue_") && *word != "fugue_") {
            assert!(crate::tools::find(word).is_some(), "{word}");
        }
        for (tool, argument) in [
            ("fugue_wait", "pattern"),
            ("fugue_wait", "until"),
            ("fugue_send_input", "submit"),
            ("fugue_set_tags", "add"),
            ("fugue_send_orchestration", "payload"),
            ("fugue_send_orchestration", "reply_to"),
            ("fugue_request_help", "wait_ms"),
            ("fugue_poll_messages", "acknowledge"),
        ] {
            let tool = &crate::tools::find(tool).expect("a tool").tool;
            assert!(
                GUIDE.contains(argument) && tool.input_schema["properties"].get(argument).is_some(),
                "{argument}"
            );
        }
    }
}
