//! The window title and the stack that XTPUSHTITLE and XTPOPTITLE use.

/// A deeper stack forgets its oldest title.
const DEEPEST: usize = 16;

/// The title that a program set, and those it pushed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TitleStack {
    pub current: String,
    pub stack: Vec<String>,
    /// The revision in which the title last changed.
    pub revision: u64,
    /// The revision in which a program last set it, to another title or to the same.
    pub set_in: u64,
}

impl TitleStack {
    /// Sets the title. Returns whether it changed.
    pub(crate) fn set(&mut self, title: String, revision: u64) -> bool {
        self.set_in = revision;
        if title == self.current {
            return false;
        }
        self.current = title;
        self.revision = revision;
        true
    }

    pub(crate) fn push(&mut self) {
        if self.stack.len() == DEEPEST {
            self.stack.remove(0);
        }
        self.stack.push(self.current.clone());
    }

    pub(crate) fn pop(&mut self) -> Option<String> {
        self.stack.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_popped_title_is_the_one_that_was_pushed_last() {
        let mut titles = TitleStack::default();
        for title in ["one", "two"] {
            assert!(titles.set(title.to_owned(), 1));
            titles.push();
        }
        assert!(!titles.set("two".to_owned(), 2));
        assert_eq!((titles.revision, titles.set_in), (1, 2), "it did not change, but it was set");
        assert_eq!((titles.pop().as_deref(), titles.pop().as_deref()), (Some("two"), Some("one")));
        assert_eq!(titles.pop(), None);
    }

    #[test]
    fn a_deep_stack_forgets_its_oldest_title() {
        let mut titles = TitleStack::default();
        for n in 0..=DEEPEST {
            titles.set(n.to_string(), 1);
            titles.push();
        }
        assert_eq!((titles.stack.len(), titles.stack[0].as_str()), (DEEPEST, "1"));
    }
}
