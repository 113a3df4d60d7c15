//! The text that this client copied last. The paste buffers are the daemon's; the text is kept here as well, because the
//! daemon may lack it: it had no room for it, or the client shows another host since.

/// A text that was copied.
#[derive(Debug)]
struct Copied {
    text: String,
    /// The host that was shown; none for this one.
    host: Option<String>,
    /// Whether the daemon of that host has stored it.
    is_stored: bool,
}

/// What this client copied last.
#[derive(Debug, Default)]
pub(crate) struct LastCopied(Option<Copied>);

impl LastCopied {
    /// Keeps a text that was copied while this host was shown.
    pub(crate) fn keep(&mut self, text: String, host: Option<&str>) {
        self.0 = Some(Copied { text, host: host.map(str::to_owned), is_stored: false });
    }

    /// Notes that the daemon has stored the text.
    pub(crate) fn stored(&mut self) {
        if let Some(copied) = &mut self.0 {
            copied.is_stored = true;
        }
    }

    /// The text, if the daemon of the host that is shown lacks it: it is newer than the buffers there.
    pub(crate) fn lacking(&self, shown: Option<&str>) -> Option<&str> {
        let lacks = |copied: &&Copied| !copied.is_stored || copied.host.as_deref() != shown;
        self.0.as_ref().filter(lacks).map(|copied| copied.text.as_str())
    }

    /// Takes the text, if the daemon of the host that is shown lacks it.
    pub(crate) fn take_lacking(&mut self, shown: Option<&str>) -> Option<String> {
        self.lacking(shown)?;
        self.0.take().map(|copied| copied.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_text_is_kept_for_daemons_that_lack_it() {
        let mut copied = LastCopied::default();
        copied.keep("one".into(), None);
        assert_eq!(copied.lacking(None), Some("one"), "it is on its way");
        copied.stored();
        assert_eq!((copied.lacking(None), copied.lacking(Some("gpu"))), (None, Some("one")));
        copied.keep("two".into(), Some("gpu"));
        copied.stored();
        assert_eq!((copied.lacking(None), copied.lacking(Some("gpu"))), (Some("two"), None));
        assert_eq!(copied.take_lacking(Some("gpu")), None);
        assert_eq!(copied.take_lacking(None).as_deref(), Some("two"));
        assert_eq!(copied.lacking(None), None, "it was deleted");
    }
}
