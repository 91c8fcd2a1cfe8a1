//! Asks a person at the terminal about permissions.

use std::fs::File;
use std::future::Future;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cofferdam::permissions::{
    Answer, Approver, Choice, Decision, Grant, Question, Span, Usual, Wish, shortened,
};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{FlushArg, tcflush};

use crate::outlet;
use crate::permissions::who;
use crate::report::Failure;

/// Longest time that a question waits for earlier output to be written.
const MOMENT: Duration = Duration::from_millis(200);

/// Shortest time in which a person can read a question; a faster answer was typed for something
/// else.
const READING: Duration = Duration::from_millis(300);

/// Interval at which a question that waits for an answer looks whether it is still needed.
const LOOK: u16 = 100;

/// Most characters of a description and of a capability in a question. A longer name could push
/// the rest of the question off the screen.
const MAX_WORDS: usize = 160;
const MAX_CAPABILITY: usize = 320;

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
    lasting: Lasting,
}

/// Fate of the grants that outlast a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasting {
    /// They are in the store, where they can be revoked.
    InStore,
    /// They end with this process.
    InMemory,
}

struct Terminal {
    lines: BufReader<File>,
    out: File,
}

impl Prompt {
    /// Opens the terminal of this process.
    pub(crate) fn open(lasting: Lasting) -> Result<Self, Failure> {
        let open = || {
            let lines = BufReader::new(File::open("/dev/tty")?);
            let out = File::options().write(true).open("/dev/tty")?;
            Ok(Terminal { lines, out })
        };
        let terminal = open().map_err(|_: std::io::Error| {
            Failure::usage("--ask: no terminal")
                .hint("--allow CAPABILITY   (grants without asking)")
        })?;
        Ok(Prompt { terminal: Arc::new(Mutex::new(terminal)), lasting })
    }
}

impl Approver for Prompt {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        let terminal = self.terminal.clone();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let denied = question.deny();
        // A thread waits for the person; the run occupies none.
        std::thread::spawn(move || {
            let mut terminal = terminal.lock().unwrap_or_else(PoisonError::into_inner);
            let _turn = TYPED.lock().unwrap_or_else(PoisonError::into_inner);
            // Earlier output of the tool comes first, unless nobody reads it. Later output waits
            // for the answer: it could imitate another question below this one (T-PERM-019).
            outlet::settle_while_read(MOMENT);
            let _held = outlet::hold(MOMENT);
            let is_needed = || !sender.is_closed();
            if let Some(decisions) = decide_all(&mut terminal, &question, &is_needed) {
                // The receiver is gone if the run has ended in the meantime.
                let _ = sender.send(question.answer(decisions).by(&who()));
            }
        });
        Box::pin(async move { receiver.await.unwrap_or(denied) })
    }

    fn granted(&self, _: &Question, grants: &[Grant]) {
        let mut terminal = self.terminal.lock().unwrap_or_else(PoisonError::into_inner);
        for grant in grants {
            let words = shortened(&grant.capability.describe(), MAX_WORDS);
            let until = match (grant.span, self.lasting) {
                (Span::Once, _) => "it ends with this run".to_owned(),
                (Span::Session | Span::Always, Lasting::InMemory) => {
                    "it ends with this process, because of --ephemeral".to_owned()
                }
                (Span::Session, Lasting::InStore) => {
                    format!("for 12 hours at most; to end it: cofferdam revoke {}", grant.id)
                }
                (Span::Always, Lasting::InStore) => {
                    format!("to end it: cofferdam revoke {}", grant.id)
                }
            };
            terminal.say(&format!("  granted {}: {words} ({until})", grant.span));
        }
    }

    fn asks_one_at_a_time(&self) -> bool {
        true
    }
}

/// Asks a whole question. Returns `None` if nobody needs the answer any more.
fn decide_all(
    terminal: &mut Terminal,
    question: &Question,
    is_needed: &dyn Fn() -> bool,
) -> Option<Vec<Decision>> {
    let wishes = question.wishes();
    if let [wish] = wishes {
        return Some(vec![decide(terminal, question, wish, is_needed)?]);
    }
    terminal.say(&format!("\n{} wants {} things:", question.tool(), wishes.len()));
    // The riskiest come last, next to the answer: a long list scrolls off the screen (T-PERM-020).
    let mut sorted: Vec<&Wish> = wishes.iter().collect();
    sorted.sort_by_key(|wish| wish.choices()[0].risk().level);
    for (number, wish) in sorted.into_iter().enumerate() {
        let choice = &wish.choices()[0];
        let words = shortened(&choice.words(), MAX_WORDS);
        terminal.say(&format!("  {}. {words}", number + 1));
        terminal.show_place(wish);
        terminal.show(choice);
    }
    loop {
        let prompt = "  [o] all once  [s] all for this session  [a] all always  \
                      [e] each by itself  [n] none: ";
        let span = match terminal.answer(prompt, is_needed)?.as_str() {
            "o" | "once" | "y" | "yes" => Span::Once,
            "s" | "session" => Span::Session,
            "a" | "always" => Span::Always,
            "e" | "each" => {
                let each = wishes.iter().map(|wish| decide(terminal, question, wish, is_needed));
                return each.collect();
            }
            "n" | "no" | "none" | "" => return Some(vec![Decision::Deny; wishes.len()]),
            _ => {
                terminal.say("  please type one of the letters in brackets");
                continue;
            }
        };
        let grant = |wish: &Wish| Decision::Grant(wish.wanted().clone(), span);
        return Some(wishes.iter().map(grant).collect());
    }
}

