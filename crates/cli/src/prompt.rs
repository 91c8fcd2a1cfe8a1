//! Asks a person at the terminal about permissions.

use std::fs::File;
use std::future::Future;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cofferdam::permissions::{Answer, Approver, Choice, Decision, Question, Span, Wish};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::outlet;
use crate::permissions::who;
use crate::report::Failure;

/// Longest time that a question waits for earlier output to be written.
const MOMENT: Duration = Duration::from_millis(200);

/// Held by the reader of typed input: a question, or a program connected to standard input.
static TYPED: Mutex<()> = Mutex::new(());

/// Waits for standard input that is not the answer to a question. While the returned guard is held,
/// no question reads from the terminal.
pub(crate) fn wait_for_typed() -> MutexGuard<'static, ()> {
    loop {
        is_typed(PollTimeout::NONE);
        let turn = TYPED.lock().unwrap_or_else(PoisonError::into_inner);
        if is_typed(PollTimeout::ZERO) {
            return turn;
        }
    }
}

/// Returns true if there is input, or if only a read can tell.
fn is_typed(timeout: PollTimeout) -> bool {
    let stdin = std::io::stdin();
    let mut asked = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    match poll(&mut asked, timeout) {
        Err(Errno::EINTR) => false,
        Ok(0) => false,
        Ok(_) | Err(_) => true,
    }
}

/// The terminal itself, because standard input and output may belong to the tool.
pub(crate) struct Prompt {
    terminal: Arc<Mutex<Terminal>>,
}

struct Terminal {
    lines: BufReader<File>,
    out: File,
}

impl Prompt {
    /// Opens the terminal of this process.
    pub(crate) fn open() -> Result<Self, Failure> {
        let open = || {
            let lines = BufReader::new(File::open("/dev/tty")?);
            let out = File::options().write(true).open("/dev/tty")?;
            Ok(Terminal { lines, out })
        };
        let terminal = open().map_err(|_: std::io::Error| {
            Failure::usage("--ask: no terminal")
                .hint("--allow CAPABILITY   (grants without asking)")
        })?;
        Ok(Prompt { terminal: Arc::new(Mutex::new(terminal)) })
    }
}

impl Approver for Prompt {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        let terminal = self.terminal.clone();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let denied = question.deny();
        // A thread waits for the person; the run occupies none.
        std::thread::spawn(move || {
            // Earlier output of the tool comes first, unless nobody reads it.
            outlet::settle_while_read(MOMENT);
            let mut terminal = terminal.lock().unwrap_or_else(PoisonError::into_inner);
            let _turn = TYPED.lock().unwrap_or_else(PoisonError::into_inner);
            let decisions =
                question.wishes().iter().map(|wish| decide(&mut terminal, &question, wish));
            let answer = question.answer(decisions.collect()).by(&who());
            // The receiver is gone if the run has ended in the meantime.
            let _ = sender.send(answer);
        });
        Box::pin(async move { receiver.await.unwrap_or(denied) })
    }
}

/// Asks about one wish until the answer is valid. If the terminal is gone, the answer is no.
fn decide(terminal: &mut Terminal, question: &Question, wish: &Wish) -> Decision {
    let narrowest = &wish.choices()[0];
    terminal.say(&format!("\n{} wants to {}", question.tool(), narrowest.words()));
    terminal.show(narrowest);
    loop {
        let has_more = wish.choices().len() > 1;
        let wider = if has_more { "  [w] wider" } else { "" };
        terminal.prompt(&format!("  [o] once  [s] this session  [a] always{wider}  [n] no: "));
        let Some(line) = terminal.line() else { return Decision::Deny };
        match line.as_str() {
            "o" | "once" => return Decision::Grant(narrowest.capability().clone(), Span::Once),
            "s" | "session" => {
                return Decision::Grant(narrowest.capability().clone(), Span::Session);
            }
            "a" | "always" => return Decision::Grant(narrowest.capability().clone(), Span::Always),
            "w" | "wider" if has_more => {
                if let Some(decision) = choose(terminal, wish) {
                    return decision;
                }
            }
            "n" | "no" | "" => return Decision::Deny,
            _ => terminal.say("  please type one of the letters in brackets"),
        }
    }
}

/// Lets the person choose a scope and a span. Returns `None` to go back.
fn choose(terminal: &mut Terminal, wish: &Wish) -> Option<Decision> {
    for (number, choice) in wish.choices().iter().enumerate() {
        terminal.say(&format!("  {}. {}", number + 1, choice.words()));
        terminal.show(choice);
    }
    terminal.prompt("  number and o, s or a (such as 2 s), or Enter to go back: ");
    let line = terminal.line()?;
    let (number, span) = line.split_once(char::is_whitespace)?;
    let choice = wish.choices().get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
    let span = match span.trim() {
        "o" | "once" => Span::Once,
        "s" | "session" => Span::Session,
        "a" | "always" => Span::Always,
        _ => return None,
    };
    Some(Decision::Grant(choice.capability().clone(), span))
}

impl Terminal {
    fn show(&mut self, choice: &Choice) {
        let risk = choice.risk();
        self.say(&format!("     capability  {}", choice.text()));
        self.say(&format!("     risk        {}: {}", risk.level, risk.reason));
    }

    fn say(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}");
    }

    fn prompt(&mut self, text: &str) {
        let _ = write!(self.out, "{text}").and_then(|()| self.out.flush());
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.lines.read_line(&mut line) {
            Ok(len) if len > 0 => Some(line.trim().to_lowercase()),
            Ok(_) | Err(_) => None,
        }
    }
}
