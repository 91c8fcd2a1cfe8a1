//! `memcpy`, `memmove` and `memset` for the C code, in pieces.
//!
//! A WebAssembly instruction that copies or fills memory is one call into the host for the whole
//! range, and a kill has to wait for it: 100 MB take 50 ms and more. The C code is compiled to
//! call these functions in place of that instruction; between two pieces the guest can be stopped.

/// Longest range that one instruction handles; that takes well under a millisecond.
const PIECE: usize = 256 << 10;

/// Up to this length a copy is a few loads and stores; a call into the host costs more.
const SHORT: usize = 128;

type Word = u64;
const WORD: usize = size_of::<Word>();

/// Copies ranges that do not overlap.
///
/// # Safety
///
/// `to` must be valid for writing and `from` for reading `len` bytes, without overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    // SAFETY: every range below lies within the two that the caller promises.
    unsafe {
        if len <= SHORT {
            copy_short(to, from, len);
            return to;
        }
        let mut done = 0;
        while done < len {
            let piece = PIECE.min(len - done);
            std::ptr::copy_nonoverlapping(from.add(done), to.add(done), piece);
            done += piece;
        }
    }
    to
}

/// Copies ranges that may overlap.
///
/// # Safety
///
/// `to` must be valid for writing and `from` for reading `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    let forward = (to as usize) < (from as usize);
    // SAFETY: every range below lies within the two that the caller promises; pieces are taken
    // in the order in which none overwrites what is still to be read.
    unsafe {
        if len <= PIECE {
            std::ptr::copy(from, to, len);
        } else if forward {
            let mut done = 0;
            while done < len {
                let piece = PIECE.min(len - done);
                std::ptr::copy(from.add(done), to.add(done), piece);
                done += piece;
            }
        } else {
            let mut left = len;
            while left > 0 {
                let piece = PIECE.min(left);
                left -= piece;
                std::ptr::copy(from.add(left), to.add(left), piece);
            }
        }
    }
    to
}

/// Fills a range.
///
/// # Safety
///
/// `to` must be valid for writing `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8 {
    // SAFETY: every range below lies within the one that the caller promises.
    unsafe {
        if len <= SHORT {
            fill_short(to, byte as u8, len);
            return to;
        }
        let mut done = 0;
        while done < len {
            let piece = PIECE.min(len - done);
            std::ptr::write_bytes(to.add(done), byte as u8, piece);
            done += piece;
        }
    }
    to
}

/// Copies at most [`SHORT`] bytes without an instruction that calls the host.
///
/// # Safety
///
/// As [`memcpy`].
unsafe fn copy_short(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: every word lies within the two ranges; the last is read before anything is written,
    // and may overlap the one before.
    unsafe {
        if len < WORD {
            for at in 0..len {
                to.add(at).write_volatile(from.add(at).read());
            }
            return;
        }
        let last = from.add(len - WORD).cast::<Word>().read_unaligned();
        let mut at = 0;
        while at + WORD < len {
            to.add(at).cast::<Word>().write_unaligned(from.add(at).cast::<Word>().read_unaligned());
            at += WORD;
        }
        to.add(len - WORD).cast::<Word>().write_unaligned(last);
    }
}

/// Fills at most [`SHORT`] bytes without an instruction that calls the host.
///
/// # Safety
///
/// As [`memset`].
unsafe fn fill_short(to: *mut u8, byte: u8, len: usize) {
    // SAFETY: every word lies within the `len` bytes at `to`; the last may overlap the one before.
    unsafe {
        if len < WORD {
            for at in 0..len {
                to.add(at).write_volatile(byte);
            }
            return;
        }
        let word = Word::from_ne_bytes([byte; WORD]);
        let mut at = 0;
        while at + WORD < len {
            to.add(at).cast::<Word>().write_unaligned(word);
            at += WORD;
        }
        to.add(len - WORD).cast::<Word>().write_unaligned(word);
    }
}
