//! What was on a pane's screen before the program in the foreground was started. It says nothing about that program.

use fugue_agents::Front;

/// What other programs left on the screen before the one in the foreground was started.
#[derive(Debug, Default)]
pub(crate) struct LeftScreen {
    /// The revision at the last look, or when the program before was seen to end.
    pub(crate) seen: u64,
    /// The program in the foreground, the revision when it was started if that is known, and whether it is an agent.
    pub(crate) pid: u32,
    pub(crate) begun: Option<u64>,
    pub(crate) is_agent: bool,
    /// The last agent before, which may come back to the foreground: what it had drawn is its own.
    before: Option<(u32, Option<u64>)>,
}

impl LeftScreen {
    /// Takes note of the program in the foreground, and whether it was seen to come there.
    pub(crate) fn look(&mut self, pid: u32, front: &Front, is_seen: bool, revision: u64) {
        if self.pid != pid {
            if self.is_agent {
                self.before = Some((self.pid, self.begun));
            }
            let back = self.before.filter(|(before, _)| *before == pid).map(|(_, begun)| begun);
            self.begun = back.unwrap_or(is_seen.then_some(self.seen));
            self.pid = pid;
        }
        self.is_agent = matches!(front, Front::Named(_));
        self.seen = revision;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_begins_at_the_last_look_before_it_and_an_agent_that_comes_back_keeps_what_it_drew() {
        let mut left = LeftScreen { seen: 5, ..LeftScreen::default() };
        let agent = Front::Named("claude".into());
        left.look(10, &agent, true, 8);
        assert_eq!(left.begun, Some(5));
        left.look(10, &agent, true, 20);
        left.look(11, &Front::Shell, true, 30);
        assert_eq!(left.begun, Some(20));
        left.look(10, &agent, true, 40);
        assert_eq!(left.begun, Some(5), "it was only stopped");
        left.look(12, &agent, true, 50);
        assert_eq!(left.begun, Some(40), "another agent");
        left.look(13, &agent, false, 60);
        assert_eq!(left.begun, None, "it is not known when it was started");
    }
}
