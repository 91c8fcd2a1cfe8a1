//! Signals, and their default effects.

pub(crate) const KILL: u8 = 9;
pub(crate) const PIPE: u8 = 13;

/// Highest signal number.
pub(crate) const MAX: u8 = 63;

/// A set of signals, bit `n` for signal `n`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Signals(pub(crate) u64);

impl Signals {
    pub(crate) fn has(self, signal: u8) -> bool {
        signal <= MAX && self.0 & (1 << signal) != 0
    }
}

/// Default effect of a signal that is neither caught nor ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByDefault {
    Kill,
    Nothing,
}

/// Numbers are those of Linux. Stopping and continuing have no effect: a process that waits costs
/// nothing, and no terminal could stop one.
pub(crate) fn by_default(signal: u8) -> ByDefault {
    match signal {
        // CHLD, CONT, STOP, TSTP, TTIN, TTOU, URG, WINCH.
        17 | 18 | 19 | 20 | 21 | 22 | 23 | 28 => ByDefault::Nothing,
        _ => ByDefault::Kill,
    }
}

/// Returns the Linux signal for a WASI signal number; the tables differ.
pub(crate) fn of_wasi(signal: u64) -> Option<u8> {
    // none, hup, int, quit, ill, trap, abrt, bus, fpe, kill, usr1, segv, usr2, pipe, alrm, term,
    // chld, cont, stop, tstp, ttin, ttou, urg, xcpu, xfsz, vtalrm, prof, winch, poll, pwr, sys
    const NUMBERS: [u8; 31] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25,
        26, 27, 28, 29, 30, 31,
    ];
    NUMBERS.get(usize::try_from(signal).ok()?).copied()
}
