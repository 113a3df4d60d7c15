//! A line of tmux's commands while it runs.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::commands;
use crate::context::{LineContext, LineSetting};
use crate::steps::{Exchange, Step, StepReply};

/// A line that runs. It has no thread, no clock and no connection: [`next`](Self::next) returns the step that it needs,
/// and the program that runs it carries the step out when and how it can.
pub struct Line {
    run: Pin<Box<dyn Future<Output = Result<u8, String>>>>,
    exchange: Rc<Exchange>,
}

/// What became of a line so far.
#[derive(Debug)]
pub enum Progress {
    /// It waits for the answer to this step.
    Needs(Step),
    /// It has ended with this exit code, or with an error.
    Ended(Result<u8, String>),
}

impl Line {
    /// A line of these words, in which `;` separates commands. Nothing happens before the first [`next`](Self::next).
    pub fn new(words: Vec<String>, setting: LineSetting) -> Self {
        let exchange = Rc::new(Exchange::new(setting.origin));
        let context = LineContext::new(Rc::clone(&exchange), setting);
        Self { run: Box::pin(commands::run_line(context, words)), exchange }
    }

    /// A line given as text, whose commands run as those of a file do.
    pub fn of_text(text: String, setting: LineSetting) -> Self {
        let exchange = Rc::new(Exchange::new(setting.origin));
        let context = LineContext::new(Rc::clone(&exchange), setting);
        Self { run: Box::pin(commands::run_text_line(context, text)), exchange }
    }

    /// Continues with the answer to the last step; none the first time.
    pub fn next(&mut self, answer: Option<Result<StepReply, String>>) -> Progress {
        if let Some(answer) = answer {
            self.exchange.answer(answer);
        }
        match self.run.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(ended) => Progress::Ended(ended),
            // A line waits for nothing but the answers to its steps.
            Poll::Pending => match self.exchange.take_step() {
                Some(step) => Progress::Needs(step),
                None => Progress::Ended(Err("the line waits for nothing".to_owned())),
            },
        }
    }
}
