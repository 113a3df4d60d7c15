//! The OpenMetrics text format: families of samples, each with its type and description, and an end mark.

use std::fmt::Write;

/// The type of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FamilyType {
    Gauge,
    Counter,
    Info,
}

impl FamilyType {
    /// Its name, and what its samples' names end with.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Gauge => ("gauge", ""),
            Self::Counter => ("counter", "_total"),
            Self::Info => ("info", "_info"),
        }
    }
}

/// Text in the format.
#[derive(Debug, Default)]
pub(super) struct Exposition(String);

impl Exposition {
    /// Adds a family with one sample without labels.
    pub(super) fn gauge(&mut self, name: &str, help: &str, value: impl Into<f64>) {
        self.family(FamilyType::Gauge, name, help, &[(vec![], value.into())]);
    }

    /// Adds a family, unless it has no samples. Each sample has labels and a value.
    pub(super) fn family(
        &mut self,
        of: FamilyType,
        name: &str,
        help: &str,
        samples: &[(Vec<(&str, String)>, f64)],
    ) {
        let (type_name, suffix) = of.names();
        let _ = match samples {
            [] => Ok(()),
            _ => writeln!(self.0, "# TYPE {name} {type_name}\n# HELP {name} {}", escaped(help)),
        };
        for (labels, value) in samples {
            let labels: Vec<_> =
                labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
            let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
            let _ = writeln!(self.0, "{name}{suffix}{labels} {value}");
        }
    }

    /// The text with its end mark.
    pub(super) fn finish(self) -> String {
        self.0 + "# EOF\n"
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_ends_with_the_end_mark() {
        let mut text = Exposition::default();
        text.gauge("fugue_sessions", "Sessions.", 2_u32);
        let labels = vec![("host", "a\"\\\n".to_owned())];
        text.family(FamilyType::Counter, "fugue_relay_sent", "Sent.", &[(labels, 0.5)]);
        text.family(FamilyType::Gauge, "fugue_none", "None.", &[]);
        assert_eq!(
            text.finish(),
            "# TYPE fugue_sessions gauge\n# HELP fugue_sessions Sessions.\nfugue_sessions 2\n\
             # TYPE fugue_relay_sent counter\n# HELP fugue_relay_sent Sent.\n\
             fugue_relay_sent_total{host=\"a\\\"\\\\\\n\"} 0.5\n# EOF\n"
        );
    }
}