/// Asks about one wish until the answer is valid. If the terminal is gone, the answer is no.
fn decide(
    terminal: &mut Terminal,
    question: &Question,
    wish: &Wish,
    is_needed: &dyn Fn() -> bool,
) -> Option<Decision> {
    let narrowest = &wish.choices()[0];
    let words = shortened(&wish.words(), MAX_WORDS);
    terminal.say(&format!("\n{} wants to {words}", question.tool()));
    if let Some(place) = question.place() {
        terminal.say(&format!("     asked at    {place}"));
    }
    terminal.show_place(wish);
    terminal.show(narrowest);
    let grant = |span| Some(Decision::Grant(narrowest.capability().clone(), span));
    let usual = wish.usual();
    loop {
        let has_more = wish.choices().len() > 1;
        let wider = match (usual, has_more) {
            (Some(Usual::Folder(_)), _) => "  [f] this folder, once  [w] wider",
            (Some(Usual::Host(_)), _) => "  [h] this host, once  [w] wider",
            (None, true) => "  [w] wider",
            (None, false) => "",
        };
        let prompt = format!("  [o] once  [s] this session  [a] always{wider}  [n] no: ");
        let line = terminal.answer(&prompt, is_needed)?;
        match (line.as_str(), usual) {
            ("f" | "folder", Some(Usual::Folder(choice)))
            | ("h" | "host", Some(Usual::Host(choice))) => {
                return Some(Decision::Grant(choice.capability().clone(), Span::Once));
            }
            _ => {}
        }
        match line.as_str() {
            "o" | "once" | "y" | "yes" => return grant(Span::Once),
            "s" | "session" => return grant(Span::Session),
            "a" | "always" => return grant(Span::Always),
            "w" | "wider" if has_more => {
                if let Some(decision) = choose(terminal, wish, is_needed)? {
                    return Some(decision);
                }
            }
            "n" | "no" | "" => return Some(Decision::Deny),
            _ => terminal.say("  please type one of the letters in brackets"),
        }
    }
}

/// Lets the person choose a scope and a span. Returns `Some(None)` to go back, and `None` if nobody
/// needs the answer any more.
fn choose(
    terminal: &mut Terminal,
    wish: &Wish,
    is_needed: &dyn Fn() -> bool,
) -> Option<Option<Decision>> {
    for (number, choice) in wish.choices().iter().enumerate() {
        let words = shortened(&choice.words(), MAX_WORDS);
        terminal.say(&format!("  {}. {words}", number + 1));
        terminal.show(choice);
    }
    let prompt = "  number and o, s or a (such as 2 s), or Enter to go back: ";
    let line = terminal.answer(prompt, is_needed)?;
    Some(chosen(wish, &line))
}

fn chosen(wish: &Wish, line: &str) -> Option<Decision> {
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
    /// Shows the real file that a wish is about, and further facts.
    fn show_place(&mut self, wish: &Wish) {
        if let Some(real) = wish.on_host() {
            let real = shortened(real, MAX_CAPABILITY);
            self.say(&format!("     real file   {real}"));
        }
        for (name, text) in wish.details() {
            self.say(&format!("     {name:<11} {text}"));
        }
    }

    fn show(&mut self, choice: &Choice) {
        let risk = choice.risk();
        let capability = shortened(&choice.text(), MAX_CAPABILITY);
        self.say(&format!("     capability  {capability}"));
        self.say(&format!("     risk        {}: {}", risk.level, risk.reason));
    }

    fn say(&mut self, text: &str) {
        let _ = writeln!(self.out, "{text}");
    }

    /// Shows a prompt and returns the line that is typed after it, in lower case.
    ///
    /// Keys that were pressed before the prompt appeared are discarded, and so is a line that comes
    /// faster than a person reads. If the terminal is gone, the line is empty. Returns `None` if
    /// nobody needs the answer any more.
    // T-PERM-015: keys typed ahead.
    fn answer(&mut self, prompt: &str, is_needed: &dyn Fn() -> bool) -> Option<String> {
        loop {
            let _ = tcflush(self.lines.get_ref(), FlushArg::TCIFLUSH);
            let typed_ahead = self.lines.buffer().len();
            self.lines.consume(typed_ahead);
            let _ = write!(self.out, "{prompt}").and_then(|()| self.out.flush());
            let shown = Instant::now();
            while !self.is_typed() {
                if !is_needed() {
                    self.say("\n  (no longer needed)");
                    return None;
                }
            }
            let mut line = String::new();
            let is_read = matches!(self.lines.read_line(&mut line), Ok(1..));
            if !is_read || shown.elapsed() >= READING {
                return Some(line.trim().to_lowercase());
            }
            self.say("  that was faster than anybody reads; please answer again");
        }
    }

    /// Waits for a typed line. Returns false if there is none yet, and true if the terminal is gone.
    fn is_typed(&self) -> bool {
        let mut asked = [PollFd::new(self.lines.get_ref().as_fd(), PollFlags::POLLIN)];
        match poll(&mut asked, PollTimeout::from(LOOK)) {
            Err(Errno::EINTR) => false,
            Ok(0) => false,
            Ok(_) | Err(_) => true,
        }
    }
}
